"""Reading gradients: the sign says which way, the size says how much."""

from pytest import approx


def test_strongest(student):
    """strongest."""
    assert student.strongest == "a"


def test_leverage(student):
    """leverage_a_over_c."""
    assert student.leverage_a_over_c == approx(3.0)


def test_nudge_up(student):
    """nudge_up."""
    answer = student.quietly("nudge_up")
    assert isinstance(answer, list | tuple | set), "`nudge_up` must be a list of names."
    names = sorted(str(name) for name in answer)
    student.note("nudge_up", names)
    assert names == ["b", "c"]
