"""`draw()`: the graph below a value, as SVG in a notebook and as lines of text elsewhere."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from grader import draw

SVG = "{http://www.w3.org/2000/svg}"


class Value:
    def __init__(self, data, children=(), op="", label=""):
        self.data, self._prev, self._op, self.label, self.grad = data, children, op, label, 0.0

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")


def product():
    a, b, c = Value(2.0, label="a"), Value(-3.0, label="b"), Value(10.0, label="c")
    return a * b + c


def picture(root):
    return ET.fromstring(draw(root)._repr_svg_())


def boxes(root):
    return [box for box in picture(root).iter(f"{SVG}rect") if box.get("x")]


def texts(root):
    return [text.text or "" for text in picture(root).iter(f"{SVG}text")]


def test_every_node_has_a_box_and_every_input_an_arrow():
    root = product()

    assert len(boxes(root)) == 5
    assert len(list(picture(root).iter(f"{SVG}path"))) == 4
    assert {"a", "b", "c", "data -6", "data 4", "*", "+"} <= set(texts(root))


def test_no_two_boxes_overlap():
    a = Value(2.0)
    b = a + a
    c = a * b
    found = [tuple(float(box.get(k)) for k in ("x", "y", "height")) for box in boxes(c * b + a)]

    for x, y, height in found:
        assert not [other for other in found if other[0] == x and y < other[1] < y + height]


def test_a_value_used_twice_has_two_arrows():
    a = Value(3.0)

    assert len(list(picture(a + a).iter(f"{SVG}path"))) == 2


def test_gradients_are_shown_where_values_have_them():
    root = product()
    root.grad = 1.0
    del root._prev[1].grad

    assert texts(root).count("grad 1") == 1
    assert len([text for text in texts(root) if text.startswith("grad")]) == 4


one = Value(1.0)


def test_a_value_without_a_label_has_its_name_in_the_notebook():
    assert "one" in texts(one)


def test_the_children_of_the_other_engine():
    """Day 5 keeps `_children`; a set of children is drawn in the order of their labels."""
    root = product()
    root._children, root._prev = {*root._prev}, ()

    assert len(boxes(root)) == 5


def test_in_a_terminal_it_is_text(snapshot):
    assert repr(draw(product())).split("\n") == snapshot


def test_a_large_graph_is_not_drawn(snapshot):
    root = Value(1.0)
    for _ in range(5_000):
        root = root + root

    assert repr(draw(root)) == snapshot


def test_a_ring_is_drawn_once_round():
    a = Value(1.0)
    b = a + a
    a._prev = (b,)

    assert len(boxes(b)) == 2


def test_text_is_escaped():
    """Labels, operations and the title of the picture."""
    root = Value(1.0, (Value(1.0),), "<b>", "<i>")

    assert {"<i>", "<b>"} <= set(texts(root))
    assert picture(root).findtext(f"{SVG}title").startswith("<i>, ")


def test_what_is_no_value():
    assert repr(draw(5)) == ""


def test_arrays_are_shown_with_shape_and_rows():
    matrix, large = Value(np.array([[1, 2.5], [0.125, -4]])), Value(np.zeros((9, 3)))
    matrix.grad, large.grad = np.array([3.0, 1e-9]), np.array(2.0)

    assert texts(matrix)[2:] == [
        "data (2, 2)",
        " 1 2.5",
        " 0.125 -4",
        "grad (2,)",
        " 3 1e-09",
    ]
    assert texts(large)[2:] == ["data (9, 3)", "grad 2"]
    assert repr(draw(matrix)).endswith("data (2, 2), 1 2.5, 0.125 -4, grad (2,), 3 1e-09")
