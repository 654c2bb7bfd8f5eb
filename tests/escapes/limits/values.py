"""Does not come to an end when something is asked of the value that came out.

limits: check_seconds=0.12 load_seconds=0.2 total_seconds=20
told: check_seconds
"""


def _forever(*_, **__):
    while True:
        pass


class Everything:
    """An object whose special methods never return."""

    __class__ = property(_forever)
    __eq__ = __ne__ = __repr__ = __str__ = __bool__ = __hash__ = __format__ = __reduce__ = _forever
    __len__ = __iter__ = __contains__ = __float__ = __int__ = __index__ = _forever


def _with(name, value=_forever):
    return type("Thing", (), {name: value})()


def is_not_asked():
    """The grader compares, prints and hashes without asking the object.

    told: an Everything
    """
    return Everything()


def is_no_text():
    """Not the subclasses of text and numbers either.

    told: held
    """
    methods = dict.fromkeys(("__eq__", "__str__", "__repr__", "__len__", "__getitem__", "encode"), _forever)
    return type("Text", (str,), methods)("held")


def is_no_class():
    """Not a class with such a metaclass.

    told: the class
    """
    methods = dict.fromkeys(("__getattribute__", "__call__", "__eq__", "__instancecheck__"), _forever)
    return type("Meta", (type,), methods)("Thing", (), {})


def iterates():
    """The loop of a check over it.

    asks: list(student.iterates())
    told: never ends
    """
    while True:
        yield 1


def reads():
    """A property.

    asks: student.reads().slow
    """
    return _with("slow", property(_forever))


def finds():
    """Every attribute.

    asks: student.finds().anything
    """
    return _with("__getattribute__")


def calls():
    """A function that came out, as `_backward` does.

    asks: student.calls()()
    """
    return _forever


def tells():
    """The text of an exception."""
    raise type("Error", (Exception,), {"__str__": _forever})


def ends():
    """Its end, when the next test begins; the next one is told, for its cells have not been run.

    told: a Thing
    """
    return _with("__del__")


def begins_after_it():
    """The one that comes next.

    told: load_seconds
    """
    return "held"
