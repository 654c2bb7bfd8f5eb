"""GitHub's API.

api.py          the client: requests, pages, retries, rate limits
failures.py     the two exceptions, and what an error response means
repository.py   repositories: their names in a class, their files and commits
survey.py       the state of many repositories, by GraphQL
comments.py     the comment of `grade ci`
"""
