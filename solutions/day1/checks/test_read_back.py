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


def random_sums(student, rng):
    """Nodes over three leaves, the last one on top of all; and the paths from each node to each leaf."""
    nodes = list(student.leaves(a=1.5, b=1.5, c=-2.0))
    paths = [{"a": 1, "b": 0, "c": 0}, {"a": 0, "b": 1, "c": 0}, {"a": 0, "b": 0, "c": 1}]
    for left in [0, 1, *(rng.randrange(1, 4) for _ in range(3))]:
        right = len(nodes) - 1
        left = left if left != right else 0
        nodes.append(nodes[left] + nodes[right])
        paths.append({name: paths[left][name] + paths[right][name] for name in "abc"})
    return nodes, paths


def test_random_leaves(student, rng):
    """A random graph: from every node its own leaves."""
    nodes, paths = random_sums(student, rng)
    for number in (3, 5, 7):
        wanted = [name for name, count in paths[number].items() if count]
        assert leaf_names(student, nodes[number], f"node {number}") == wanted


def test_random_paths(student, rng):
    """A random graph: the paths from the root to every leaf."""
    nodes, paths = random_sums(student, rng)
    found = [student.count_paths(nodes[-1], leaf) for leaf in nodes[:3]]
    assert found == list(paths[-1].values())


def test_two_graphs(student):
    """A second call knows nothing of the first."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=10.0, d=0.5)
    assert leaf_names(student, a * b, "a * b") == ["a", "b"]
    assert leaf_names(student, c + d, "c + d") == ["c", "d"]
    assert leaf_names(student, a * b, "a * b") == ["a", "b"]


def test_numbers_are_leaves(student):
    """A plain number beside an operator is a leaf as well."""
    (a,) = student.leaves(a=2.0)
    found = leaf_names(student, (a + 1) * (a * 3), "(a + 1) * (a * 3)")
    assert len(found) == 3, f"(a + 1) * (a * 3) has three leaves, a, 1 and 3; here there are {len(found)}."


def test_reuse(student):
    """In b = 3 * a, c = a + b, d = b * c there are three paths to a."""
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    c = a + b
    d = b * c
    assert student.count_paths(d, a) == 3
    assert student.count_paths(c, a) == 2


def test_no_path(student):
    """There is no path to a leaf that was not used, not even to one that holds the same number."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=2.0)
    L = a * b
    assert student.count_paths(L, c) == 0
    assert student.count_paths(L, a) == 1
