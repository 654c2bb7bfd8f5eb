"""GitHub's API.

api.py          the client: requests, pages, retries, rate limits
failures.py     the two exceptions, and what an error response means
repository.py   repositories: their names in a class, their files and commits; the state of many, by GraphQL
comments.py     the comment of `grade ci`
"""
