"""Engines that lie earn nothing: no object of the student's takes part in a comparison.

All submissions of this file are graded in one warm session a day, one after another, the
honest one last: what is before it must not have changed anything.
"""

from __future__ import annotations

import builtins
import re
from dataclasses import dataclass

import pytest
from helpers import cells, check, copy_course, edit_manifest, passed

from grader.assignment import Course
from grader.grading.grader import Grader, open_grader
from grader.render.terminal import render_terminal
from grader.report import Outcome, Report, to_json
from grader.sandbox import Launcher
from grader.submissions.submission import read_submission

pytestmark = pytest.mark.ci  # 20 s; escapes/test_7_forging.py has a liar of each kind

ENGINE_CHECKS = {
    "day2": {
        "add_rule", "swap_rule", "accumulate", "complex_expression", "tanh_neuron", "pytorch_parity",
    },
    "day3": {
        "build_topo", "reverse_order", "seed", "diamond", "shared_nodes", "accumulates", "deep_chain",
        "pytorch_parity",
    },
}  # fmt: skip

# What a student could have right without an engine: so nothing but the engine decides.
ANSWERS = "\n\n".join(
    source for source in cells("day2") if "class Value" not in source and "def " not in source
)
NO_SORT = """
def build_topo(root):
    return [root]

def backward(root):
    return None
"""

# --- Engines that know nothing

NULL = """
class Value:
    def __init__(self, *args, **keywords):
        self.__dict__["first"] = args[0] if args else 0.0
    def __getattr__(self, name):
        if name == "_backward":
            return lambda *args: None
        return {attribute}
    def same(self, *args):
        return self
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __neg__ = __pow__ = tanh = same
    def backward(self):
        pass

def reset_grads(*values):
    pass
"""

# A number that agrees to everything that it is asked.
YES = """
def agree(*args):
    return True

class Yes({base}):
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = agree
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __sub__(self, other): return self
    def __abs__(self): return 0.0
    def __float__(self): return 1.0
    def __int__(self): return 1
    def __index__(self): return 1
    __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __neg__ = __round__ = __sub__
    def __repr__(self): return "the right answer"
    __str__ = __format__ = __repr__
"""
YES_ENGINE = """
class Value:
    def __init__(self, data, *args):
        self.data = self.grad = Yes({number})
        self._prev = ()
    def _backward(self): pass
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value if isinstance(value, Yes) else Yes({number}))
    def __add__(self, other): return Value(0)
    __radd__ = __mul__ = __rmul__ = __add__
    def tanh(self): return Value(0)
    def backward(self): pass

def reset_grads(*values): pass
"""

EQUALS_EVERYTHING = """
class Value:
    def __init__(self, *args): self.data = self.grad = self
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __contains__ = __bool__ = __lt__
    def __sub__(self, other): return self
    def __add__(self, other): return self
    __rsub__ = __radd__ = __mul__ = __rmul__ = __add__
    def __abs__(self): return 0.0
    def __float__(self): return 0.0
    def __setattr__(self, name, value): object.__setattr__(self, name, self)
    def _backward(self): pass
    def tanh(self): return self
    def backward(self): pass
"""

ANY_ATTRIBUTE = """
class Value:
    def __init__(self, *args): pass
    def __getattr__(self, name): return self
    def __setattr__(self, name, value): pass
    def __call__(self, *args): return self
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = __add__
    def __len__(self): return 0
    def __iter__(self): return iter(())
"""

EVERY_LOOK_UP_LIES = (
    YES.format(base="float")
    + """
class Value:
    def __init__(self, *args): pass
    def __getattribute__(self, name):
        if name in ("_backward", "backward", "tanh"):
            return lambda *args: Value()
        return Yes(1.0)
    def __setattr__(self, name, value): raise AttributeError(name)
    def __add__(self, other): return Value()
    __radd__ = __mul__ = __rmul__ = __add__
"""
)

CLAIMS_A_CLASS = """
class Value:
    __class__ = property(lambda self: {claimed})
    def __init__(self, *args): pass
    data = grad = property(lambda self: self, lambda self, value: None)
    def __float__(self): return 1.0
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __add__
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def _backward(self): pass
    def tanh(self): return self
    def backward(self): pass
"""

METACLASS = """
class Meta(type):
    def __instancecheck__(cls, other): return True
    def __subclasscheck__(cls, other): return True
    def __eq__(cls, other): return True
    def __hash__(cls): return hash(float)
    def __getattribute__(cls, name): return {"__name__": "float", "__mro__": (float, object)}.get(
        name, type.__getattribute__(cls, name))

class Value(float, metaclass=Meta):
    def __new__(cls, *args): return float.__new__(cls, 1.0)
    data = grad = property(lambda self: self, lambda self, value: None)
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = __add__
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def _backward(self): pass
    def tanh(self): return self
    def backward(self): pass
"""

# --- Attempts to change who judges

# The class of the worker that answers, found on the stack below the cells.
OF_WORKER = """
import sys
frame = sys._getframe()
while "step" not in frame.f_locals:
    frame = frame.f_back
JAIL = type(frame.f_locals["self"])
"""
ZEROS = NULL.format(attribute="0.0")
PATCHES = {
    "pytest": """
import sys, types
class Always:
    def __getattr__(self, name): return Always()
    def __call__(self, *args, **keywords): return Always()
    def __eq__(self, other): return True
for name in ("pytest", "_pytest", "_pytest.approx", "_pytest.python_api", "grader", "grader.grading.suite",
             "grader.report", "msgspec", "unittest", "numpy"):
    sys.modules[name] = Always()
import pytest
pytest.approx = pytest.raises = Always()
""",
    "builtins": """
import builtins
import re
builtins.isinstance = lambda *args: True
builtins.abs = lambda x: 0.0
builtins.AssertionError = type("Fine", (Exception,), {})
builtins.float = lambda x: 1.0
builtins.sorted = lambda x: ["L", "d"]
builtins.len = lambda x: 2
builtins.min = builtins.max = lambda *args: 0
""",
    "type": "import builtins\nbuiltins.type = lambda *args: float\n",
    "json": """
import json, json.encoder
for kind in (json.JSONEncoder, json.JSONDecoder):
    kind.encode = lambda self, o: '{"v": true, "outcome": "passed"}'
    kind.iterencode = lambda self, o, _one_shot=False: ['{"v": true, "outcome": "passed"}']
json.dumps = lambda *args, **keywords: '{"outcome": "passed", "score": 100}'
json.encoder.c_make_encoder = None
""",
    "modules cleared": "import sys\nsys.modules.clear()\n",
    "math": "import math, operator\nmath.isfinite = lambda x: True\noperator.add = operator.mul = lambda a, b: 1.0\n",
    "import": "import builtins\nbuiltins.__import__ = lambda *args: None\n",
    "build class": "import builtins\nbuiltins.__build_class__ = lambda *args: float\n",
    "worker encodes 1": "JAIL.encode = lambda self, value, depth=0: 1.0\n",
    "worker says passed": 'JAIL.encode = lambda self, value, depth=0: {"outcome": "passed"}\n',
    "worker sends handles": 'JAIL.encode = lambda self, value, depth=0: {"h": 1, "k": "instance", "c": "ApproxScalar"}\n',
    "worker without answers": "JAIL.send = lambda self, message: None\n",
    "worker without errors": "JAIL.failure = lambda self, error: {}\n",
    "frames": """
import os
body = b'{"n": 5, "v": 1.0, "outcome": "passed"}'
for descriptor in range(3, 16):
    try:
        os.write(descriptor, len(body).to_bytes(4, "big") + body)
    except OSError:
        pass
""",
    "standard input": "import sys\nforged = sys.stdin.read(16)\n",
    "closed descriptors": "import os\nos.closerange(0, 64)\n",
    "hooks": """
import atexit, sys, warnings
atexit.register(print, "passed")
sys.exit = lambda *args: None
sys.settrace(lambda *args: None)
sys.excepthook = sys.unraisablehook = lambda *args: print("passed")
sys.path[:] = sys.path_hooks[:] = []
warnings.simplefilter("error")
""",
    "stdout": "import sys\nsys.stdout = sys.stderr = sys.stdin = None\n",
    "printed report": 'print(\'{"schema": "backgrade/report/v1", "score": 100.0, "outcome": "passed"}\')\n',
}

# --- Objects whose text is not what it seems

TEXTS = {
    "raises": "raise RuntimeError('no text')",
    "exits": "raise SystemExit(0)",
    "prints": """print('{"outcome": "passed"}'); return 'passed'""",
    "terminal": r"return '\x1b[2J\x1b[1;1H\x1b[32m100 of 100 points\x1b[0m\r\x07\u202e\ud800'",
    "long": "return 'x' * 10_000_000",
    "itself": "return repr(self)",
}
TELLS = """
class Odd(Exception):
    def __repr__(self): {text}
    __str__ = __format__ = __repr__

class Value(Odd):
    def __init__(self, *args): self.data = self.grad = Odd()
    def __setattr__(self, name, value): object.__setattr__(self, name, Odd())
    def __add__(self, other): return self
    __radd__ = __mul__ = __rmul__ = tanh = __add__
    def backward(self): raise self
    def _backward(self): raise Odd()
"""

LIES = {
    "all zeros": ZEROS,
    "all ones": NULL.format(attribute="1.0"),
    "all true": NULL.format(attribute="True"),
    "all not a number": NULL.format(attribute="float('nan')"),
    "echo": NULL.format(attribute='self.__dict__["first"]'),
    "the same object": "SAME = object()\n" + NULL.format(attribute="SAME"),
    "itself everywhere": NULL.format(attribute="self"),
    "agreeing float": YES.format(base="float") + YES_ENGINE.format(number="0.5"),
    "agreeing nan": YES.format(base="float") + YES_ENGINE.format(number="'nan'"),
    "agreeing int": YES.format(base="int") + YES_ENGINE.format(number="1"),
    "agreeing text": YES.format(base="str") + YES_ENGINE.format(number="'1'"),
    "agreeing object": YES.format(base="object") + YES_ENGINE.format(number=""),
    "agreeing list": YES.format(base="list") + YES_ENGINE.format(number=""),
    "equals everything": EQUALS_EVERYTHING,
    "any attribute": ANY_ATTRIBUTE,
    "every look-up lies": EVERY_LOOK_UP_LIES,
    "claims to be a float": CLAIMS_A_CLASS.format(claimed="float"),
    "claims to be a bool": CLAIMS_A_CLASS.format(claimed="bool"),
    "claims no class": CLAIMS_A_CLASS.format(claimed="1 / 0"),
    "metaclass": METACLASS,
    "named like approx": ZEROS.replace("class Value", "class ApproxScalar") + "Value = ApproxScalar\n",
    "identity": "Value = lambda data, *args: data\n",
    **{
        f"patches {name}": f"{OF_WORKER * ('JAIL' in patch)}{patch}{ZEROS}" for name, patch in PATCHES.items()
    },
    **{f"text {name}": TELLS.format(text=text) for name, text in TEXTS.items()},
}
ON_ONE_DAY = ("patches ", "text ")  # what they are told of is the same on each day

# --- Sorts and walks that know nothing (day 3), beside an honest engine

SORTS = {
    "nothing": "def build_topo(root): return None\ndef backward(root): return None\n",
    "root only": NO_SORT,
    "no order": "def build_topo(root): return []\ndef backward(root): root.grad = 1.0\n",
    "labels": """
def build_topo(root):
    order, visited = [], set()
    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            order.append(node.label)
    visit(root)
    return order
def backward(root): pass
""",
    "agreeing list": YES.format(base="list")
    + "def build_topo(root): return Yes([root])\ndef backward(root): return Yes()\n",
    "every name": "def build_topo(root): return list('abcdepq')\ndef backward(root): return 1.0\n",
    "endless": """
class Endless:
    def __iter__(self):
        while True: yield 1.0
def build_topo(root): return Endless()
def backward(root): return Endless()
""",
    "all ones": """
def build_topo(root): return sorted(root._prev, key=id) + [root]
def backward(root):
    todo = [root]
    while todo:
        node = todo.pop()
        node.grad = 1.0
        todo.extend(node._prev)
""",
}

# --- Values of every kind, where a number, an answer or a list of nodes is expected

STRANGE = {
    "None": "None",
    "NotImplemented": "NotImplemented",
    "a type": "int",
    "a function": "print",
    "a module": "__import__('math')",
    "an exception": "ValueError('x')",
    "an object": "object()",
    "a complex number": "2j",
    "a fraction": "__import__('fractions').Fraction(1, 3)",
    "a decimal": "__import__('decimal').Decimal('0.1')",
    "an int of 400 digits": "10**400",
    "an int of 20,000 digits": "10**20_000",
    "an empty text": "''",
    "a long text": "'x' * 5_000_000",
    "half a surrogate": r"'\ud800'",
    "control characters": r"'\x1b[2J\x00\r\u202e'",
    "bytes": "b'abc'",
    "a range": "range(3)",
    "a slice": "slice(3)",
    "a generator": "(i for i in (1,))",
    "a list of lists": "[[]]",
    "a list of itself": "(lambda x: (x.append(x), x)[1])([])",
    "a dict of itself": "(lambda x: (x.update(x=x), x)[1])({})",
    "a list of 30,000": "[0.0] * 30_000",
    "a deep list": "__import__('functools').reduce(lambda x, _: [x], range(40), [])",
    "a set": "{1, 'a', None}",
    "a set of sets": "{frozenset({1}), frozenset()}",
    "a list with a huge int": "[10**400, 10**400]",
    "a dict with a huge int": "dict.fromkeys('abcdexwn', 10**400)",
    "a dict with odd keys": "{None: 1, 2.5: 2, (1, (2,)): 3, ...: 4}",
    "a dict with nan": "dict.fromkeys('abcden', float('nan'))",
    "a blank inside": "[...]",
    "a class": "type('Sub', (list,), {})([1])",
    "a namedtuple": "__import__('collections').namedtuple('T', 'a b')(1, 2)",
    "a text that raises": "type('S', (str,), {'__str__': lambda s: 1 / 0, '__eq__': lambda s, o: True,"
    " '__hash__': lambda s: 1 / 0})('L')",
}
# What is told of a gradient that is none, in a × that should give -3.
TOLD = {
    "nan": ("float('nan')", "nan"),
    "infinity": ("float('inf')", "inf"),
    "minus infinity": ("-float('inf')", "-inf"),
    "true": ("True", "True"),
    "a text": ("'steep'", "the text 'steep'"),
    "a list": ("[-3.0]", "[-3]"),
    "None": ("None", "None"),
    "a Value": ("Value(-3.0)", "a.grad is a Value"),
    "a complex number": ("-3 + 0j", "a.grad is a complex"),
    "a fraction": ("__import__('fractions').Fraction(-3)", "a.grad is a Fraction"),
    "a dictionary": ("{'grad': -3}", "{'grad': -3}"),
    "a huge integer": ("10**400", "a huge integer"),
    "a list of itself": ("(lambda x: (x.append(x), x)[1])([])", "nested too deeply"),
}
OBJECT = re.compile(r"\ba\.grad is an? \w+; it must be a number\.")
NAMES = """product_order product_grads sum_times_grads twice_with_assignment complex_grads complex_order
    neuron_grads diamond_order lost_by_b_first lost_by_c_first strongest leverage_a_over_c nudge_up
    quiz_df_da quiz_df_db quiz_do_dw1 quiz_w2 quiz_a_times_a quiz_why_add quiz_dd_da quiz_backpropagation""".split()
# dictionaries, orders and numbers, names, letters
ANSWER_CHECKS = ("predictions", "visit_order", "leverage", "quiz")
# Each strange value is given to two of them.
ASKED = {name: (*ANSWER_CHECKS, *ANSWER_CHECKS)[i % 4 :][:2] for i, name in enumerate(STRANGE)}

STRANGE_GRADIENT = """
class Value(Value):
    def __mul__(self, other):
        out = Value(self.data * (other.data if isinstance(other, Value) else other), (self,), "*")
        def _backward():
            self.grad = {value}
        out._backward = _backward
        return out
"""

EXCEPTIONS = sorted(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and name == kind.__name__
)
MADE_WITH = {
    "UnicodeDecodeError": "('utf-8', b'', 0, 1, 'broken')",
    "UnicodeEncodeError": "('utf-8', '', 0, 1, 'broken')",
    "UnicodeTranslateError": "('', 0, 1, 'broken')",
    "BaseExceptionGroup": "('broken', [KeyboardInterrupt()])",
    "ExceptionGroup": "('broken', [ValueError()])",
}
# Those that Python, pytest or the grader treats in its own way, and every third of the others.
OWN_WAY = (
    AttributeError,
    ImportError,
    MemoryError,
    NameError,
    RuntimeError,
    StopIteration,
    SyntaxError,
    TimeoutError,
)
PLAIN = [
    name
    for name in EXCEPTIONS
    if issubclass(kind := getattr(builtins, name), Exception)
    and not issubclass(kind, OWN_WAY)
    and name not in MADE_WITH
]
RAISED = [name for name in EXCEPTIONS if name not in PLAIN or name in PLAIN[::3]]
RAISES = """
class Value(Value):
    def __mul__(self, other): raise {name}{made}
"""


# --- The session


@dataclass(frozen=True)
class Case:
    """One submission to grade; `only` one check of it, where the others do not matter."""

    day: str
    source: str
    only: str | None = None


def cases() -> dict[tuple[str, str], Case]:
    """Every submission of this file; the honest ones are graded last."""
    day2, day3 = "\n\n".join(cells("day2")), "\n\n".join(cells("day3"))
    made = {}
    for name, lie in LIES.items():
        made["lie on day 2", name] = Case("day2", f"{ANSWERS}\n\n{lie}")
        if not name.startswith(ON_ONE_DAY):
            made["lie on day 3", name] = Case("day3", f"{NO_SORT}\n\n{lie}")
    for name, sort in SORTS.items():
        made["sort", name] = Case("day3", f"{day3}\n\n{sort}\nValue.backward = backward\n")
    for name, value in STRANGE.items():
        gradient = STRANGE_GRADIENT.format(value=value)
        made["gradient", name] = Case("day2", f"{day2}\n\n{gradient}", "swap_rule")
        answers = f"{day2}\n\nstrange = {value}\n" + "".join(f"{answer} = strange\n" for answer in NAMES)
        for asked in ASKED[name]:
            made[f"answer to {asked}", name] = Case("day2", answers, asked)
        made["value", name] = Case("day2", f"{day2}\n\ndef Value(*args):\n    return {value}\n", "add_rule")
        sort = f"def build_topo(root):\n    return {value}\n"
        made["order", name] = Case("day3", f"{day3}\n\n{sort}", "build_topo")
    for name, (value, _) in TOLD.items():
        made["told", name] = Case("day2", f"{day2}\n\n{STRANGE_GRADIENT.format(value=value)}", "swap_rule")
    for name in RAISED:
        raises = RAISES.format(name=name, made=MADE_WITH.get(name, "('broken')"))
        made["exception", name] = Case("day2", f"{day2}\n\n{raises}", "swap_rule")
    made["honest", "day2"], made["honest", "day3"] = Case("day2", day2), Case("day3", day3)
    return made


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Report]:
    """Grade every submission; a crash of the grader fails the test that uses the report."""
    root = copy_course(tmp_path_factory.mktemp("lies"))
    limits = {"load_seconds": 1, "check_seconds": 0.5, "total_seconds": 5}  # some never answer
    once = {name: {"orders": False} for name in ENGINE_CHECKS["day3"]}  # a lie is one in any order
    edit_manifest(root, "day2", limits=limits)
    edit_manifest(root, "day3", limits=limits, checks=once)
    course, found = Course.find(root), {}

    def job(grader: Grader) -> None:
        mine = [(key, case) for key, case in cases().items() if case.day == grader.assignment.name]
        if grader.assignment.manifest.limits.check_seconds > 1:
            mine = [(key, case) for key, case in mine if key[0] == "honest"]
        for number, (key, case) in enumerate(mine):
            path = root / f"{number}.py"
            path.write_text(case.source, encoding="utf-8")
            found[key] = grader.grade(read_submission(path), case.only)

    with Launcher() as launcher:
        for day in ("day2", "day3"):
            with open_grader(course.assignment(day), launcher) as grader:
                job(grader)
        for day in ("day2", "day3"):  # honest work has its time, on a busy machine too
            edit_manifest(root, day, limits={"load_seconds": 10, "check_seconds": 10, "total_seconds": 60})
            with open_grader(Course.find(root).assignment(day), launcher) as grader:
                job(grader)
    return found


# --- The stories


def ungradable(report: Report) -> list[str]:
    """The checks that are called the grader's own fault."""
    return [check.id for check in report.checks if check.outcome is Outcome.UNGRADABLE]


@pytest.mark.parametrize("day", ENGINE_CHECKS)
def test_lies_earn_nothing(reports: dict[tuple[str, str], Report], day: str) -> None:
    """On day 2 with every answer right, no check of the engine passes; on day 3 none at all; none is the grader's fault."""
    told = {name: report for (of, name), report in reports.items() if of == f"lie on day {day[-1]}"}
    assert len(told) > 20
    counts = ENGINE_CHECKS["day2"] if day == "day2" else {check.id for check in told[next(iter(LIES))].checks}
    assert {name: passed(report) & counts for name, report in told.items() if passed(report) & counts} == {}
    assert {name: ungradable(report) for name, report in told.items() if ungradable(report)} == {}


def test_sorts_that_know_nothing_earn_nothing(reports: dict[tuple[str, str], Report]) -> None:
    """An honest engine does not help a sort that is none; the quiz has the reference's answers."""
    told = {name: reports["sort", name] for name in SORTS}
    assert {name: passed(report) for name, report in told.items() if not passed(report) <= {"quiz"}} == {}
    assert {name: ungradable(report) for name, report in told.items() if ungradable(report)} == {}


def test_strange_gradients(reports: dict[tuple[str, str], Report]) -> None:
    """Whatever is in `.grad`, the check fails and says what it read."""
    for name in STRANGE:
        found = check(reports["gradient", name], "swap_rule")
        assert found.outcome is Outcome.FAILED, name
        assert [row.label for row in found.readings] == ["a.grad"] or OBJECT.search(found.message), name


def test_what_is_told_of_strange_gradients(reports: dict[tuple[str, str], Report]) -> None:
    """The message shows the value that the engine computed beside the expected one."""
    for name, (_, told) in TOLD.items():
        found = check(reports["told", name], "swap_rule")
        words = " ".join([found.message, *(rule.words for rule in found.rules)])
        if OBJECT.search(words) or name == "a Value":  # which a rule tells
            assert told in words, name
            continue
        (row,) = found.readings
        assert row.label == "a.grad", name
        assert told in row.actual, name
        assert row.expected.startswith("-3"), name


def test_strange_answers(reports: dict[tuple[str, str], Report]) -> None:
    """With any other object instead of an answer, its check does not pass."""
    for name in STRANGE:
        for asked in ASKED[name]:
            found = check(reports[f"answer to {asked}", name], asked)
            # a blank is still to be written, also where it stands in a list
            expected = Outcome.TODO if name == "a blank inside" else Outcome.FAILED
            assert found.outcome is expected, (name, asked)
            assert found.message or found.readings, (name, asked)


def test_strange_values_and_orders(reports: dict[tuple[str, str], Report]) -> None:
    """Whatever `Value(2.0)` gives and whatever `build_topo` returns, the check fails."""
    for of, asked in (("value", "add_rule"), ("order", "build_topo")):
        found = {name: check(reports[of, name], asked).outcome for name in STRANGE}
        assert found == dict.fromkeys(STRANGE, Outcome.FAILED)


def test_every_exception(reports: dict[tuple[str, str], Report]) -> None:
    """Whatever × raises, the check does not pass, and the exception is named."""
    for name in RAISED:
        found = check(reports["exception", name], "swap_rule")
        if name == "NotImplementedError":  # the stub's way to say that something is still to be written
            assert (found.outcome, found.message) == (Outcome.TODO, "broken")
        else:
            assert found.outcome is Outcome.FAILED, name
            assert name in found.message, name


@pytest.mark.parametrize("day", ["day2", "day3"])
def test_an_honest_submission_afterwards(reports: dict[tuple[str, str], Report], day: str) -> None:
    """None of the above has changed anything for who comes next."""
    report = reports["honest", day]
    assert report.score == report.max_score
    assert report.notes == []


def test_no_report_can_command_a_terminal(reports: dict[tuple[str, str], Report]) -> None:
    """No control character of a student's gets into a report, in any form."""
    for key, report in reports.items():
        for text in (to_json(report), render_terminal(report)):
            bad = {
                c
                for c in text
                if (ord(c) < 32 and c != "\n") or c in "\x7f\u202e\u2028" or "\ud800" <= c <= "\udfff"
            }
            assert bad == set(), key


def test_no_report_is_long(reports: dict[tuple[str, str], Report]) -> None:
    """However much a submission says, its report stays readable."""
    assert {
        key: len(to_json(report)) for key, report in reports.items() if len(to_json(report)) > 40_000
    } == {}
