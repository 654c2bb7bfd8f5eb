"""A report for a student who can still push: outcomes and explanations of hidden checks, no numbers.

Hidden tests show nothing of theirs but where the manifest says `reveal: values`. That is for the final grade:
told at each push, it would let a student collect the questions and the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from grader.report import Outcome

if TYPE_CHECKING:
    from grader.manifest import Manifest
    from grader.report import CheckResult, Report


def without_hidden_numbers(report: Report, manifest: Manifest) -> Report:
    """Return the report without what `reveal: values` lets a hidden test show."""
    checks = [_veiled(check) if _reveals(check, manifest) else check for check in report.checks]
    return msgspec.structs.replace(report, checks=checks)


def _reveals(check: CheckResult, manifest: Manifest) -> bool:
    """Tell whether numbers of the check may be a hidden test's; a check of an earlier manifest is suspected."""
    spec = manifest.checks.get(check.id)
    return check.visibility != "visible" and (spec is None or spec.reveal == "values")


# Of a hidden test that reveals its values these words may hold some.
_PLAIN = {
    Outcome.FAILED: "A test of this check does not pass.",
    Outcome.TODO: "This is still to be written.",
}


def _veiled(check: CheckResult) -> CheckResult:
    message = check.message if check.see else _PLAIN.get(check.outcome, check.message)
    return msgspec.structs.replace(check, message=message, readings=[], chart=None)
