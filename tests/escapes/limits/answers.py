"""Answers with more than there is room for in a message.

limits: memory_mb=100 check_seconds=5 total_seconds=20
told: was not read
"""


def numbers():
    """A list of a million."""
    return [0.5] * 1_000_000


def text():
    """Sixteen million letters."""
    return "held" * 4_000_000


def digits():
    """A number of a million digits."""
    return 10**10**6


def table():
    """Many texts of middling length."""
    return {str(n): "x" * 1000 for n in range(9000)}


def words():
    """More text than memory, when it is written out.

    told: memory_mb
    """
    return ["x" * 50_000] * 3_000


def objects():
    """Thousands of objects, again and again.

    asks: [student.objects() for _ in range(5)]
    told: more than 20000 objects
    """
    return [object() for _ in range(9_990)]


def complains():
    """An exception of twenty million letters.

    told: ValueError: xxx
    """
    raise ValueError("x" * 20_000_000)


def is_named():
    """A class whose name is a million letters long.

    told: a xxx
    """
    return type("x" * 1_000_000, (), {})()


def misses():
    """A name of a million letters that is not defined.

    told: NameError: name 'xxx
    """
    return eval("x" * 1_000_000)


def has():
    """An object with a hundred thousand attributes.

    told: a Thing
    """
    thing = type("Thing", (), {})()
    for n in range(10**5):
        setattr(thing, f"a{n}", n)
    return thing


def repeats():
    """A billion items that are all the same one.

    told: a list of two entries
    """
    found = [1]
    for _ in range(30):
        found = [found, found]
    return found
