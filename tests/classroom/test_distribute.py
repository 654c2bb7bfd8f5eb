"""The repositories part of `grade open`: over real HTTP, to a GitHub that holds to the contract, with real repositories."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable

import pytest
from github_server import EVERYTHING, Fault
from handing import TEMPLATE, Class, state_of, writes
from helpers import Ran

NOTEBOOK = "assignments/mini/mini.ipynb"
CHECK = "assignments/mini/checks/test_box.py"
Run = Callable[..., Ran]


# --- A class that begins


def test_everybody_gets_a_repository(klass: Class, run: Run, files, snapshot):
    """Private, with the template's files, and an invitation that lets them push."""
    done = run("--yes")
    assert done.code == 0
    for name in ("ada", "bob", "carol"):
        made = klass.made(name)
        assert (made.private, made.files()) == (True, files)
        assert [(i.login, i.permission) for i in made.invitations] == [(name, "push")]
    assert done.out == snapshot
    assert done.out.endswith("\n3 done\n")


def test_the_plan_is_shown_first(klass: Class, run: Run, snapshot):
    """`--dry-run` only shows it."""
    klass.roster("ada", "bob", "carol", "dan,")
    done = run("--dry-run")
    assert done.out == snapshot
    assert done.code == 1
    assert writes(klass.github) == []


def test_it_asks(klass: Class, run: Run, snapshot):
    """The default answer is no; without a terminal nothing is done."""
    alone = run()
    no = run(answer="\n")
    assert (alone.code, no.code, writes(klass.github)) == (2, 2, [])
    assert alone.text == snapshot
    assert "nothing was written" in no.text
    assert run(answer="y\n").code == 0
    assert klass.made("ada").invited == ["ada"]


@pytest.mark.ci
def test_the_second_time_nothing_is_left_to_do(klass: Class, run: Run, snapshot):
    """The same with accepted and with open invitations."""
    run("--yes")
    klass.made("ada").accept("ada")
    before, sent = state_of(klass.github), len(writes(klass.github))
    done = run("--yes")
    assert (done.code, state_of(klass.github), len(writes(klass.github))) == (0, before, sent)
    assert done.out == snapshot
    assert done.out.endswith("this command has nothing to do\n")


def test_the_options(klass: Class, run: Run):
    """One student, another name; a student's repository is no other part."""
    klass.in_organisation("course", ", repositories: '{student}_{day}'")
    assert run("--yes", "--student", "bob", "--only", "secret").code == 2
    done = run("--yes", "--student", "bob")
    assert done.code == 0
    made = klass.github.repositories["course/bob_mini"]
    assert (made.private, len(klass.github.repositories)) == (True, 2)


def test_a_class_of_many_is_shown_in_few_lines(klass: Class, run: Run, snapshot):
    """Some names, and how many more."""
    klass.roster(*(f"s{number:03}" for number in range(40)))
    done = run("--dry-run")
    assert done.out == snapshot
    assert len(done.out.split("\n")) < 12


# --- Students who cannot have one


def test_who_is_left_out(klass: Class, run: Run, snapshot):
    """No login, an unknown one, an organisation's; the others get their repositories."""
    klass.roster("ada", "bob,", "carol,caroll", "dan,course", "eve", users=False)
    klass.github.user("ada", "eve")
    done = run("--yes")
    assert done.code == 1
    assert done.out == snapshot
    assert sorted(klass.github.repositories) == ["course/mini-ada", "course/mini-eve", TEMPLATE]


@pytest.mark.ci
def test_a_name_that_goes_away_meanwhile(klass: Class, run: Run, snapshot):
    """Looked at, it was there; invited, it is not."""
    klass.github.faults.append(Fault(404, only="PUT", path="/mini-bob/"))
    done = run("--yes")
    assert done.code == 1
    assert done.out == snapshot
    assert run("--yes").code == 0
    assert klass.made("bob").invited == ["bob"]


def test_a_repository_of_that_name(klass: Class, run: Run, snapshot):
    """It was not made from the template: the plan says so, and nothing is written to it."""
    theirs = klass.github.repository("course/mini-bob")
    theirs.push({"diary.txt": "private\n"}, actor="bob")
    empty = klass.github.repository("course/mini-carol")
    before = state_of(klass.github)
    done = run("--yes")
    assert done.code == 1
    assert done.out == snapshot
    after = state_of(klass.github)
    assert {name: after[name] for name in (theirs.name, empty.name)} == {
        name: before[name] for name in (theirs.name, empty.name)
    }


def test_nobody_gets_the_template_itself(klass: Class, run: Run):
    """Somebody is called `template` on GitHub; nor does anybody get another template."""
    klass.roster("eve,template", "ada")
    klass.github.repository("course/mini-ada", is_template=True, template=klass.template.id)
    done = run("--yes")
    assert done.code == 1
    assert f"    eve  {TEMPLATE} was not made from {TEMPLATE}" in done.out
    assert writes(klass.github) == []


def test_a_repository_that_the_roster_names(klass: Class, run: Run, snapshot):
    """Made where it is missing, unless it is elsewhere; an address elsewhere is none of GitHub's."""
    klass.roster("ada,ada,course/ada-own", "bob,bob,elsewhere/bob", "carol,carol,ssh://git@example.org/c.git")
    done = run("--yes")
    assert done.code == 1
    assert done.out == snapshot
    assert klass.github.repositories["course/ada-own"].invited == ["ada"]


@pytest.mark.ci
def test_an_archived_one(klass: Class, run: Run):
    """It can only be read."""
    klass.hand_out("ada", "bob", "carol")
    klass.made("bob").archived = True
    done = run("--yes")
    assert (done.code, "course/mini-bob is archived" in done.out) == (1, True)


# --- Repositories that are there


def test_an_invitation_that_is_missing(klass: Class, run: Run, snapshot):
    """Never sent, or expired after a week; a valid invitation is not repeated."""
    klass.hand_out("ada", "bob", "carol")
    for name in ("ada", "bob"):
        klass.made(name).invitations[0].expired = name == "bob"
    klass.made("carol").invitations.clear()
    done = run("--yes")
    assert done.out == snapshot
    assert [klass.made(name).invited for name in ("ada", "bob", "carol")] == [
        ["ada"], ["bob", "bob"], ["carol", "carol"],
    ]  # fmt: skip
    assert [i.expired for i in klass.made("bob").invitations] == [False]


@pytest.mark.ci
def test_members_of_the_organisation(klass: Class, run: Run):
    """They may read everything and need permission to push; they get no invitation."""
    klass.github.organisation("course", "ada", "bob", "carol")
    klass.hand_out("bob")
    klass.made("bob").invitations.clear()
    assert run("--yes").code == 0
    assert [klass.made(name).collaborators for name in ("ada", "bob")] == [{"ada": "push"}, {"bob": "push"}]
    assert run("--yes").out.endswith("this command has nothing to do\n")


@pytest.mark.ci
def test_a_renamed_repository(klass: Class, run: Run):
    """Its old name leads to it: no second one is made."""
    klass.hand_out("ada", "bob", "carol")
    klass.made("bob").rename("course/the-best")
    done = run("--yes")
    assert (done.code, len(klass.github.repositories)) == (0, 4)
    assert "  exists            3" in done.out


@pytest.mark.ci
def test_one_that_was_copied_by_hand(klass: Class, run: Run, files):
    """A fork, or the files pushed into an empty repository: its first files are the template's."""
    klass.template.push({"README.md": "Newer\n"})
    pushed = klass.github.repository("course/mini-ada")
    pushed.push(files, actor="ada")
    pushed.push({NOTEBOOK: "{}"}, actor="ada")
    done = run("--yes", "--student", "ada")
    assert done.code == 0
    assert (pushed.invited, len(pushed.pulls)) == (["ada"], 1)


def test_the_files_come_a_moment_later(klass: Class, run: Run):
    """GitHub answers before it has copied the template."""
    klass.github.slow = 5
    assert run("--yes").code == 0
    assert run("--yes").code == 0
    klass.made("ada").coming.clear()


@pytest.mark.ci
def test_the_files_never_come(klass: Class, run: Run):
    """Nothing is offered to an empty repository, which GitHub may still be filling; the others get theirs."""
    klass.github.slow = 100
    run("--yes", "--student", "ada")
    klass.template.push({CHECK: "mended\n"})
    klass.github.slow = 0
    assert run("--yes").code == 0
    assert (klass.made("ada").pulls, klass.made("bob").invited) == ({}, ["bob"])


# --- What cannot be handed out


def test_templates_that_are_none(klass: Class, run: Run, snapshot):
    """Each message says what to do; nothing is written."""
    gone = klass.github.repositories.pop(TEMPLATE)
    shutil.rmtree(gone.bare.path)
    assert "run `grade open mini` first" in run("--yes").text
    plain = klass.github.repository(TEMPLATE)
    assert run("--yes").text == snapshot
    plain.is_template = True
    assert "this template is empty" in run("--yes").text
    plain.push({"README.md": "Hello\n"})
    assert "this template has no .github/backgrade.json" in run("--yes").text
    assert writes(klass.github) == []


def test_solutions_are_never_handed_out(klass: Class, run: Run, snapshot):
    """It does not matter who pushed them."""
    klass.template.push({"solutions/mini/mini.py": "x = 1\n"})
    done = run("--yes")
    assert done.code == 2
    assert done.text == snapshot
    assert writes(klass.github) == []


def test_a_template_of_other_days(klass: Class, run: Run, files, snapshot):
    """The day that was typed is not in it."""
    record = json.loads(files[".github/backgrade.json"]) | {"days": ["other"]}
    klass.template.push({".github/backgrade.json": json.dumps(record)})
    assert run("--yes").text == snapshot


def test_wrong_usage(klass: Class, run: Run, snapshot):
    """Invalid names are refused before anything is written."""
    for pattern in ("{day}", "{x}-{github}", "a b-{github}"):
        klass.in_organisation("course", f", repositories: '{pattern}'")
        assert run("--dry-run").text == snapshot
    klass.in_organisation("course")
    assert "did you mean `ada`?" in run("--student", "adda").text
    klass.roster("ada")
    klass.in_organisation("../x")
    assert run().text == snapshot
    klass.in_organisation("elsewhere")
    assert "has no organisation" in run().text
    assert writes(klass.github) == []


# --- Disturbed


LOST = {
    "a repository": Fault(hung_up=True, only="POST", path="/generate"),
    "an invitation": Fault(502, after_work=True, only="PUT"),
    "a branch": Fault(truncated=True, only="POST", path="/git/refs"),
    "a pull request": Fault(hung_up=True, only="POST", path="/pulls"),
}


@pytest.fixture
def mixed(klass: Class) -> Class:
    """Ada has nothing yet, bob needs a fix, carol's invitation is missing."""
    klass.hand_out("bob")
    klass.template.push({CHECK: "mended\n"})
    klass.hand_out("carol")
    klass.made("carol").invitations.clear()
    klass.made("carol").invited.clear()
    return klass


def end_of(klass: Class) -> None:
    """Check the end of each of these stories."""
    assert sorted(klass.github.repositories) == [
        "course/mini-ada", "course/mini-bob", "course/mini-carol", TEMPLATE,
    ]  # fmt: skip
    assert [klass.made(name).invited for name in ("ada", "bob", "carol")] == [["ada"], ["bob"], ["carol"]]
    assert [len(klass.made(name).pulls) for name in ("ada", "bob", "carol")] == [0, 1, 0]


@pytest.mark.parametrize("fault", LOST.values(), ids=LOST)
def test_an_answer_that_is_lost(mixed: Class, run: Run, fault: Fault):
    """No repository is created twice, no student invited twice."""
    mixed.github.faults.append(fault)
    done = run("--yes")
    assert (done.code, mixed.github.faults) == (0, [])
    end_of(mixed)


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
    return [a.path for a in klass.github.asked if a.path != "/graphql"]


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
    assert "  exists            1  ada\n" in done.out
    assert done.out == snapshot


@pytest.mark.ci
def test_a_token_that_may_not_list_pull_requests(klass: Class, run: Run, snapshot):
    """GraphQL tells nothing of such a repository: it is left out, and not taken for one that is missing."""
    klass.hand_out("ada")
    klass.token = klass.github.token("assistant", write=["administration"], read=["contents", "metadata"])
    done = run("--dry-run", "--student", "ada")
    assert done.out == snapshot
    assert "  create            0\n" in done.out
