"""The report: its schema, its text, its scores."""

import json
from fractions import Fraction
from inspect import cleandoc

import jsonschema
import msgspec
import pytest
from explained import explained
from helpers import COURSE

from grader.report import Report, from_json, round_score, sanitize, to_json


def json_schema():
    """Return the JSON Schema of the report: the text of docs/report.schema.json."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Report)}
    for definition in schema["$defs"].values():
        definition["description"] = cleandoc(definition["description"])  # as Python does it from 3.13 on
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


def test_schema_in_docs_is_the_types():
    """docs/report.schema.json is made from grader/report.py by `json_schema`; write it again when this fails."""
    assert (COURSE / "docs" / "report.schema.json").read_text(encoding="utf-8") == json_schema()


@pytest.mark.parametrize("name", ["stub", "reference", "broken"])
def test_every_report_validates(graded, name):
    """Its JSON is of the schema, and reads back as it was."""
    printed = to_json(graded[name])

    jsonschema.validate(json.loads(printed), json.loads(json_schema()))
    assert to_json(from_json(printed)) == printed


def test_sanitize_takes_out_what_commands_a_terminal():
    """Control, bidirectional and private characters become spaces; newlines stay."""
    assert sanitize("a\x1b[31mb\u202ec\ud800\n") == "a [31mb c \n"


def test_sanitize_bounds_the_length():
    """At most the limit, with dots where something was cut."""
    assert sanitize("x" * 50, 10) == "xxxxxxx..."


def test_scores_are_rounded_only_outside():
    """Two places, from exact fractions."""
    assert round_score(Fraction(20, 3)) == 6.67


def test_a_report_of_an_earlier_version_still_loads():
    """It holds `hint`, which nothing ever set, in each check."""
    report = explained()
    written = json.loads(to_json(report))
    for check in written["checks"]:
        check["hint"] = None

    assert from_json(json.dumps(written)) == report
