"""What the harness knows of its subject: nothing outside of the package of that subject.

An assignment about something else is graded, diagnosed and validated like any other.
"""

from __future__ import annotations

import re
from pathlib import Path

GRADER = Path(__file__).resolve().parents[1] / "grader"

# In identifiers too: `make_leaf` and `PyTorch` hold such a word, `grade` and `ValueError` none.
SUBJECT = re.compile(
    r"(?<![a-z])(grads?|gradients?|backward|backprop\w*|autograd|(py)?torch|parity|oracle|micrograd"
    r"|derivatives?|tanh|leaf|leaves(?! (it|them|its|what|an?|the|out|nothing)\b))(?![a-z])",  # a verb has an object
    re.IGNORECASE,
)
VALUE = re.compile(r"\bValue\b")

# What may say such a word all the same: a part of the line, and why.
ALLOWED = {
    ("__init__.py", "backpropagation from scratch"): "what the package is for, in one line",
    ("topic.py", 'TOPICS = {"autograd"'): "the one place that looks a topic up",
    ("render/fragment.py", "linear-gradient("): "CSS",
}


def test_nothing_outside_of_its_package_speaks_of_the_subject() -> None:
    """Neither code nor comments nor messages: an assignment may be about anything."""
    found = []
    for path in sorted(GRADER.rglob("*.py")):
        name = path.relative_to(GRADER).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            allowed = any(file == name and part in line for file, part in ALLOWED)
            if not name.startswith("autograd/") and not allowed:
                words = [match[0] for pattern in (SUBJECT, VALUE) for match in pattern.finditer(line)]
                found += [f"grader/{name}, line {number}: {word}: {line.strip()}" for word in words]
    assert not found, "\n".join(found)


def test_no_exception_outlives_its_line() -> None:
    """What is allowed above stands there still."""
    gone = [key for key in ALLOWED if key[1] not in (GRADER / key[0]).read_text(encoding="utf-8")]
    assert gone == []
