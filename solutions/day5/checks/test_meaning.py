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


def test_random(student, rng):
    """Random gradients of either sign."""
    up, down = rng.uniform(10, 90), rng.uniform(-90, -10)
    direction, size = read(student, up)
    assert direction == "rises"
    assert size == approx(up)
    direction, size = read(student, down)
    assert direction == "falls"
    assert size == approx(-down)


def test_whole_numbers(student):
    """A gradient may be an int."""
    direction, size = read(student, -4)
    assert direction == "falls"
    assert size == approx(4)
    direction, size = read(student, 0)
    assert direction == "stays"
    assert size == approx(0)
