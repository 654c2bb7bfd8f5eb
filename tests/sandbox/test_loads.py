"""A load serves again: cells are executed once for each order of sets, and every test finds what they made unchanged."""

from textwrap import dedent

import pytest

from grader.sandbox import SubmissionStopped

COUNTING = "import sys\nsys.runs = getattr(sys, 'runs', 0) + 1\ndef runs(): return sys.runs"


def test_cells_are_executed_once_for_each_order(any_jail):
    """A second load in the same order executes nothing, also after one in another order."""
    box = any_jail(COUNTING)

    for order in ("forward", "reverse", "forward", "reverse"):
        box.load(order)

    assert box.get("runs")() == 2


def test_a_training_loop_is_executed_once(jail, snapshot):
    """Its names are there in every load, and its output counts once."""
    box = jail(
        COUNTING,
        """
        class Value:
            def __init__(self, data): self.data, self.grad = data, 0.0
        def train(model, steps):
            for step in range(steps):
                model[0].data -= 0.1
                print(step)
            return model
        """,
        "model = train([Value(1.0)], 5)\nloss = model[0].data",
    )

    for _ in range(5):
        box.load()

    assert box.get("runs")() == 1
    assert box.get("loss") == box.get("model")[0].data == pytest.approx(0.5)
    assert box.printed == snapshot


# What a test may change: how it is made, changed and read. All of it is put back without executing the cells.
PUT_BACK = {
    "global": ("count = 0", "global count; count += 1", "count"),
    "new name": ("", "global late; late = 1", "'late' in globals()"),
    "deleted name": ("x = 1", "global x; del x", "'x' in globals()"),
    "list": ("log = [1]", "log.append(2)", "log"),
    "memo": ("memo = {}", "memo['a'] = 1", "memo"),
    "class attribute": ("class Box: made = 0", "Box.made += 1", "Box.made"),
    "new class attribute": ("class Box: pass", "Box.other = 1", "hasattr(Box, 'other')"),
    "method": ("class Box:\n    def f(self): return 1", "Box.f = lambda self: 2", "Box().f()"),
    "class with a metaclass": ("class M(type): pass\nclass Box(metaclass=M): a = 1", "Box.a = 2", "Box.a"),
    "closure": (
        "def make():\n    n = 0\n    def f():\n        nonlocal n; n += 1; return n\n    return f, lambda: n\nf, g = make()",
        "f()",
        "g()",
    ),
    "default": ("def f(x, kept=[]):\n    kept.append(x); return kept", "f(1)", "f.__defaults__"),
    "function attribute": ("def f(): pass\nf.calls = 0", "f.calls += 1", "f.calls"),
    "decorator": (
        "import functools\ndef counted(f):\n    @functools.wraps(f)\n    def g():\n        g.n.append(1)\n    g.n = []\n    return g\n"
        "@counted\ndef f(): pass\nf.n.append(1)",
        "f.n = 5",
        "f.n",
    ),
    "exec": ("exec('log = []')", "exec('log.append(1)')", "log"),
    "from one list to the next": ("a, b = [1], []", "b.append(a.pop())", "(a, b)"),
}  # fmt: skip

# Here the cells are executed again after a change.
MADE_ANEW = {
    "set": ("seen = {1}", "seen.add(2)", "sorted(seen)"),
    "instance": ("class Box: pass\nbox = Box(); box.a = 1", "box.a = 2", "box.a"),
    "slots": ("class Box:\n    __slots__ = ('a',)\nbox = Box(); box.a = 1", "box.a = 2", "box.a"),
    "dataclass": ("from dataclasses import dataclass\n@dataclass\nclass Box: a: int\nbox = Box(1)", "box.a = 2", "box.a"),
    "renamed key": ("d = {'a': None}", "d['b'] = d.pop('a')", "list(d)"),
    "order of keys": ("d = {'a': None, 'b': None}", "d['a'] = d.pop('a')", "list(d)"),
    "counter": ("import itertools\nids = itertools.count()", "next(ids)", "repr(ids)"),
    "iterator": ("it = iter([1, 2])", "next(it)", "it.__length_hint__()"),
    "own random": ("import random\nown = random.Random(1)", "own.random()", "own.getstate()"),
    "zip": ("it = iter([1, 2])\npairs = zip(it)", "next(pairs)", "it.__length_hint__()"),
    "module of its own": (
        "import types\nown = types.ModuleType('own'); own.log = [set()]", "own.log[0].add(1)", "len(own.log[0])"),
    "globals of its own": (
        "space = {}; exec('seen = set()\\ndef f(): seen.add(1)\\ndef g(): return len(seen)', space)\n"
        "f, g = space['f'], space['g']; del space", "f()", "g()"),
    "numpy's generator": ("import numpy.random\nown = numpy.random.default_rng(1)\nown.bit_generator.state", "own.random()", "own.bit_generator.state"),
    "cache": ("from functools import cache\nmade = []\n@cache\ndef f(): made.append(1)", "f()", "made"),
    "memo by object": ("class K: pass\nk = K()\nmemo = {k: 1}", "memo[k] = 2", "memo[k]"),
    "deque": ("from collections import deque\nd = deque([1])", "d.append(2)", "list(d)"),
    "defaultdict": ("from collections import defaultdict\nd = defaultdict(int)", "d['a'] += 1", "dict(d)"),
    "exception": ("error = ValueError('a')", "error.args = ('b',)", "error.args"),
    "array": ("import numpy\na = numpy.zeros(3)", "a[0] = 1", "a.tolist()"),
    "module": ("import math\nmath.tau = 5", "math.tau = 6", "math.tau"),
    "built-in function": ("import builtins\nbuiltins.ten = 10", "builtins.ten = 11", "ten"),
}  # fmt: skip

# Here the cells are executed for every test: whether something has changed cannot be read.
UNREADABLE = {
    "renamed attribute": ("class Box: pass\nbox = Box(); box.a = None", "box.b = box.a; del box.a", "vars(box)"),
    "generator": ("def g():\n    yield 1\n    yield 2\nit = g()", "next(it)", "next(it)"),
    "bytes": ("b = bytearray(b'a')", "b[0] = 66", "bytes(b)"),
    "ordered": ("from collections import OrderedDict\nd = OrderedDict(a=1, b=1)", "d.move_to_end('a')", "list(d)"),
}  # fmt: skip


# Ways to what `change` does not name.
ROUNDABOUT = {
    "method": ("log = []\nclass Box:\n    def add(self): log.append(1)", "Box().add()", "log"),
    "inner function": ("log = []", "(lambda: [log.append(i) for i in range(2)])()", "log"),
    "class body": ("log = []", "class Box: log.append(1)", "log"),
    "callee": ("log = []\ndef one(): two()\ndef two(): log.append(1)", "one()", "log"),
    "partial": ("import functools\nlog = []\nadd = functools.partial(list.append, log)", "add(1)", "log"),
    "bound method": ("log = []\nadd = log.append", "add(1)", "log"),
    "default": ("log = []\ndef add(to=log): to.append(1)", "add()", "log"),
    "cell": ("log = []\ndef adder(to): return lambda: to.append(1)\nadd = adder(log)", "add()", "log"),
    "registry of subclasses": (
        "class Base:\n    known = []\n    def __init_subclass__(cls): Base.known.append(cls); cls.n = []\nclass Sub(Base): pass",
        "Base.known[0].n.append(1)", "Sub.n"),
    "__subclasses__": ("class Base: pass\nclass Sub(Base): n = []", "Base.__subclasses__()[0].n.append(1)", "Sub.n"),
    "metaclass": (
        "log = []\nclass M(type):\n    def __call__(cls): log.append(1); return type.__call__(cls)\nclass Box(metaclass=M): pass",
        "Box()", "log"),
    "class of an instance": (
        "log = []\ndef made():\n    class Box:\n        def add(self): log.append(1)\n    return Box()\nbox = made()", "box.add()", "log"),
    "descriptor": ("log = []\nclass D:\n    def __get__(self, *_): log.append(1)\nclass Box: d = D()", "Box().d", "log"),
    "lru_cache": ("import functools\nlog = []\n@functools.lru_cache\ndef f(): log.append(1)", "f()", "log"),
    "wraps": (
        "import functools\nlog = []\ndef logged(f):\n    @functools.wraps(f)\n    def g(): log.append(1)\n    return g\n@logged\ndef f(): pass",
        "f()", "log"),
    "attribute of a function": ("log = []\ndef f(): pass\nf.add = log.append", "f.add(1)", "log"),
    "globals": ("log = []", "globals()['log'].append(1)", "log"),
    "globals by another name": ("log = []\nspace = globals", "space()['log'].append(1)", "log"),
    "a name made by globals": ("log = []", "globals()['log'] = [1]", "log"),
    "eval": ("log = []", "eval('log.append(1)')", "log"),
    "exec": ("log = []", "exec('log.append(1)')", "log"),
    "import of itself": ("log = []", "import submission; submission.log.append(1)", "log"),
    "__import__": ("log = []", "__import__(__name__).log.append(1)", "log"),
    "importlib": ("import importlib\nlog = []", "importlib.import_module(__name__).log.append(1)", "log"),
    "sys.modules": ("import sys\nlog = []", "sys.modules[__name__].log.append(1)", "log"),
    "modules by another name": ("from sys import modules as known\nlog = []", "known[__name__].log.append(1)", "log"),
    "its own module": ("import sys\nme = sys.modules[__name__]\nlog = []", "me.log.append(1)", "log"),
    "its own names": ("space = vars(__import__('sys').modules[__name__])\nlog = []", "space['log'].append(1)", "log"),
    "__globals__": ("log = []", "change.__globals__['log'].append(1)", "log"),
    "getattr": ("log = []", "getattr(change, '__globals__')['log'].append(1)", "log"),
    "attrgetter": ("import operator\nlog = []", "operator.attrgetter('__globals__')(change)['log'].append(1)", "log"),
    "frame": ("import sys\nlog = []", "sys._getframe().f_globals['log'].append(1)", "log"),
    "frame of an error": (
        "log = []", "\n    try: 1 / 0\n    except Exception as e: e.__traceback__.tb_frame.f_globals['log'].append(1)", "log"),
    "gc": ("import gc\nlog = ['it']", "[o.append(1) for o in gc.get_objects() if type(o) is list and o == ['it']]", "log"),
    "gc by another name": (
        "from gc import get_referents as of\nlog = ['it']",
        "[o.append(1) for o in of(*of(change)) if type(o) is list and o == ['it']]", "log"),
    "inspect": ("import inspect\nlog = []", "inspect.getmodule(change).log.append(1)", "log"),
    "pickle": (
        "import pickle\nclass Box:\n    made = []\n    def __setstate__(self, _): self.made.append(1)\nkept = pickle.dumps(Box())\n"
        "kept = kept[:-1] + b'}b.'", "pickle.loads(kept)", "Box.made"),
    "type hints": (
        "import typing\nclass Box: made = []\ndef f(a: 'Box'): pass", "typing.get_type_hints(f)['a'].made.append(1)", "Box.made"),
    "built-in function of its own": (
        "import builtins\nlog = []\ndef show(*_): log.append(1)\nbuiltins.print = show", "print()", "log"),
    "function in a module": ("import math\nlog = []\ndef own(x): log.append(x)\nmath.sin = own", "math.sin(1)", "log"),
    "method of an imported class": (
        "import string\nlog = []\nstring.Template.add = lambda self: log.append(1)", "string.Template('').add()", "log"),
    "trace": (
        "import sys\nlog = []\ndef mark(): pass\ndef trace(frame, *_):\n    if frame.f_code.co_name == 'mark': log.append(1)\n"
        "sys.settrace(trace)", "mark()", "log"),
    "callback of the collector": (
        "import gc\nlog, on = [], False\ndef note(*_):\n    if on: log.append(1)\ngc.callbacks[:] = [note]",
        "global on; on = True; [[] for _ in range(9_000)]", "log"),
    "more names than a byte counts": (
        "log = []\n" + "\n".join(f"n{i} = 1" for i in range(300)),
        "(" + ", ".join(f"n{i}" for i in range(300)) + ")\n    log.append(1)", "log"),
    "a name that was not there": ("late = None; del late", "global late; late = [1]", "globals().get('late')"),
    "warning": (
        "import warnings", "import warnings; warnings.warn('a')", "'__warningregistry__' in globals()"),
}  # fmt: skip

WAYS = PUT_BACK | MADE_ANEW | UNREADABLE | {f"by {way}": each for way, each in ROUNDABOUT.items()}
MANY = "many = [[] for _ in range(30_000)]"  # so that the heap is not read whole


def changing(jail, made, change, read, *more):
    """Open a jail with something that a function changes and another reads."""
    cells = (COUNTING, made, f"def change():\n    {change}\ndef read():\n    return {read}", *more)
    return jail(*map(dedent, cells), imports=["numpy"])


@pytest.mark.ci
@pytest.mark.parametrize(
    "more",
    [pytest.param((), id="few objects"), pytest.param((MANY,), id="many objects", marks=pytest.mark.whole)],
)
@pytest.mark.parametrize("what", [*PUT_BACK, *MADE_ANEW, *UNREADABLE])
def test_every_test_finds_what_the_cells_made(jail, what, more):
    """What a test changed is put back, or made anew by executing the cells."""
    box = changing(jail, *(PUT_BACK | MADE_ANEW | UNREADABLE)[what], *more)
    first = repr(box.get("read")())

    for _ in range(6):
        box.load()
        assert repr(box.get("read")()) == first
        box.get("change")()
    box.load()

    runs = {1} if what in PUT_BACK else {7} if what in MADE_ANEW else {7, 8}
    assert box.get("runs")() in runs


@pytest.mark.ci
@pytest.mark.parametrize(
    ("made", "change", "read"),
    [
        pytest.param(*way, id=name, marks=[] if n % 3 == 0 else pytest.mark.ci)
        for n, (name, way) in enumerate(WAYS.items())
    ],
)
def test_a_name_that_a_later_test_asks_for_first(jail, made, change, read):
    """It is as the cells made it, although only what a test asks for is compared with many objects."""
    first = repr(changing(jail, made, change, read).get("read")())
    box = changing(jail, made, change, read, MANY)

    for _ in range(2):
        box.get("change")()
        box.load()

    assert repr(box.get("read")()) == first


def test_a_test_that_reads_alone_changes_nothing(jail):
    """Neither an instance nor a class nor a function that is only used counts as changed."""
    box = jail(
        COUNTING,
        """
        from dataclasses import dataclass
        from typing import Optional
        import numpy, matplotlib.pyplot as plt
        @dataclass
        class Box:
            a: Optional[int] = None
            def f(self): return self.a
            @property
            def g(self): return self.a
            @staticmethod
            def h(): return 1
            @classmethod
            def i(cls): return cls()
        box = Box(3)
        grid = numpy.zeros(3)
        def use(): return box.f(), box.g, Box.h(), Box.i() == Box(), {id(box)}, grid.sum(), str(box)
        """,
        imports=["numpy"],
    )

    for _ in range(4):
        box.load()
        box.get("use")()

    assert box.errors == {}
    assert box.get("runs")() == 1


@pytest.mark.parametrize("numbers", ["random.random()", "numpy.random.rand()"])
def test_random_numbers_continue_where_the_cells_ended(jail, numbers):
    """A cell draws some, and every test draws the same next ones."""
    cells = (
        f"{COUNTING}\nimport random, numpy, numpy.random\nnumpy.random.seed(5)",
        f"drawn = {numbers}",
        f"def more(): return {numbers}",
    )
    box = jail(*cells, imports=["numpy"])
    first = box.get("more")(), box.get("more")()

    box.load()

    assert (box.get("more")(), box.get("more")()) == first
    assert first[0] != box.get("drawn")
    assert box.get("runs")() == 1


@pytest.mark.parametrize("order", ["forward", "reverse", "permuted"])
def test_the_order_of_sets_continues_where_the_cells_ended(jail, order):
    """Objects that cells hashed keep their hash, and a test's own get the same in every load."""
    box = jail(
        COUNTING,
        "class Node: pass\nold = [Node() for _ in range(3)]\nseen = set(old[:2])",
        "def hashes(): return hash(old[0]), hash(old[2]), hash(Node()), old[0] in seen",
        order=order,
    )
    first = box.get("hashes")()
    box.load("forward" if order == "reverse" else "reverse")

    for _ in range(3):
        box.load(order)
        assert box.get("hashes")() == first

    assert box.get("runs")() == (2 if order == "forward" else 3)


def test_code_that_hashes_no_object_has_no_order(jail):
    """A jail says so of all that ran in it; once one has ended, nobody knows."""
    box = jail("import os\nclass Node: pass\ndef use(): return len({1, 'a'})\ndef end(): os._exit(0)")
    box.get("use")()
    before = box.is_orderless()

    with pytest.raises(SubmissionStopped):
        box.get("end")()
    box.load()

    assert (before, box.is_orderless()) == (True, False)


@pytest.mark.parametrize("where", ["old = {Node()}", "def use(): return len({Node()})"])
def test_code_that_hashes_an_object_may_have_an_order(jail, where):
    """In a cell or in a test, also an earlier one."""
    box = jail(f"class Node: pass\ndef use(): pass\n{where}")
    box.get("use")()

    box.load()

    assert not box.is_orderless()


NODES = "class Node: pass\ndef use(): return len({Node()})\ndef of(make): return make(Node)"


def test_code_that_hashes_its_own_objects_may_have_no_order(jail):
    """Where it goes through no set: only its author can say so."""
    box = jail(NODES)
    box.get("use")()

    assert not box.is_orderless()
    assert box.is_orderless(iterates_sets=False)


def test_objects_that_other_code_hashes_may_have_an_order(jail):
    """A check's own code may hand on a set of them."""
    box = jail(NODES)
    make = box.helper("def make(Node): return len({Node()})", "make")
    box.get("of")(make)

    assert not box.is_orderless(iterates_sets=False)


@pytest.mark.parametrize("answer", ["1 / 0", "os._exit(0)"])
def test_code_whose_jail_does_not_answer_may_have_an_order(jail, answer):
    """It has no room left for the answer, or ends just then."""
    box = jail(
        "import os, sys\nframe = sys._getframe()\nwhile 'step' not in frame.f_locals: frame = frame.f_back\n"
        f"type(frame.f_locals['self']).do_hashed = lambda *_: {answer}"
    )
    box.load()

    assert not box.is_orderless()


def test_settings_of_the_cells_are_restored(jail):
    """The recursion limit is what the cells have set, not what a test has set."""
    box = jail(
        "import sys\nsys.setrecursionlimit(3000)",
        "def limit(): return sys.getrecursionlimit()\ndef set_(n): sys.setrecursionlimit(n)",
    )
    box.get("set_")(500)

    box.load()

    assert box.get("limit")() == 3000


def test_a_module_that_a_cell_replaced(jail):
    """The names of the cells stay the submission's."""
    box = jail("import sys, types\nsys.modules[__name__] = types.ModuleType('other')", "x = 1")

    box.load()

    assert box.get("x") == 1


@pytest.mark.parametrize("raised", ["__hash__", "__eq__", "__getattribute__"])
def test_a_class_that_refuses_to_be_read(jail, raised):
    """The load serves all the same, or the cells are executed again."""
    box = jail(
        f"""
        class Meta(type):
            def {raised}(self, *_): raise SystemExit
        class Box(metaclass=Meta):
            def {raised}(self, *_): raise SystemExit
        box = Box()
        """,
        "x = 1",
    )

    box.load()

    assert box.get("x") == 1


def test_errors_of_cells_stay(jail):
    """A failed cell is not executed again, and the names that it bound before are there."""
    box = jail(COUNTING, "a = 1\n1 / 0")

    box.load()

    assert box.errors[1].type == "ZeroDivisionError"
    assert (box.get("a"), box.get("runs")()) == (1, 1)


def test_a_cell_that_used_up_the_memory_is_not_executed_again(jail):
    """What it kept is gone, and the other cells are executed without it."""
    box = jail("hoard = []\nwhile True: hoard.append(bytearray(1 << 20))", COUNTING, memory_mb=100)

    box.load()

    assert box.errors[0].type == "MemoryError"
    assert box.get("runs")() == 1, "in a new jail"


def test_garbage_of_a_test_is_free_again(jail):
    """Memory in a cycle of one test does not count against the next."""
    box = jail("def hoard():\n    kept = [bytearray(100 << 20)]\n    kept.append(kept)", memory_mb=256)

    for _ in range(4):
        box.load()
        box.get("hoard")()


def test_heavy_loads_are_not_kept_beside_each_other(jail):
    """The memory of the load in one order does not count against the load in another."""
    box = jail(COUNTING, "table = 'x' * (150 << 20)", memory_mb=256)

    for order in ("reverse", "forward"):
        box.load(order)

    assert box.errors == {}
    assert box.get("runs")() == 3
