"""A small GitHub on this machine: as much of its REST API as the grader speaks, over real HTTP.

It holds to what GitHub documents: authentication, 404 for what a token may not see, 403 for what it may not
do, 422 for what cannot be written, 301 for what was renamed, pages with Link headers, rate limits. Its state
is open to the tests, and `faults` are taken by the requests that come next.

    with GitHub(folder) as github:
        alice = github.repository("course/alice")
        alice.push({"a.txt": "1"}, at="2025-12-01T10:00:00Z", actor="alice")
        alice.pull(1, head="main", base="feedback")
        token = github.token("teacher", write=EVERYTHING)
        ... speak to github.url; clone file://{folder}/course/alice.git ...
        assert alice.comments[1][0].body

With a folder its repositories are bare git repositories below it, `OWNER/NAME.git`.

    state.py     what there is: repositories, pull requests, issues, tokens, faults
    bare.py      a repository of git
    objects.py   its objects: blobs, trees, commits
    record.py    requests and answers, kept for .ci/github
    server.py    who may see what, pages, limits, HTTP
    routing.py   which function answers what
    repos.py     repositories, templates, collaborators, invitations, activity
    secrets.py   the secrets of Actions
    git_data.py  refs, commits, trees, blobs
    talk.py      comments, issues, pull requests
    graphql.py   GraphQL, by GitHub's schema
"""

from github_server import git_data, graphql, repos, secrets, talk  # noqa: F401  they answer
from github_server.repos import copy
from github_server.server import GitHub
from github_server.state import (
    BOT,
    EVERYTHING,
    LONGEST,
    Dropped,
    Fault,
    Issue,
    Pull,
    Repository,
)

__all__ = [
    "BOT",
    "EVERYTHING",
    "LONGEST",
    "Dropped",
    "Fault",
    "GitHub",
    "Issue",
    "Pull",
    "Repository",
    "copy",
]
