"""Tiny assignments: a check or two, to see what grading makes of them."""

X_IS_ONE = '''
"""x is one."""

def test_x(student):
    """x is 1."""
    assert student.x == 1
'''
Y_IS_TWO = '''
"""y is two."""

def test_y(student):
    """y is 2."""
    assert student.y == 2
'''
THREE_TESTS = """
def test_x(student):
    assert student.x == 1

def test_y(student):
    assert student.y == 2

def test_z(student):
    assert student.z == 3
"""
BROKEN = "def test_broken(student:\n"
SPIN = "def spin():\n    while True: pass\n"


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def name_of(test):
    """Check, side and test, and the order of sets where it is not the usual one."""
    order = "" if test.order == "forward" else f"[{test.order}]"
    return f"{test.check}/{test.visibility}/{test.name}{order}"


def outcomes(report):
    return {check.id: check.outcome.value for check in report.checks}


def scores(report):
    return {check.id: check.score for check in report.checks}


def message_of(report, check=None):
    """What was asked, and the message of one check; of the only one where none is named."""
    (found,) = (c for c in report.checks if check in (None, c.id))
    return f"{found.asked} {found.message}".strip()
