"""From a root its leaves can be found, and the paths down to each of them counted."""


def leaf_names(student, root, title):
    found = student.leaves_of(root)
    assert isinstance(found, list | tuple | set | frozenset), (
        "`leaves_of` should return a list or a set of Values."
    )
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


def test_one_path(student):
    """In L = a * b + c there is one path to each leaf."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = a * b + c
    assert student.count_paths(L, a) == 1
    assert student.count_paths(L, b) == 1
    assert student.count_paths(L, c) == 1


def test_two_paths(student):
    """In L = (a * b + c) * (a + b) there are two paths to a and to b, and one to c."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = (a * b + c) * (a + b)
    assert student.count_paths(L, a) == 2
    assert student.count_paths(L, b) == 2
    assert student.count_paths(L, c) == 1
