"""The report: its schema, its text, its scores."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from explained import explained

from grader.report import clean, from_json, json_schema, rounded, to_json

ROOT = Path(__file__).parents[2]
SUBMISSIONS = {
    "stub": ROOT / "assignments" / "day2" / "day2_backward_pass.ipynb",
    "reference": ROOT / "solutions" / "day2" / "day2_backward_pass.py",
    "broken": ROOT / "tests" / "engines" / "broken.py",
}


def test_schema_in_docs_is_the_types():
    """docs/report.schema.json is made from grader/report.py; write it again when this fails."""
    assert (ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8") == json_schema()


@pytest.mark.slow(after=1)
@pytest.mark.parametrize("name", SUBMISSIONS)
def test_every_report_validates(name):
    """What `grade --format json` prints is of the schema, and reads back as it was."""
    command = [Path(sys.executable).with_name("grade"), "day2", SUBMISSIONS[name], "--format", "json"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout

    jsonschema.validate(json.loads(printed), json.loads(json_schema()))
    assert to_json(from_json(printed)) == printed


def test_clean_takes_out_what_commands_a_terminal():
    """Control, bidirectional and private characters become spaces; newlines stay."""
    assert clean("a\x1b[31mb\u202ec\ud800\n") == "a [31mb c \n"


def test_clean_bounds_the_length():
    """At most the limit, with dots where something was cut."""
    assert clean("x" * 50, 10) == "xxxxxxx..."


def test_scores_are_rounded_only_outside():
    """Two places, from exact fractions."""
    assert rounded(Fraction(20, 3)) == 6.67


def test_a_report_of_an_earlier_version_still_loads():
    """It holds `hint`, which nothing ever set, in each check."""
    report = explained()
    written = json.loads(to_json(report))
    for check in written["checks"]:
        check["hint"] = None

    assert from_json(json.dumps(written)) == report
