"""From a root its leaves can be found, and the paths down to each of them counted."""

from grader.sandbox import kind_words


def leaf_names(student, root, title):
    found = student.leaves_of(root)
    assert isinstance(found, list | tuple | set | frozenset), (
        f"`leaves_of` returned {kind_words(found)}; a list or a set of Values is asked for."
    )
    others = [item for item in found if isinstance(item, str | int | float)]
    assert not others, f"`leaves_of` returned {kind_words(found)}; the Values themselves are asked for."
    labels = map(student.called, found)
    names = sorted("another Value" if "leaves_of" in label else label for label in labels)
    student.note(f"leaves_of({title})", names)
    return names


def test_leaf_of_itself(student):
    """The only leaf of a leaf is the leaf."""
    (a,) = student.leaves(a=2.0)
    assert leaf_names(student, a, "a") == ["a"]


def test_leaves_of_product(student):
    """The leaves of L = a * b + c are a, b and c."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = a * b + c
    assert leaf_names(student, L, "L") == ["a", "b", "c"]


def test_each_leaf_once(student):
    """The leaves of L = (a * b + c) * (a + b) are a, b and c, each once."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = (a * b + c) * (a + b)
    assert leaf_names(student, L, "L") == ["a", "b", "c"]


def test_equal_numbers(student):
    """Two leaves that both hold 2 are two leaves."""
    a, b = student.leaves(a=2.0, b=2.0)
    L = a + b
    assert leaf_names(student, L, "L") == ["a", "b"]


def test_path_to_itself(student):
    """From a leaf to itself there is one path, and to another leaf none."""
    a, b = student.leaves(a=2.0, b=-3.0)
    assert student.count_paths(a, a) == 1
    assert student.count_paths(a, b) == 0


def test_path_to_a_child(student):
    """In L = a + b there is one path to a and one to b."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a + b
    assert student.count_paths(L, a) == 1
    assert student.count_paths(L, b) == 1


def test_one_path(student):
    """In L = a * b + c there is one path to each leaf."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = a * b + c
    assert student.count_paths(L, b) == 1
    assert student.count_paths(L, a) == 1
    assert student.count_paths(L, c) == 1


def test_two_paths(student):
    """In L = (a * b + c) * (a + b) there are two paths to a and to b, and one to c."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = (a * b + c) * (a + b)
    assert student.count_paths(L, a) == 2
    assert student.count_paths(L, b) == 2
    assert student.count_paths(L, c) == 1


def test_three_paths(student):
    """In b = 3 * a, c = a + b, d = b * c there are three paths from d to a: one by b, two by c."""
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    c = a + b
    d = b * c
    assert student.count_paths(d, a) == 3


def test_no_path(student):
    """In L = a * b there is no path to c, although c holds the same number as a."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=2.0)
    L = a * b
    assert student.count_paths(L, c) == 0


def test_second_graph(student):
    """The leaves of c + d are c and d: a second call knows nothing of the first."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=10.0, d=0.5)
    student.leaves_of(a * b)
    L = c + d
    assert leaf_names(student, L, "L") == ["c", "d"]


def test_only_looks(student):
    """leaves_of leaves the graph as it is: asked twice, it finds the leaves of a * b + c twice."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = a * b + c
    student.leaves_of(L)
    assert leaf_names(student, L, "L") == ["a", "b", "c"]
