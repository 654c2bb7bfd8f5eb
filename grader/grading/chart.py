"""Which of the charts of a check's tests the student sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.manifest import CheckSpec
    from grader.report import Chart
    from grader.topic import TestResult


def chosen_chart(outcome: Outcome, spec: CheckSpec, results: Sequence[TestResult]) -> Chart | None:
    """Of the failing test that the message is about; of a check that passed, the one with most bars.

    Of that check one that tells what it was given comes before one that does not.

    The numbers of a hidden test are nobody's to see, unless the manifest reveals them.
    """
    first = next((result for result in results if result.outcome is Outcome.FAILED), None)
    if outcome is Outcome.FAILED and first is not None:
        return first.chart if _is_shown(first, spec) and _tells(first) else None
    if outcome is not Outcome.PASSED:
        return None
    charts = [result.chart for result in results if result.chart and _is_shown(result, spec)]
    return max(charts, key=lambda chart: (bool(chart.given), len(chart.bars)), default=None)


def _tells(result: TestResult) -> bool:
    """Whether the numbers belong to what went wrong: a test that stopped before them has only zeros to show."""
    read = result.failure is not None and bool(result.failure.readings)
    return read or (result.chart is not None and any(bar.value for bar in result.chart.bars))


def _is_shown(result: TestResult, spec: CheckSpec) -> bool:
    return result.test.visibility == "visible" or spec.reveal == "values"
