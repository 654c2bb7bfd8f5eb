"""Takes the place of the jail's own loop, and answers one of the questions wrongly; CASE says which and how.

told: `attack` is not defined yet
"""

import sys

ERROR = {"type": "E", "bases": [], "text": "", "name": "", "frames": []}
OBJECT = {"h": 5, "k": "instance", "c": "Odd"}
MISSING = {"missing": 1}
NAMES = "`attack` is not defined yet"  # that they are invalid costs an explanation
OUTPUT = "an invalid output"
RELOAD = "an invalid reply to a reload"

CASES = {
    "a number for names": (NAMES, {"get": MISSING, "names": 5}),
    "bare names": (NAMES, {"get": MISSING, "names": [["attack"]]}),
    "too many names": (NAMES, {"get": MISSING, "names": {"l": [{"l": []}] * 7}}),
    "objects for names": (NAMES, {"get": MISSING, "names": {"l": [{"l": [OBJECT]}, {"l": []}]}}),
    "no output": (OUTPUT, {"output": None}),
    "output of a true length": (OUTPUT, {"output": {"size": True, "text": ""}}),
    "output that is no text": (OUTPUT, {"output": {"size": 1, "text": ["a"]}}),
    "output beyond all": (OUTPUT, {"output": {"size": 10**30, "text": ""}}),
    "output that is longer": ("kB; only the first 16 kB", {"output": {"size": 10**9, "text": "x" * 99_999}}),
    "no reload": (RELOAD, {"reload": None}),
    "a reload of numbers": (RELOAD, {"reload": [0]}),
    "a reload of a true cell": (RELOAD, {"reload": [[True, ERROR]]}),
    "a reload of a wrong error": ("an invalid error", {"reload": [[0, {}]]}),
    "a reload of cells that are not there": ("held", {"reload": [[99, ERROR], [-1, ERROR]]}),
    "a reload of one cell, often": ("vault.py: E.", {"reload": [[0, ERROR]] * 5_000}),
    "nothing there": ("`attack` is not defined yet", {"get": MISSING}),
    "nothing there, twice": ("a value with an unknown tag", {"get": {"missing": 2}}),
    "a number for a function": ("cannot use this value", {"get": 1.0}),
    "a handle of nothing": ("an invalid handle", {"get": {"h": 0, "k": "function", "c": "f"}}),
    "no definitions": ("held", {"defined": None}),
    "no rows": ("an Odd", {"call": OBJECT, "peek": None}),
    "too few rows": ("an Odd", {"call": OBJECT, "peek": []}),
    "texts for rows": ("an Odd", {"call": OBJECT, "peek": ["ab"]}),
    "rows without names": ("an Odd", {"call": OBJECT, "peek": [{}]}),
    "rows of objects": ("an Odd", {"call": OBJECT, "peek": [{"data": OBJECT, "grad": OBJECT}]}),
}
CASE = "a number for names"


def attack():
    """Only its name is needed."""


answer = attack


def serve(case):
    caller = sys._getframe()
    while "op" not in caller.f_locals.get("request", ()):
        caller = caller.f_back
    jail, request = caller.f_locals["self"], caller.f_locals["request"]
    answers = {
        "begin": None,
        "run": None,
        "names": {"l": [{"l": []}] * len(jail.blocks)},
        "output": {"size": 0, "text": ""},
        "reload": [],
        "get": {"h": 1, "k": "function", "c": "f"},
        "call": "held",
        "peek": [],
        "defined": [],
    }
    answers |= CASES[case][1]
    while True:
        jail.send({"n": request["n"], "v": answers[request["op"]]})
        request = jail.receive()


# %%
if __name__ == "submission":
    serve(CASE)
