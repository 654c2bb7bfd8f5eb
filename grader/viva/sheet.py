"""A sheet: the questions about one submission, as facts, and the way in which they are found."""

from __future__ import annotations

import functools
import hashlib
import hmac
import itertools
import math
import random
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from grader.report import Outcome
from grader.sandbox import Deadline, SandboxUnavailable
from grader.sandbox.budget import safely
from grader.topic.questions import Asking, Question, SceneWords
from grader.viva.kinds import fill_words, kinds_of
from grader.viva.work import RUNS, ExaminedWork

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from grader.grading.grader import Grader
    from grader.report import Report
    from grader.submissions.submission import Sources
    from grader.topic.questions import QuestionKind, Scene

T = TypeVar("T")
QUESTIONS = 6
TOO_SLOW = (
    "There is no sheet: the questions need many runs of this file, which took longer than {seconds:g} s. "
    "Its cells or functions are slow, or this machine is very busy. Ask without a sheet, or try again."
)
NO_LINES = " Questions are about lines that the student wrote in functions, and no such line was found."
# For one submission, without waiting for a processor. If that is not enough, there is no sheet, rather than an easier one.
SECONDS = 240.0
MIDDLE = 2  # the level of a question on average


def generator(salt: str, *about: str) -> random.Random:
    """Return random numbers from the HMAC of `about`: equal salts and names give equal numbers."""
    text = "\0".join(about).encode(errors="surrogatepass")
    return random.Random(hmac.digest(salt.encode(), text, hashlib.sha256))  # noqa: S311  it is keyed


class Sheet(msgspec.Struct):
    """The questions about one submission; `why` is the reason if there are too few.

    `scene` describes the code that a topic's questions are about.
    """

    assignment: str
    title: str
    student: str
    sha256: str
    topic: str | None = None  # as the manifest names it
    questions: list[Question] = []
    why: str = ""
    scene: SceneWords | None = None
    practice: bool = False
    doubts: list[str] = []  # sentences: reasons why the answers may not be those of the graded code
    key: str = ""  # a hash of everything that the questions depend on

    @property
    def typed(self) -> list[tuple[QuestionKind, Question]]:
        """The questions, each with its kind."""
        return [(kinds_of(self.topic)[one.kind], one) for one in self.questions]

    @property
    def level(self) -> int:
        """The sum of the levels of its questions."""
        return sum(kind.level for kind, _ in self.typed)


def make_sheet(
    grader: Grader,
    sources: Sources,
    *,
    student: str,
    sha256: str,
    salt: str,
    report: Report | None = None,
    count: int = QUESTIONS,
    only: Collection[str] = (),
    practice: bool = False,
) -> Sheet:
    """Return the sheet of one submission. Errors in its code cost questions, never the sheet.

    Each question is asked in two runs with opposite orders of sets, and kept if both give the same answer.
    """
    work = ExaminedWork(grader, sources, deadline=Deadline(SECONDS, steps=math.inf))
    name, manifest = grader.assignment.name, work.manifest
    key = (salt, name, student)
    sheet = Sheet(name, manifest.title, student, sha256, manifest.topic, practice=practice)
    found = _guard(lambda: _find_questions(sheet, work, key, report, only), dict[str, Any]())
    if not work.deadline.left:
        sheet.why, sheet.scene = TOO_SLOW.format(seconds=SECONDS), None
        return sheet
    sheet.questions = _choose(found, kinds_of(sheet.topic), count, generator(*key, "choice"))
    sheet.doubts += filter(None, (fill_words(kind.doubt, one) for kind, one in sheet.typed))
    if len(sheet.questions) < count:
        sheet.why = _why(sheet, only, report, has_scenes=work.topic.examination() is not None)
    return sheet


def _why(sheet: Sheet, only: Collection[str], report: Report | None, *, has_scenes: bool) -> str:
    """Return the reason why a sheet has too few questions, with the first note of the report."""
    count = len(sheet.questions)
    of = f" of the kind {' or '.join(sorted(only))}" if only else ""
    what = f"Only {count} question{'' if count == 1 else 's'}" if count else "No question"
    scene = "" if sheet.scene or not count or not has_scenes else " The work could not be run."
    note = f" The report says: {report.notes[0]}" if report and report.notes else ""
    return f"{what}{of} could be asked about this work.{sheet.why}{scene}{note}"


def _guard(ask: Callable[[], T], otherwise: T) -> T:
    """Return what `ask` returns, or `otherwise` if it fails or its time is used up. Raises SandboxUnavailable."""
    return safely(ask, otherwise, besides=SandboxUnavailable)  # the grader's fault, not the student's


def _find_questions(
    sheet: Sheet, work: ExaminedWork, key: tuple[str, str, str], report: Report | None, only: Collection[str]
) -> dict[str, list[Question]]:
    """Return the questions of each kind on which two runs agree; fill in the sheet's scene and doubts."""
    examination = work.topic.examination()
    make = functools.partial(generator, *key)
    scene = (
        _guard(lambda: examination.scene(work, make, practice=sheet.practice), None) if examination else None
    )
    reached = _guard(lambda: work.find_reached(scene.play), set[Any]()) if scene else set[Any]()
    statements = _guard(lambda: work.statements(reached), list[Any]()) or _guard(work.statements, list[Any]())
    if not statements:
        sheet.why = NO_LINES
        return {}
    sheet.scene = _guard(scene.words, None) if scene else None
    asking = Asking(work, make(), scene, statements, report, sheet.practice)
    wanted = {
        name: kind
        for name, kind in kinds_of(sheet.topic).items()
        if (not only or name in only) and (scene or not examination or name not in examination.kinds)
    }
    passes = list[Any]()
    for each in (work, work.restart("reverse")):
        one = asking._replace(work=each, scene=scene.restart(each) if scene else None)
        passes.append({name: _ask(kind, one._replace(rng=make(name))) for name, kind in wanted.items()})
    first, second = passes
    both = {kind: [one for one in questions if one in second[kind]] for kind, questions in first.items()}
    gone = sum(map(len, first.values())) - sum(map(len, both.values()))
    sheet.doubts = _guard(lambda: [*_doubts(work, scene, report, gone)], list[str]())
    return both


def _doubts(work: ExaminedWork, scene: Scene | None, report: Report | None, gone: int) -> Iterator[str]:
    """Yield sentences for the examiner: where the answers differ from right ones, and what was left out."""
    outcomes = [check.outcome for check in report.checks] if report else []
    passed = outcomes.count(Outcome.PASSED)
    all_passed = passed > 0 and {*outcomes} <= {Outcome.PASSED, Outcome.MANUAL}
    what = "All checks passed, so this contradicts the grading: read the file." if all_passed else ""
    if scene and (found := [*scene.differences()]):
        place, theirs, right = found[0]
        more = f", and {len(found) - 1} more differ" if found[1:] else ""
        says = what or f"{passed} of {len(outcomes)} checks passed: compare with the report."
        yield f"Here `{place}` gave `{theirs}`; right is `{right}`{more}. {says}"
    elif not scene and work.topic.examination() and what:
        yield f"The file ran no graph of the examination. {what}"
    if scene:
        scene.compare()
    yield from dict.fromkeys(work.doubts)
    if gone:
        yield f"Questions left out, because running the file a second time gave another answer: {gone}."
    if work.runs > RUNS:
        yield f"Not every question was tried: {RUNS} runs of the file were not enough for so many lines."
    if work.endless:
        yield f"Runs of the file that took too long or ended their process, and were left out: {work.endless}."
    if work.left:
        yield f"Lines not read, because their function or the file is very long: {work.left}."


def _ask(kind: QuestionKind, asking: Asking) -> list[Question]:
    """Return the questions of a kind, or those before an error or the end of the time."""
    found = list[Any]()

    def every() -> None:
        for question in kind.ask(asking):
            found.append(question)

    _guard(every, None)
    return found


# --- The choice of questions


def _choose(
    found: Mapping[str, Sequence[Question]], kinds: Mapping[str, QuestionKind], count: int, rng: random.Random
) -> list[Question]:
    """Choose at most `count` questions, and return the easier ones first.

    Takes the first question of each kind before a second one, and always the one about a wrong result. No question shows a
    line that is the answer to another one.
    """
    rounds = itertools.zip_longest(*(found[kind] for kind in sorted(found)))
    chosen = list[Any]()
    for each in rounds:
        fresh = [one for one in each if one is not None and all(_apart((one, other)) for other in chosen)]
        if chosen and len(fresh) > count - len(chosen):  # one question that only needs memory is enough
            fresh = [one for one in fresh if one.kind != "theirs"]
        rng.shuffle(fresh)
        fresh.sort(key=lambda one: not kinds[one.kind].first)
        needed = [one for one in fresh if kinds[one.kind].first and not chosen][: count - len(chosen)]
        wanted = MIDDLE * count - sum(kinds[one.kind].level for one in chosen)
        chosen += _balance(
            fresh, needed, {name: kind.level for name, kind in kinds.items()}, count - len(chosen), wanted
        )
        if len(chosen) == count:
            break
    return sorted(chosen, key=lambda one: (kinds[one.kind].level, one.kind, one.key))


def _balance(
    fresh: list[Question], needed: list[Question], levels: Mapping[str, int], count: int, wanted: int
) -> list[Question]:
    """Return as many questions as fit: with the needed ones, and a sum of levels as near as possible to `wanted`."""
    for size in range(min(count, len(fresh)), 0, -1):
        fitting = (
            some
            for some in itertools.combinations(fresh, size)
            if {*map(id, needed)} <= {*map(id, some)} and _apart(some)
        )
        best = min(fitting, key=lambda some: abs(wanted - sum(levels[one.kind] for one in some)), default=())
        if best:
            return list(best)
    return []


def _apart(some: Sequence[Question]) -> bool:
    return not any(one.gives_away(other) for one, other in itertools.permutations(some, 2))
