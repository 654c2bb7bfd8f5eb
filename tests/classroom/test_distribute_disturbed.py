"""`grade distribute` with lost answers, rate limits, a killed run, and a count of its requests."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable

import pytest
from github_server import EVERYTHING, Fault, GitHub, Secondary
from handing import TEMPLATE, Class, state_of, writes
from helpers import Ran

NOTEBOOK = "assignments/mini/mini.ipynb"
CHECK = "assignments/mini/checks/test_box.py"
Run = Callable[..., Ran]


WORK = [
    Fault(hung_up=True, only="POST", path="/generate"),
    Fault(502, after_work=True, only="POST", path="/generate"),
    Fault(502, only="POST", path="/generate"),
    Fault(truncated=True, only="POST", path="/generate"),
    Fault(hung_up=True, only="PUT"),
    Fault(502, after_work=True, only="PUT"),
    Fault(hung_up=True, only="POST", path="/git/trees"),
    Fault(truncated=True, only="POST", path="/git/refs"),
    Fault(502, only="POST", path="/git/refs"),
    Fault(hung_up=True, only="POST", path="/pulls"),
    Fault(502, only="POST", path="/pulls"),
]


def begun(klass: Class) -> Class:
    """Ada has nothing yet, bob needs a fix, carol's invitation is missing."""
    klass.hand_out("bob")
    klass.template.push({CHECK: "mended\n"})
    klass.hand_out("carol")
    klass.made("carol").invitations.clear()
    klass.made("carol").invited.clear()
    return klass


@pytest.fixture
def mixed(klass: Class) -> Class:
    return begun(klass)


def end_of(klass: Class) -> None:
    """Check the end of each of these stories."""
    assert sorted(klass.github.repositories) == [
        "course/mini-ada", "course/mini-bob", "course/mini-carol", TEMPLATE,
    ]  # fmt: skip
    assert [klass.made(name).invited for name in ("ada", "bob", "carol")] == [["ada"], ["bob"], ["carol"]]
    assert [len(klass.made(name).pulls) for name in ("ada", "bob", "carol")] == [0, 1, 0]


@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=[pytest.mark.ci] * (number % 3 > 0)) for number, fault in enumerate(WORK)],
    ids=lambda f: f"{f.path or f.only} {f.status or f.truncated or 'hung up'}",
)
def test_an_answer_that_is_lost(mixed: Class, run: Run, fault: Fault):
    """No repository is created twice, no student invited twice."""
    mixed.github.faults.append(fault)
    done = run("--yes")
    assert (done.code, mixed.github.faults) == (0, [])
    end_of(mixed)


def test_limits_are_waited_out(mixed: Class, run: Run, snapshot):
    """Each wait is announced in one line."""
    for after in ("40", "700"):
        mixed.github.faults.append(Fault(403, {"Retry-After": after}, "secondary rate limit", only="POST"))
    done = run("--yes")
    assert done.code == 0
    assert done.err == snapshot
    assert sum(wait in (40.0, 700.0) for wait in mixed.waits) == 2
    end_of(mixed)


@pytest.mark.whole
def test_a_limit_that_is_really_kept(mixed: Class):
    """Against the clock: five writes a second and no more."""
    mixed.github.secondary = Secondary(writes=3, seconds=0.5)
    assert mixed.complete("--yes") == 0
    assert mixed.github.secondary.refused > 0
    end_of(mixed)


@pytest.mark.ci
def test_the_patience_is_used_up(mixed: Class, run: Run, snapshot):
    """It stops, says how much is left, and the same command goes on."""
    mixed.github.faults += [Fault(429, {"Retry-After": "3000"}, only="PUT")] * 2
    done = run("--yes")
    assert done.code == 3
    assert done.err == snapshot
    assert run("--yes").code == 0
    end_of(mixed)


def test_a_token_that_may_not(klass: Class, run: Run, snapshot):
    """One request is refused, and that is all."""
    klass.token = klass.github.token("assistant", write=["contents"], read=EVERYTHING)
    done = run("--yes")
    assert done.code == 3
    assert done.err == snapshot
    assert len(writes(klass.github)) == 1


KILLED = [
    ("POST", "/generate", True),
    ("PUT", "/mini-ada/", True),
    ("POST", "/git/refs", True),
    ("POST", "/generate", False),
    ("POST", "/pulls", True),
    ("PUT", "/mini-ada/", False),
    ("POST", "/git/trees", True),
    ("POST", "/git/commits", True),
    ("POST", "/git/refs", False),
    ("POST", "/pulls", False),
    ("PUT", "/mini-carol/", False),
    ("PUT", "/mini-carol/", True),
    ("GET", "/mini-carol", True),
]


@pytest.mark.whole
def test_interrupted(mixed: Class, run: Run):
    """Ctrl-C: the output counts what is done, and the same command continues."""
    assert mixed.killed_at("PUT", "/mini-ada/", done=True, by=signal.SIGINT) == 130
    assert run("--yes").code == 0
    end_of(mixed)


def test_a_token_of_yesterday(klass: Class, run: Run):
    """The error comes first, and does not quote the token."""
    klass.token = "ghs_of_yesterday"
    done = run("--yes")
    assert (done.code, "the token is not valid (401)" in done.err) == (2, True)
    assert "yesterday" not in done.text
    klass.token = ""
    assert "set the variable GITHUB_TOKEN" in run("--yes").err


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory, files) -> dict[str, object]:
    """Return the state after an uninterrupted run."""
    root = tmp_path_factory.mktemp("uninterrupted")
    with GitHub(root / "github") as github:
        klass = Class(root, github, files)
        klass.roster("ada", "bob", "carol")
        assert begun(klass).complete("--yes") == 0
        return state_of(github)


@pytest.mark.whole
@pytest.mark.parametrize("kill", KILLED, ids=lambda kill: " ".join(map(str, kill)))
def test_killed_and_started_again(mixed: Class, run: Run, uninterrupted, kill: tuple[str, str, bool]):
    """The final state is that of an uninterrupted run."""
    method, path, done = kill
    assert mixed.killed_at(method, path, done=done) != 0
    assert run("--yes").code == 0
    assert state_of(mixed.github) == uninterrupted
    end_of(mixed)


# --- Requests


def many(klass: Class, count: int) -> list[str]:
    """A class of so many, who have their repositories; every third has accepted the invitation."""
    names = [f"s{number:03}" for number in range(count)]
    klass.roster(*names)
    klass.hand_out(*names)
    for name in names[::3]:
        klass.made(name).accept(name)
        klass.made(name).push({NOTEBOOK: f'"{name}"'}, actor=name)
    return names


def asked(klass: Class) -> list[str]:
    """Return the requests that count towards the hour's."""
    return [a.path for a in klass.github.asked if a.path not in {"/graphql", "/rate_limit"}]


@pytest.mark.ci
@pytest.mark.parametrize("state", ["nothing to do", "a fix", "a fix that was offered"])
def test_a_look_costs_at_most_two_requests_a_student(klass: Class, run: Run, state: str, snapshot):
    """Whatever it finds: 900 repositories fit into an hour's 5,000."""
    count = 12
    many(klass, count)
    if state != "nothing to do":
        klass.template.push({CHECK: "mended\n"}, actor="teacher")
    if "offered" in state:
        assert run("--yes").code == 0
    klass.github.asked.clear()
    done = run("--dry-run")
    assert done.out == snapshot
    constant = 12  # for the template and the organisation
    assert len(asked(klass)) <= 2 * count + constant
    assert sum(a.path == "/graphql" for a in klass.github.asked) == 1


def test_a_class_that_begins_is_looked_at_in_a_few_questions(klass: Class, run: Run):
    """No request for a student who has nothing yet."""
    klass.roster(*(f"s{number:03}" for number in range(50)))
    run("--dry-run")
    assert not [path for path in asked(klass) if "s0" in path]
    assert sum(a.path == "/graphql" for a in klass.github.asked) == 3


@pytest.mark.ci
def test_more_than_the_hour_has_left_is_told_before(klass: Class, run: Run):
    """In the plan, with when GitHub lets it go on."""
    many(klass, 6)
    klass.template.push({CHECK: "mended\n"}, actor="teacher")
    klass.github.limit, klass.github.reset = 60, time.time() + 1800
    done = run("--dry-run")
    assert "note: this takes about 48 requests, and GitHub allows" in done.out
    assert "the command waits and continues by itself. You can press Ctrl-C at any time." in done.out
    klass.github.limit = 5_000
    assert "note:" not in run("--dry-run").out


@pytest.mark.ci
def test_a_server_that_tells_no_limits(klass: Class, run: Run):
    """An own server has none by default, and says 404."""
    klass.github.faults += [Fault(404, path="/rate_limit")] * 2
    assert run("--yes").code == 0


@pytest.mark.ci
def test_a_question_that_is_not_answered(klass: Class, run: Run):
    """The hour of GraphQL is used up: it is waited out, as every limit is."""
    klass.github.faults.append(Fault(502, path="/graphql"))
    assert run("--yes").code == 0
    klass.github.points = 0
    done = run("--yes")
    assert done.code == 2
    assert "GitHub's rate limit is used up" in done.err


def test_a_token_that_may_not_list_collaborators(klass: Class, run: Run, snapshot):
    """GraphQL tells nothing of them then, and REST is asked what the student may do."""
    klass.hand_out("ada", "bob")
    klass.made("ada").accept("ada")
    klass.token = klass.github.token("assistant", read=["contents", "metadata", "pull_requests"])
    done = run("--dry-run")
    assert "  there already           1  ada\n" in done.out
    assert done.out == snapshot


@pytest.mark.ci
def test_a_token_that_may_not_list_pull_requests(klass: Class, run: Run, snapshot):
    """GraphQL tells nothing of such a repository: it is left out, and not taken for one that is missing."""
    klass.hand_out("ada")
    klass.token = klass.github.token("assistant", write=["administration"], read=["contents", "metadata"])
    done = run("--dry-run", "--student", "ada")
    assert done.out == snapshot
    assert "  to make                 0\n" in done.out
