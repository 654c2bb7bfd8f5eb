"""One comment an assignment on GitHub: over real HTTP, with a server that holds to GitHub's contract."""

from collections.abc import Iterator

import pytest
from github_server import BOT, LONGEST, Fault, GitHub, Repository

from grader.classroom.github.comments import JobEvent, keep_comment, marker
from grader.classroom.github.failures import GitHubUnavailable, RequestFailed

SHA = "0" * 39 + "1"
PUSH = JobEvent("course/alice", SHA, "main")


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        alice = server.repository("course/alice")
        alice.commit(SHA)
        yield server


@pytest.fixture
def alice(github: GitHub) -> Repository:
    """A student's repository with the pull request that classrooms open."""
    repository = github.repositories["course/alice"]
    repository.pull(1)
    return repository


@pytest.fixture
def token(github: GitHub) -> str:
    """The token of a job with `contents: read, pull-requests: write`."""
    return github.token(write=["pull_requests"])


def keep(github: GitHub, token: str, text: str = "30 of 100", push: JobEvent = PUSH, **more) -> str:
    """The comment of day2; waiting takes no time here and is remembered."""
    more.setdefault("sleep", [].append)
    return keep_comment(push, "day2", text, token, api=github.url, **more)


def test_a_push_is_told_on_its_pull_request(github, alice, token, snapshot):
    """The feedback is written where instructor and student talk."""
    assert keep(github, token) == snapshot
    (comment,) = alice.comments[1]
    assert (comment.author, comment.body) == (BOT, f"{marker('day2')}\n30 of 100")


def test_the_next_push_edits_it(github, alice, token):
    """One comment, however often somebody pushes."""
    for points in ("10 of 100", "20 of 100", "20 of 100"):
        keep(github, token, points)
    (comment,) = alice.comments[1]
    assert (comment.body, comment.edits) == (f"{marker('day2')}\n20 of 100", 1)


def test_each_assignment_has_its_own(github, alice, token):
    """The comment of day3 leaves that of day2 alone."""
    keep(github, token)
    keep_comment(PUSH, "day3", "0 of 100", token, api=github.url)
    assert [c.body.split("\n")[0] for c in alice.comments[1]] == [marker("day2"), marker("day3")]


def test_a_planted_marker_is_nobodys(github, alice, token):
    """A student writes the marker into a comment: it is not edited, and ours is written."""
    planted = github.comment(alice.comments[1], "alice", f"{marker('day2')}\n100 of 100")
    ghost = github.comment(alice.comments[1], None, f"{marker('day2')}\n100 of 100")
    keep(github, token)
    assert (planted.edits, ghost.edits) == (0, 0)
    assert alice.comments[1][2].author == BOT


def test_a_person_may_comment_too(github, alice):
    """With a token of a person's own the comment is found by that name."""
    token = github.token("teacher", write=["pull_requests"])
    github.comment(alice.comments[1], BOT, f"{marker('day2')}\nnot theirs")
    keep(github, token, "a")
    keep(github, token, "b")
    assert [(c.author, c.edits) for c in alice.comments[1]] == [(BOT, 0), ("teacher", 1)]


def test_it_is_found_on_a_later_page(github, alice, token):
    """Lists have pages; the Link header tells where they go on."""
    github.per_page = 2
    for number in range(7):
        github.comment(alice.comments[1], "alice", f"question {number}")
    keep(github, token, "a")
    github.comment(alice.comments[1], "alice", "thanks")
    keep(github, token, "b")
    assert [c.edits for c in alice.comments[1]] == [0] * 7 + [1, 0]


def test_a_pull_request_is_told_on_itself(github, alice, token):
    """Its number is in the event; the branch is not asked for."""
    alice.pull(7, head="patch", base="main")
    keep(github, token, push=JobEvent("course/alice", SHA, pull=7))
    assert (len(alice.comments[1]), len(alice.comments[7])) == (0, 1)


def test_which_pull_request(github, alice, token):
    """That into `feedback`, else the oldest open one of this branch, and never one of another branch."""
    alice.pull(2, base="main", state="closed")
    alice.pull(3, base="main")
    alice.pull(4, head="other")
    alice.pull(5, owner="mallory")
    keep(github, token)
    alice.pulls[1].state = "closed"
    keep(github, token)
    assert {number: len(comments) for number, comments in alice.comments.items()} == {
        1: 1,
        2: 0,
        3: 1,
        4: 0,
        5: 0,
    }


def test_without_a_pull_request_the_commit_is_told(github, token, snapshot):
    """`contents: read` is enough to write it; a second run of the same commit that says the same leaves it."""
    assert keep(github, token) == "commented on the commit"
    assert keep(github, token) == snapshot
    assert len(github.repositories["course/alice"].commit_comments[SHA]) == 1


def test_a_comment_on_a_commit_is_edited_where_that_is_allowed(github, token):
    """`contents: write` is more than the workflow asks for; with less it is said."""
    keep(github, token, "a")
    with pytest.raises(RequestFailed, match="may only read here"):
        keep(github, token, "b")
    keep(github, github.token(write=["contents"]), "b")
    (comment,) = github.repositories["course/alice"].commit_comments[SHA]
    assert comment.body.endswith("\nb")


def test_nothing_is_opened_for_a_stub(github, alice, token, snapshot):
    """Untouched work gets no new comment; an existing one is updated."""
    assert keep(github, token, open_new=False) == snapshot
    keep(github, token, "a")
    keep(github, token, "b", open_new=False)
    assert [c.body[-1] for c in alice.comments[1]] == ["b"]


# --- What a token may not do


def refusal(github: GitHub, token: str, **more) -> str:
    """Return the reason for which nothing was done; it must not quote the token."""
    with pytest.raises((RequestFailed, GitHubUnavailable)) as caught:
        keep(github, token, **more)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    told = str(caught.value)
    assert "\n" not in told
    assert not token.strip() or token.strip() not in told
    return told


def test_the_token_of_a_fork(github, alice):
    """It may only read: one request is refused, and that is all."""
    assert "fork (403)" in refusal(github, github.token())
    assert [asked.method for asked in github.asked].count("POST") == 1
    assert alice.comments[1] == []


@pytest.mark.parametrize(
    "push",
    [
        JobEvent("course", SHA),
        JobEvent("course/alice/../..", SHA),
        JobEvent("course/alice", "main"),
        JobEvent("", ""),
    ],
)
def test_strange_variables(github, token, push):
    """No request is sent to a forged address."""
    assert refusal(github, token, push=push).startswith("GITHUB_")
    assert github.asked == []


def test_too_long(github, alice, token):
    """It is not even sent."""
    assert f"at most {LONGEST} characters" in refusal(github, token, text="x" * LONGEST)
    assert github.asked == []


# --- When GitHub is not well


def test_an_answer_that_is_lost_makes_no_second_comment(github, alice, token):
    """The comment was written, but nobody said so: it is looked for before another one is."""
    github.faults.append(Fault(502, after_work=True, only="POST"))
    keep(github, token)
    assert len(alice.comments[1]) == 1


def test_a_job_is_not_kept_for_minutes(github, alice, token):
    """It says what GitHub asks for, and goes on."""
    github.faults.append(Fault(403, {"Retry-After": "600"}))
    assert "GitHub asks to wait" in refusal(github, token, sleep=lambda seconds: pytest.fail("waited"))
