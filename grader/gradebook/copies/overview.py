"""`grade copies`: the submissions of a class that agree in an unlikely way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.console import say, show
from grader.errors import Refused
from grader.files import write_text
from grader.gradebook.copies.agreement import Handed, compare, faults_of
from grader.gradebook.copies.words import CAUTION, MOST_SHOWN, class_words, names_of, odds_words
from grader.gradebook.grade import grades_of
from grader.gradebook.settings import collected_works
from grader.gradebook.store import Store, results_option
from grader.render import wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.copies.agreement import Agreement, Comparison, Fault

MOST_FAULTS = 12  # of a pair, in a terminal
WIDTH = 100  # columns


def run_copies(
    assignment: Assignment,
    results: Path,
    source: Path | None,
    *,
    html: Path | None = None,
    folder: Path | None = None,
    base: Sequence[Path] = (),
) -> None:
    """List unlikely agreements; with `html` also write a page, with `folder` only the folder. Raises Refused."""
    if base and folder is None:
        raise Refused("--base names files for the exported folder; add --export DIR")
    if source is None and (html or folder):
        source = collected_works(assignment)
    if source is not None and folder is not None:
        from grader.gradebook.copies.export import export

        if html:
            raise Refused("--html and --export: use one of them at a time")
        export(assignment, source, folder, base)
        return
    handed, faults = read_faults(assignment, results)
    comparison = compare(handed, faults)
    show(render_copies(assignment, comparison))
    if source is None:
        if comparison.found:
            line = f"grade copies {assignment.name} SOURCE --html FILE{results_option(results)}"
            say(f"Next: {line} shows both sources side by side")
    elif html is not None:
        from grader.gradebook.copies.page import copies_page
        from grader.gradebook.copies.sources import Sources

        page = copies_page(assignment, comparison, Sources(assignment, source))
        write_text(html, page, assignment.course.root)
        shown = min(len(comparison.found), MOST_SHOWN)
        say(f"{shown} {'pair or group' if shown == 1 else 'pairs and groups'}  {html}")
    else:
        say("note: SOURCE is read only for --html and --export", err=True)


def read_faults(assignment: Assignment, results: Path) -> tuple[list[Handed], dict[str, Fault]]:
    """Return the students of a results file, and their faults by key. Raises Refused."""
    handed: list[Handed] = []
    faults: dict[str, Fault] = {}
    with Store(results) as store:
        for grade, report in grades_of(assignment, store):
            own = [faults.setdefault(fault.key, fault) for fault in faults_of(report)]
            keys = frozenset(fault.key for fault in own)
            handed.append(Handed((grade.student,), keys, report.submission.sha256, grade.work.repository))
        if not handed:
            raise store.no_results(assignment.name)
    return handed, faults


# --- In a terminal


def render_copies(assignment: Assignment, comparison: Comparison) -> str:
    """Return the list of agreements as text."""
    parts = [f"{assignment.name}  {assignment.manifest.title}", class_words(comparison)]
    parts += ["\n".join(_lines(comparison, one)) for one in comparison.found[:MOST_SHOWN]]
    if len(comparison.found) > MOST_SHOWN:
        parts.append(f"{len(comparison.found) - MOST_SHOWN} more pairs and groups are less unlikely.")
    if comparison.found:
        parts.append(wrapped(CAUTION, WIDTH))
    return "\n\n".join(parts) + "\n"


def _lines(comparison: Comparison, one: Agreement) -> list[str]:
    lines = [names_of(one), wrapped(odds_words(comparison, one), WIDTH, "  ")]
    for fault in one.shared[:MOST_FAULTS]:
        same = "" if fault.counts else "(same cause) "
        first, *more = wrapped(f"{same}{fault.words}", WIDTH - 18).splitlines() or [""]
        lines += [
            f"  {fault.holders:>4} of {comparison.students:<6}  {first}",
            *(" " * 18 + line for line in more),
        ]
    if len(one.shared) > MOST_FAULTS:
        lines.append(f"  and {len(one.shared) - MOST_FAULTS} more")
    return lines
