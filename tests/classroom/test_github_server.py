"""The GitHub of the tests: that it holds to what GitHub documents, and that its repositories are real."""

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from github_server import EVERYTHING, GitHub, Repository

START = "2025-12-01T10:00:00Z"


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    with GitHub(tmp_path / "github") as server:
        server.clock = START
        server.organisation("course", "teacher")
        server.user("ada")
        yield server


@pytest.fixture
def ada(github: GitHub) -> Repository:
    """A repository with a file."""
    made = github.repository("course/day2-ada")
    made.push({"a.txt": "1\n", "b/c.txt": "2\n"}, at=START, actor="teacher")
    return made


@pytest.fixture
def ask(github: GitHub) -> Iterator[Any]:
    """A request of the instructor's."""
    token = github.token("teacher", write=EVERYTHING)
    headers = {"Authorization": f"Bearer {token}"}
    # A context that trusts nobody: to read the certificates takes longer than all requests of a test.
    nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with httpx.Client(base_url=github.url, headers=headers, verify=nobody) as client:
        yield lambda method, path, **data: client.request(method, path, json=data or None)


def test_git_finds_no_fault_in_the_objects(github):
    """The server writes them itself: folders sort as if their names ended in a slash, and empty ones go."""
    ada = github.repository("course/ada")
    names = {"a": "1", "a-b": "2", "b/a": "3", "b-a": "4", "b.a": ("100755", "5"), "c/d/e": "6", "ü": "7"}
    ada.push(names, message="Wörter\n\nand more")
    ada.push({"a/b": "8", "a": None, "c/d/e": None, "b/a": None, "b": ("120000", "a-b")})

    assert ada.bare.git("fsck", "--strict", "--no-dangling") == b""
    told = ada.bare.git("ls-tree", "-r", "-z", "--name-only", "main").decode().split("\0")
    assert told[:-1] == ["a-b", "a/b", "b", "b-a", "b.a", "ü"]
    assert ada.bare.line("log", "--format=%B").startswith("Work")


def test_a_renamed_repository(github, ada, ask, tmp_path):
    """Its old name leads to its number, whatever is asked for; so does git."""
    ada.rename("course/renamed")
    answer = ask("GET", "/repos/course/day2-ada/activity?per_page=5")
    assert answer.status_code == 301
    assert answer.headers["location"] == f"{github.url}/repositories/{ada.id}/activity?per_page=5"
    assert ask("GET", f"/repositories/{ada.id}").json()["full_name"] == "course/renamed"
    assert ask("PATCH", "/repos/course/day2-ada/issues/1", title="x").status_code == 307
    subprocess.run(["git", "ls-remote", "-q", f"file://{github.folder}/course/day2-ada.git"], check=True)


def test_a_workflow_needs_a_permission_of_its_own(github, ada, ask):
    """And what is not allowed there looks as if it were not there."""
    (token,) = github.tokens.values()
    token.write -= {"workflows"}
    entry = {"path": ".github/workflows/grade.yml", "mode": "100644", "type": "blob", "content": "x"}
    assert ask("POST", "/repos/course/day2-ada/git/trees", tree=[entry]).status_code == 404


def test_a_status(github, ada, ask):
    """Its limits are GitHub's: a commit that is there, 140 characters, an address of the web."""
    sha = ada.bare.tip("refs/heads/main")
    path = f"/repos/course/day2-ada/statuses/{sha}"
    good = {"state": "success", "context": "a", "description": "d" * 140, "target_url": "https://example.org"}
    assert ask("POST", path, **good).status_code == 201
    assert ada.statuses[sha][0].description == "d" * 140
    for wrong in ({"description": "d" * 141}, {"state": "good"}, {"target_url": "ftp://x"}):
        assert ask("POST", path, **good | wrong).status_code == 422
    assert ask("POST", f"/repos/course/day2-ada/statuses/{'0' * 40}", **good).status_code == 422


def test_graphql_refuses_what_the_schema_has_not(github, ada, ask):
    """As GitHub does: with errors, without data, and with status 200."""
    for query, what in {
        '{ repository(owner: "course", name: "day2-ada") { color } }': "Field 'color' doesn't exist",
        '{ repository(owner: "course", name: "day2-ada") { pullRequests { totalCount } } }': "`first` or `last`",
        '{ repository(login: "ada") { nameWithOwner } }': "doesn't accept argument 'login'",
        "{ repository": "unexpected end",
    }.items():
        answer = ask("POST", "/graphql", query=query)
        assert (answer.status_code, "data" in answer.json()) == (200, False)
        assert what in answer.json()["errors"][0]["message"]
