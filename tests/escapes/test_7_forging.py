"""Promise 7: a submission forges no result, learns no expected value and sees no text of a check.

What is looked for lies in the process of the grader alone: with the guard `process` taken out, the
submission runs there, as it does with those who import it, and each of these attacks gets what it wants.
What comes out is compared as plain data; that guard is the protocol itself and cannot be taken out, so
the liars and the exits are shown beside it on a grader that imports them.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from escapes.ground import EXPECTED, HERE, Attack, Ground, attacks
from escapes.stories import cases, it_is_held, it_succeeds_without_its_guard, with_case

ATTACKS = {attack.name: attack for attack in attacks("forging")}
PRINTED = ATTACKS["printed_report"]
PLAIN = [attack for attack in ATTACKS.values() if attack is not PRINTED]
GUARDED = [attack for attack in PLAIN if attack.line("guard", "")]


@pytest.mark.whole
@pytest.mark.parametrize("attack", GUARDED, ids=lambda attack: attack.name)
def test_succeeds_without_its_guard(weak_ground: Ground, attack: Attack) -> None:
    it_succeeds_without_its_guard(weak_ground, attack)


# --- What is printed


def test_a_printed_report_reaches_nobody(ground: Ground) -> None:
    """It is neither a report nor a text beside the report."""
    tried = it_is_held(ground, PRINTED)

    assert "forged" not in tried.printed


@pytest.mark.whole
def test_a_printed_report_is_the_first_without_its_guard(weak_ground: Ground) -> None:
    """Its report comes before the grader's where it has the grader's descriptors."""
    path = weak_ground.submission(PRINTED)

    done = weak_ground.run([str(weak_ground.python), str(HERE / "without.py"), "process", str(path)])

    first = next(line for line in done.stdout.splitlines() if line.startswith(b"{"))
    assert b'"score": 100.0, "outcome": "passed", "forged": true' in first


# --- What is compared, and how a test is left


LIARS, WAYS = ATTACKS["liars"], ATTACKS["raised"]


@pytest.mark.whole
@pytest.mark.parametrize("liar", cases(LIARS))
def test_a_liar_is_believed_where_it_is_compared_itself(liar: str) -> None:
    """At least one of the usual comparisons believes it."""
    value = cases(LIARS)[liar]

    comparisons = [
        lambda: value == pytest.approx(EXPECTED),
        lambda: abs(value - EXPECTED) < 1e-9,
        lambda: math.isclose(value, EXPECTED),
    ]

    assert any(compare() for compare in comparisons)


@pytest.mark.whole
@pytest.mark.parametrize("way", ["skip", "expected to fail", "exit at once"])
def test_a_way_out_is_a_pass_where_the_exit_code_counts(tmp_path: Path, way: str) -> None:
    """Plain pytest over a submission that it imports ends with 0, as if all tests had passed."""
    (tmp_path / "vault.py").write_text(with_case(WAYS, way), encoding="utf-8")
    (tmp_path / "test_vault.py").write_text(
        f"from vault import answer\ndef test_answer():\n    assert answer() == {EXPECTED}\n", encoding="utf-8"
    )

    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--import-mode=prepend", "."]
    # The plugins of these tests would take a second to load.
    plain = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=plain, capture_output=True, check=False)

    assert done.returncode == 0
