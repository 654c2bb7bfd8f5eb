"""The GitHub of the tests: that it holds to what GitHub documents, and that its repositories are real."""

import base64
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from github_server import EVERYTHING, Dropped, GitHub, Repository, Secondary

START = "2026-12-01T10:00:00Z"


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


def test_it_is_a_real_repository(github, ada, tmp_path):
    """Git clones it, and pushes to it."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", f"file://{github.folder}/course/day2-ada.git", clone], check=True)
    assert (clone / "b/c.txt").read_text() == "2\n"


def test_activity(github, ada, ask):
    """Every push as GitHub saw it, whatever the commit says."""
    first = ada.bare.tip("refs/heads/main")
    second = ada.push({"a.txt": "2\n"}, at="2026-12-01T11:00:00Z", author_date="2020-01-01T00:00:00Z")
    third = ada.push({"b/c.txt": None}, at="2026-12-01T12:00:00Z", force=True, onto=first)
    ada.push({}, ref="try", onto=third, at="2026-12-01T13:00:00Z")
    ada.delete("try", at="2026-12-01T14:00:00Z")
    shown = ask("GET", "/repos/course/day2-ada/activity").json()
    assert [a["activity_type"] for a in shown] == [
        "branch_deletion", "branch_creation", "force_push", "push", "branch_creation",
    ]  # fmt: skip
    assert (shown[2]["before"], shown[2]["after"]) == (second, third)
    assert (shown[2]["timestamp"], shown[2]["actor"]["login"]) == ("2026-12-01T12:00:00Z", "ada")
    assert ada.files() == {"a.txt": b"1\n"}
    dates = ada.bare.line("log", "-1", "--format=%aI %cI", second)
    assert dates == "2020-01-01T00:00:00+00:00 2020-01-01T00:00:00+00:00"


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


def test_activity_is_chosen_and_has_pages(github, ada, ask):
    """By ref, kind and time; an opaque cursor leads to the next page."""
    for hour in range(11, 16):
        ada.push({"a.txt": str(hour)}, at=f"2026-12-01T{hour}:00:00Z")
    ada.push({"a.txt": "x"}, ref="try", at="2026-11-01T00:00:00Z")
    path = "/repos/course/day2-ada/activity"
    assert len(ask("GET", f"{path}?ref=try").json()) == 1
    assert len(ask("GET", f"{path}?ref=refs/heads/main&activity_type=push&direction=asc").json()) == 5
    assert len(ask("GET", f"{path}?time_period=week").json()) == 6
    assert ask("GET", f"{path}?time_period=hour").status_code == 422
    found, answer = [], ask("GET", f"{path}?ref=main&per_page=2")
    while True:
        found += [a["timestamp"][11:13] for a in answer.json()]
        if "next" not in answer.links:
            break
        answer = ask("GET", answer.links["next"]["url"].removeprefix(github.url))
    assert found == ["15", "14", "13", "12", "11", "10"]
    assert (
        ask("GET", answer.links["prev"]["url"].removeprefix(github.url)).json()[0]["timestamp"][11:13] == "13"
    )


def test_a_repository_from_a_template(github, ada, ask):
    """One commit of the template's tree; a name is given once."""
    path = "/repos/course/day2-ada/generate"
    assert ask("POST", path, owner="course", name="day2-bob").status_code == 404
    ada.is_template = True
    ada.push({"a.txt": "2\n"})
    answer = ask("POST", path, owner="course", name="day2-bob", private=True)
    bob = github.repositories["course/day2-bob"]
    assert (answer.status_code, answer.json()["template_repository"]["id"]) == (201, ada.id)
    assert (bob.files(), bob.bare.line("rev-list", "--count", "main")) == (ada.files(), "1")
    assert ask("POST", path, owner="course", name="Day2-Bob").status_code == 422
    assert "template_repository" not in ask("GET", "/orgs/course/repos").json()[0]


def test_the_branch_comes_later(github, ada, ask):
    """As in life: the answer comes before the files."""
    ada.is_template, github.slow = True, 2
    ask("POST", "/repos/course/day2-ada/generate", owner="course", name="day2-bob")
    answers = [ask("GET", "/repos/course/day2-bob/git/ref/heads/main") for _ in range(2)]
    assert [a.status_code for a in answers] == [409, 200]
    assert answers[0].json() == {"message": "Git Repository is empty."}


def test_invitations(github, ada, ask):
    """Unknown, invited, invited again, accepted; members need none."""
    path = "/repos/course/day2-ada/collaborators"
    assert ask("PUT", f"{path}/nobody", permission="push").status_code == 404
    assert [ask("PUT", f"{path}/ada", permission="push").status_code for _ in range(2)] == [201, 201]
    assert ask("GET", f"{path}/ada").status_code == 404
    assert [i["permissions"] for i in ask("GET", "/repos/course/day2-ada/invitations").json()] == ["write"]
    ada.accept("ada")
    assert ask("PUT", f"{path}/ADA", permission="push").status_code == 204
    assert ask("GET", f"{path}/ada/permission").json()["permission"] == "write"
    assert ask("PUT", f"{path}/teacher", permission="push").status_code == 204
    assert (ada.invited, ask("GET", f"{path}/ada").status_code) == (["ada"], 204)


def test_a_renamed_repository(github, ada, ask, tmp_path):
    """Its old name leads to its number, whatever is asked for; so does git."""
    ada.rename("course/renamed")
    answer = ask("GET", "/repos/course/day2-ada/activity?per_page=5")
    assert answer.status_code == 301
    assert answer.headers["location"] == f"{github.url}/repositories/{ada.id}/activity?per_page=5"
    assert ask("GET", f"/repositories/{ada.id}").json()["full_name"] == "course/renamed"
    assert ask("PATCH", "/repos/course/day2-ada/issues/1", title="x").status_code == 307
    subprocess.run(["git", "ls-remote", "-q", f"file://{github.folder}/course/day2-ada.git"], check=True)


def test_git_data(github, ada, ask, snapshot):
    """A commit made by hand, and a branch for it."""
    git = "/repos/course/day2-ada/git"
    tree = ask("GET", f"{git}/trees/main?recursive=1").json()
    assert [(e["path"], e["type"]) for e in tree["tree"]] == [
        ("a.txt", "blob"), ("b", "tree"), ("b/c.txt", "blob"),
    ]  # fmt: skip
    blob = ask("POST", f"{git}/blobs", content=base64.b64encode(b"\xff").decode(), encoding="base64").json()
    entries = [
        {"path": "d/e.bin", "mode": "100644", "type": "blob", "sha": blob["sha"]},
        {"path": "a.txt", "mode": "100644", "type": "blob", "content": "new\n"},
        {"path": "b/c.txt", "mode": "100644", "type": "blob", "sha": None},
    ]
    tip = ask("GET", f"{git}/ref/heads/main").json()["object"]["sha"]
    assert tree["sha"] == tip  # a branch was named
    base = ask("GET", f"{git}/commits/{tip}").json()["tree"]["sha"]
    made = ask("POST", f"{git}/trees", base_tree=base, tree=entries).json()
    commit = ask("POST", f"{git}/commits", message="By hand", tree=made["sha"], parents=[tip]).json()
    refs = [ask("POST", f"{git}/refs", ref="refs/heads/new", sha=commit["sha"]).status_code for _ in range(2)]
    assert refs == [201, 422]
    assert ada.files("new") == {"a.txt": b"new\n", "d/e.bin": b"\xff"}
    assert ask("GET", f"{git}/commits/{commit['sha']}").json()["parents"] == [{"sha": tip}]
    assert base64.b64decode(ask("GET", f"{git}/blobs/{blob['sha']}").json()["content"]) == b"\xff"
    assert ask("POST", f"{git}/trees", base_tree=made["sha"], tree=entries[2:]).status_code == 422
    assert ask("PATCH", f"{git}/refs/heads/new", sha=tip).json()["message"] == snapshot
    assert ask("PATCH", f"{git}/refs/heads/new", sha=tip, force=True).status_code == 200
    assert [a.type for a in ada.activity] == ["branch_creation", "branch_creation", "force_push"]


def test_a_workflow_needs_a_permission_of_its_own(github, ada, ask):
    """And what is not allowed there looks as if it were not there."""
    (token,) = github.tokens.values()
    token.write -= {"workflows"}
    entry = {"path": ".github/workflows/grade.yml", "mode": "100644", "type": "blob", "content": "x"}
    assert ask("POST", "/repos/course/day2-ada/git/trees", tree=[entry]).status_code == 404


def test_pull_requests(github, ada, ask, snapshot):
    """One for each branch, and none without a difference; they are among the issues."""
    pulls = "/repos/course/day2-ada/pulls"
    ask("POST", "/repos/course/day2-ada/issues", title="Question", labels=["day2"])
    ada.push({}, ref="same", onto=ada.bare.tip("refs/heads/main"), message="nothing")
    ada.push({"a.txt": "3"}, ref="fix", onto=ada.bare.tip("refs/heads/main"))
    first = ask("POST", pulls, title="Fix", head="fix", base="main", body="Why")
    again = ask("POST", pulls, title="Fix", head="fix", base="main")
    assert (first.status_code, first.json()["number"], again.status_code) == (201, 2, 422)
    assert again.json()["errors"] == snapshot
    assert ask("POST", pulls, title="Fix", head="gone", base="main").status_code == 422
    ada.merge(2)
    assert ada.files()["a.txt"] == b"3"
    assert ask("GET", f"{pulls}?head=course:fix&state=all").json()[0]["merged_at"]
    ask("PATCH", f"{pulls}/2", title="Mended")
    shown = ask("GET", "/repos/course/day2-ada/issues?state=all").json()
    assert [(i["title"], "pull_request" in i) for i in shown] == [("Mended", True), ("Question", False)]


def test_issues(github, ada, ask):
    """Found by who wrote them, their state and their labels; some have none."""
    path = "/repos/course/day2-ada/issues"
    ada.issue("mine", author="ada")
    number = ask("POST", path, title="Feedback", body="30", labels=["backgrade"]).json()["number"]
    assert [i["title"] for i in ask("GET", f"{path}?creator=teacher").json()] == ["Feedback"]
    assert [i["title"] for i in ask("GET", f"{path}?labels=backgrade").json()] == ["Feedback"]
    ask("PATCH", f"{path}/{number}", body="40", state="closed")
    assert [i["title"] for i in ask("GET", path).json()] == ["mine"]
    assert ask("POST", f"{path}/{number}/comments", body="Hello").status_code == 201
    ada.has_issues = False
    assert ask("POST", path, title="Feedback").status_code == 410


def test_the_hour_is_used_up(github, ada, ask):
    """The headers count down; then nothing until the reset."""
    github.limit = 2
    answers = [ask("GET", "/repos/course/day2-ada") for _ in range(3)]
    left = [(a.status_code, a.headers["x-ratelimit-remaining"]) for a in answers]
    assert left == [(200, "1"), (200, "0"), (403, "0")]
    github.reset = 0.0
    assert ask("GET", "/repos/course/day2-ada").status_code == 200


def test_too_much_is_written(github, ada, ask):
    """Reading goes on meanwhile."""
    github.secondary = Secondary(writes=1)
    answers = [ask("POST", "/repos/course/day2-ada/issues", title="x") for _ in range(2)]
    assert [a.status_code for a in answers] == [201, 403]
    assert 1 <= int(answers[1].headers["retry-after"]) <= 61
    assert ask("GET", "/repos/course/day2-ada").status_code == 200


def test_a_hook(github, ada, ask):
    """It is called before and after the work, and may end a request there."""
    called = []

    def hook(method: str, path: str, number: int, done: bool) -> None:  # noqa: FBT001  the server calls it
        called.append((method, number, done))
        if (number, done) in ((1, True), (2, False)):
            raise Dropped

    github.on_request = hook
    for _ in range(2):
        with pytest.raises(httpx.RemoteProtocolError):
            ask("POST", "/repos/course/day2-ada/issues", title="x")
    assert ask("POST", "/repos/course/day2-ada/issues", title="x").json()["number"] == 2
    assert called == [
        ("POST", 1, False),
        ("POST", 1, True),
        ("POST", 2, False),
        ("POST", 3, False),
        ("POST", 3, True),
    ]


# --- Conditional requests, and statuses of commits


def test_304_is_not_counted(github, ada, ask):
    """Nor is it where the ETag is of before a change."""
    path = "/orgs/course/repos?sort=pushed"
    headers = dict(ask("GET", path).request.headers)
    etag, used = ask("GET", path).headers["ETag"], github.used
    known = {**headers, "If-None-Match": etag}
    response = httpx.get(github.url + path, headers=known)
    assert (response.status_code, response.content, github.used) == (304, b"", used)
    ada.push({"a.txt": "3\n"}, at="2026-12-01T11:00:00Z")
    assert httpx.get(github.url + path, headers=known).status_code == 200
    assert github.used == used + 1


def test_the_newest_push_first(github, ada, ask):
    github.repository("course/day2-bob").push({"a.txt": "1\n"}, at="2026-12-02T10:00:00Z")
    names = [r["name"] for r in ask("GET", "/orgs/course/repos?sort=pushed").json()]
    assert names == ["day2-bob", "day2-ada"]
    assert ask("GET", "/orgs/course/repos?sort=size").status_code == 422


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


def test_graphql(github, ada, ask, snapshot):
    """Many repositories in one question; what is not there is null, with an error that says where."""
    ada.collaborators["ada"] = "push"
    query = """
      query ($login: String!) {
        a: repository(owner: "course", name: "day2-ada") { ...seen collaborators(login: $login, first: 1) {
          edges { permission node { login } } } }
        b: repository(owner: "course", name: "day2-bob") { ...seen }
        who: repositoryOwner(login: "course") { __typename login }
      }
      fragment seen on Repository {
        nameWithOwner isArchived templateRepository { databaseId }
        defaultBranchRef { name target { ... on Commit { oid history(first: 1) { totalCount nodes { oid } } } } }
      }
    """
    answer = ask("POST", "/graphql", query=query, variables={"login": "ada"})
    assert answer.json() == snapshot


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


def test_graphql_tells_who_edited_a_text_last(github, ada, ask):
    """And REST tells it nowhere."""
    issue = ask("POST", "/repos/course/day2-ada/issues", title="t", body="first").json()
    ada.issues[1].edit("ada", "second", START)
    query = """query ($id: ID!) { node(id: $id) { ... on Comment {
        body lastEditedAt author { login } editor { login } } } }"""
    told = ask("POST", "/graphql", query=query, variables={"id": issue["node_id"]}).json()["data"]["node"]
    assert told == {
        "body": "second",
        "lastEditedAt": START,
        "author": {"login": "teacher"},
        "editor": {"login": "ada"},
    }


def test_the_limits_are_told_for_free(github, ask):
    """And GraphQL's are counted apart."""
    github.limit = 3
    assert ask("GET", "/user").status_code == 200
    for _ in range(5):
        limits = ask("GET", "/rate_limit").json()["resources"]
    assert (limits["core"]["limit"], limits["core"]["remaining"], limits["graphql"]["remaining"]) == (
        3,
        2,
        5_000,
    )
    github.points = 0
    answer = ask("POST", "/graphql", query='{ repositoryOwner(login: "ada") { login } }')
    assert (answer.status_code, answer.json()["errors"][0]["type"]) == (200, "RATE_LIMITED")
