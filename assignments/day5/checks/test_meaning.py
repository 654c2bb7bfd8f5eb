"""What a gradient means: which way the root goes, how far, and how far to trust that."""

from pytest import approx

from grader.sandbox import kind_words


def read(student, gradient):
    answer = student.meaning(gradient)
    is_pair = isinstance(answer, list | tuple) and len(answer) == 2
    assert is_pair, f"`meaning` returned {kind_words(answer)}; a pair is asked for, such as ('rises', 0.5)."
    direction, size = answer
    assert isinstance(direction, str), "The first of the pair is a word: 'rises', 'falls' or 'stays'."
    word = direction.strip().lower()
    student.note(f"the word of meaning({gradient:g})", word)
    student.note(f"the size of meaning({gradient:g})", size)
    return word, size


def test_falls(student):
    """With a gradient of -3 the root falls by 3 when the value grows by 1."""
    direction, size = read(student, -3.0)
    assert direction == "falls"
    assert size == approx(3.0)


def test_rises(student):
    """With a gradient of 2 the root rises by 2 when the value grows by 1."""
    direction, size = read(student, 2.0)
    assert direction == "rises"
    assert size == approx(2.0)


def test_fraction(student):
    """A small gradient is a slope, too: with -0.75 the root falls by 0.75, with 0.25 it rises by 0.25."""
    direction, size = read(student, -0.75)
    assert direction == "falls"
    assert size == approx(0.75)
    direction, size = read(student, 0.25)
    assert direction == "rises"
    assert size == approx(0.25)


def test_stays(student):
    """With a gradient of 0 the root stays where it is."""
    direction, size = read(student, 0.0)
    assert direction == "stays"
    assert size == approx(0.0)


def test_promised(answers):
    """f_by_gradient is f at a = 2, moved by the gradient of a times 2."""
    answers.judge("f_by_gradient")


def test_in_truth(answers):
    """f_in_truth is f, computed anew with a = 4."""
    answers.judge("f_in_truth")
