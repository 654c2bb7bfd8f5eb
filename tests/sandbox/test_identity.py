"""Identity, comparison, hash and text of proxies are local; `str`, `format` and `isinstance` are checked by type."""

import re

import pytest
from sandbox.cells import TERM, VALUE

from grader.sandbox.proxy import label_of


def test_one_object_is_one_proxy(any_jail):
    """`is` holds for one object, however it was reached."""
    box = any_jail(VALUE, "a = Value(1.0)\nb = Value(2.0, parent=a)\nall_ = [a, b]\nsame = {'a': a}")

    a = box.get("a")

    assert box.get("a") is a
    assert box.get("b").parent is a
    assert box.get("all_")[0] is a
    assert box.get("same")["a"] is a
    assert box.get("b") is not a


def test_comparison_and_hash_are_local(jail):
    """An object that equals everything in the jail equals only itself here."""
    box = jail("""
        class Yes:
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            def __hash__(self): return 0
            def __bool__(self): return False
        x, y = Yes(), Yes()
    """)
    x, y = box.get("x"), box.get("y")

    with box.refuse_requests():
        assert x == x  # noqa: PLR0124
        assert x != y
        assert x != 5
        assert x
        assert {x, y, x} == {y, x}
        assert {x: 1}[x] == 1


def test_text_is_local_and_bounded(jail):
    """`repr` never runs the student's code, and `str` and `format` do not while a failure is explained."""
    box = jail(
        f"""
        class {"V" * 5000}:
            def __repr__(self): raise RuntimeError("never asked")
            __str__ = __format__ = __repr__
        x = {"V" * 5000}()
        make = type(x)
        """
    )
    x = box.get("x")

    with box.refuse_requests():
        texts = [repr(x), str(x), f"{x}", repr([x])]

    assert texts == ["<x>", "x", "x", "[<x>]"]
    assert repr(x) == "<x>"
    assert len(repr(box.get("make")())) < 200


WRITTEN = """
class Box:
    def __init__(self, number): self.number = number
    def __repr__(self): return f"Box({self.number})"
    def __format__(self, spec): return f"[{self.number:{spec}}]"
"""


def test_str_and_format_are_the_students(jail):
    """`str` and `format` call the student's own methods; the label is not used."""
    box = jail(WRITTEN).get("Box")(3)

    assert (str(box), f"{box:03}", format(box, "03"), f"{box!s}") == ("Box(3)", "[003]", "[003]", "Box(3)")
    assert f"{box}" == "[3]"


def test_a_class_without_a_text_of_its_own(jail):
    """Its text is Python's own, with an address, and not the label."""
    box = jail("class Box:\n    def __init__(self, number): pass").get("Box")(3)

    assert re.fullmatch(r"<.*Box object at 0x[0-9a-f]+>", str(box))
    assert str(box) == f"{box}"
    assert repr(box) != "Box(3)"


@pytest.mark.parametrize(
    ("gives", "error", "words"),
    [
        ("1 / 0", ZeroDivisionError, "division by zero"),
        ("5", TypeError, "__str__ returned non-string"),
        ("'x' * 70_000", TypeError, r"^str\(Box\(\)\) is a value that was not read: it is too long a text$"),
    ],
)
def test_a_text_that_cannot_be_read(jail, gives, error, words):
    """It raises an error; the label does not replace the text."""
    box = jail(f"class Box:\n    def __str__(self): return {gives}").get("Box")()

    with pytest.raises(error, match=words):
        str(box)


def test_a_deep_expression_has_a_bounded_text(jail):
    """The label of a long chain is cut."""
    x = jail(TERM).get("a")

    for _ in range(100):
        x = x + 1

    assert len(label_of(x)) <= 120


def test_dunder_lookups_never_reach_the_jail(jail):
    """Special names that Python and pytest look up do not exist on a proxy."""
    box = jail("class Greedy:\n    def __getattr__(self, name): return 42\nx = Greedy()")
    x = box.get("x")

    with box.refuse_requests():
        for name in ("__wrapped__", "__array__", "__name__", "__dict__", "__fspath__", "__iter_nothing__"):
            assert not hasattr(x, name)
    assert x.anything == 42


def test_hasattr_works(jail):
    """It asks for the attribute, as in the student's own notebook."""
    a = jail(VALUE).get("Value")(1.0)

    assert hasattr(a, "grad")
    assert not hasattr(a, "_backward")


def test_isinstance_against_the_students_classes(jail):
    """It is right for instances, subclasses, other classes and plain values."""
    box = jail("class A: pass\nclass B(A): pass\nclass C: pass\nb = B()")
    a_class, b_class, c_class, b = (box.get(name) for name in ("A", "B", "C", "b"))

    assert isinstance(b, b_class)
    assert isinstance(b, a_class)
    assert not isinstance(b, c_class)
    assert not isinstance(2.5, a_class)
    assert isinstance(b, (c_class, a_class))


def test_isinstance_does_not_ask_the_class(jail):
    """A metaclass that says yes, and an object that lies about its class, are not believed."""
    box = jail("""
        class Meta(type):
            def __instancecheck__(cls, instance): return True
        class Yes(metaclass=Meta): pass
        class Liar:
            @property
            def __class__(self): return Yes
        x = Liar()
    """)

    assert not isinstance(box.get("x"), box.get("Yes"))
