"""One class of hostile students, graded by `grade batch`, with Alice after some of them (after each with `-m whole`).

Each attack of the promises is a student, and so is each case of an attack of many cases. Everybody's result is what
the attack's docstring says. Alice, who is honest, gets what she gets before all of them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from escapes.alice import ALICE, timeless
from escapes.ground import EXPECTED, HONEST, SECRET, Attack, Ground, Tried, attacks, kinds, opened
from escapes.stories import LIMITS, cases, it_succeeds_without_its_guard, skip_where_nobody_traces, with_case
from sampled import every

from grader.gradebook.store import Store
from grader.report import to_json

FOLDERS = "explaining forging frames neighbours processes reads signals sockets writes".split()
APART = {
    "any_answer",
    "lost_channel",
    "privileges",
    "printed_report",
    "terminal",
}  # tried in files of their own
RIGHT = f"\n\ndef answer():\n    return {EXPECTED}\n"
SOME = 8  # of an attack's cases every eighth is graded by default
BEFORE_ALL = {"0-0": HONEST, "0-alice": ALICE}  # graded first, for it is in the order of their names
AT_LEISURE = {"load_seconds": 60, "check_seconds": 60, "total_seconds": 120}
TOTAL = 3  # seconds, where the limits are tried


@pytest.fixture(scope="module", params=kinds())
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """Yield a ground of the class's own: nobody else has handed in there."""
    with opened(request.param) as ground:
        yield ground
        assert ground.left_behind() == []


@dataclass(frozen=True)
class Student:
    """A student: the submission, a part of what it reads, and its possible scores."""

    name: str
    source: str
    told: str
    scores: tuple[int, ...]
    limited: bool  # by the manifest's limits: the others have all the time that a busy machine needs
    case: int = 0

    def fault(self, tried: Tried) -> str:
        """Return the difference between the student's result and the table's, empty for none."""
        said = " ".join([tried.told, *(check.message for check in tried.report.checks), *tried.report.notes])
        text = to_json(tried.report)
        if SECRET in text or (str(EXPECTED) in text and RIGHT not in self.source):
            return f"{self.name} reads what is secret"
        if "escaped" in tried.told or self.told not in said or tried.report.score not in self.scores:
            return f"{self.name}: {tried.report.score:g} points: {said}"
        late = self.limited and tried.report.seconds > TOTAL + 60  # a minute for a busy machine
        return f"{self.name} took {tried.report.seconds} s" if late else ""


def students(ground: Ground) -> list[Student]:
    """Return the class, without Alice."""
    found = [attack for folder in FOLDERS for attack in attacks(folder) if attack.name not in APART]
    return [student for attack in found for student in (by_case(attack) or [alone(ground, attack)])]


def alone(ground: Ground, attack: Attack) -> Student:
    """Return the student of an attack that tries one thing."""
    told = attack.line("told", "held")
    source = ground.preamble(attack.name) + attack.source
    return Student(attack.name, source, told, (50,) if told == "held" else (0,), limited=told in LIMITS)


def by_case(attack: Attack) -> list[Student]:
    """Return the students of an attack of many cases: one for each."""
    if attack.name in {"any_bytes", "any_value"}:  # costs the check of this request, or of the next one
        rows = [
            (case, told, (50,) if told else (50, 100), RIGHT) for case, (told, _) in cases(attack).items()
        ]
    elif attack.name in {"liars", "raised"}:  # the hidden check gives no points
        rows = [(case, "", (50,), "") for case in cases(attack)]
    elif attack.name == "endings":
        rows = [(case, "", (0, 50), "") for case in cases(attack)]
    else:
        return []
    return [
        Student(
            f"{attack.name}-{number:02}",
            f"{with_case(attack, case)}{more}",
            told,
            scores,
            attack.name == "endings" or any(limit in told for limit in LIMITS),
            number,
        )
        for number, (case, told, scores, more) in enumerate(rows)
    ]


def graded(ground: Ground, sources: dict[str, str]) -> dict[str, Tried]:
    """Grade a class by the real command; return everybody's result."""
    results = ground.root / "home" / "results.db"
    for folder in {*(ground.root / "students").iterdir()} - {ground.root / "students" / "alice"}:
        shutil.rmtree(folder)
    for student, source in sources.items():
        ground.hand_in(source, student=student)
    grade, works = ground.python.with_name("grade"), ground.root / "students"
    # In one worker, whose launcher has imported less when it forks the first jail: that is no Alice's.
    done = ground.run([str(w) for w in (grade, "batch", "vault", works, "--results", results, "--jobs", 1)])
    printed = (done.stdout + done.stderr).decode(errors="replace")
    assert done.returncode == 0, printed
    assert SECRET not in printed
    with Store(results) as store:
        found = {result.student: Tried(result.report, printed) for result in store.results("vault")}
    results.unlink()
    assert set(found) == {*sources, "alice"}, printed
    return found


def test_everybody_gets_what_their_table_says(ground: Ground) -> None:
    """No attack gets hold of anything, or of a point that is not its own; Alice's result is always the same."""
    table = [student for student in students(ground) if not student.limited and not student.case % SOME]

    faults = faults_of(ground, table, AT_LEISURE)

    assert faults == []
    assert len(table) > 60


@pytest.mark.ci
def test_every_other_case_gets_what_its_table_says(ground: Ground) -> None:
    """The same for the cases that are not among those."""
    table = [student for student in students(ground) if not student.limited and student.case % SOME]

    faults = faults_of(ground, table, AT_LEISURE)

    assert faults == []
    assert len(table) > 80


@pytest.mark.ci
def test_everybody_is_held_to_the_limits(ground: Ground) -> None:
    """The same for those who come to an end by a limit."""
    table = [student for student in students(ground) if student.limited]

    faults = faults_of(ground, table, {"load_seconds": 1, "check_seconds": 0.5, "total_seconds": TOTAL})

    assert faults == []
    assert len(table) > 5


def faults_of(ground: Ground, table: list[Student], limits: dict[str, float]) -> list[str]:
    """Grade a class with an Alice after every fourth of the table; return what is not as it should be."""
    sources = {student.name: student.source for student in table}
    alices = {f"{student.name}-then-alice": ALICE for student in every(4, table)}

    with ground.limits(**limits):
        found = graded(ground, BEFORE_ALL | sources | alices)

    assert max(found[name].report.started for name in BEFORE_ALL) <= min(
        found[name].report.started for name in sources
    )
    before = timeless(found["0-alice"].report)
    faults = [fault for student in table if (fault := student.fault(found[student.name]))]
    changed = [name for name in alices if timeless(found[name].report) != before]
    return faults + changed + (["Alice has points"] if before.score else [])


GUARDED = [
    pytest.param(attack, id=f"{folder}-{attack.name}")
    for folder in FOLDERS
    if folder != "neighbours"  # see test_9_neighbours.py
    for attack in attacks(folder)
    if attack.line("guard", "") and attack.name not in {"privileges", "printed_report", "terminal"}
]


@pytest.mark.whole
@pytest.mark.parametrize("attack", GUARDED)
def test_it_succeeds_without_its_guard(weak_ground: Ground, attack: Attack) -> None:
    """What the grader does without one of its measures, the student gets hold of."""
    if attack.name == "trace":
        skip_where_nobody_traces()
    it_succeeds_without_its_guard(weak_ground, attack)
