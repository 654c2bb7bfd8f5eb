"""Objects that the student's code shares by accident: a default made once, two names of one array, copies.

Functions that returned None because their `return` was not reached, or is in an inner function, are reported, too.

When the first test of a check fails, the jail compares identities (sandbox/inside/sharing.py). The test runs again only
if the jail must watch each call or line: for two names of one array, a function that returned nothing, or an array in an
error.
"""

from __future__ import annotations

import contextlib
import re
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from grader.grading.answers import list_names
from grader.grading.facts import MAX_NAME, ReturnFact, SharedFact
from grader.grading.locations import MAX_LINE, function_around, lines_around, place_in, place_of, where_at
from grader.report import cap
from grader.sandbox import Frame, StudentError, SubmissionStopped
from grader.sandbox.kinds import with_article
from grader.sandbox.proxy import class_name_of, label_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from grader.grading.run import Around
    from grader.report import Fact, Location
    from grader.sandbox import Proxy, Record, Sandbox
    from grader.submissions.submission import Sources
    from grader.topic import Test, TestResult

MOST_MADE = 20  # results whose operands are compared
MOST_SEEN = 40  # rows of one kind; the jail's own file sends fewer
LONG = 0.5  # seconds; a longer test does not run again
MOST_ATTRIBUTES = 6  # of an object, whose lines are looked for
MOST_TOLD = 2  # facts
_EMPTY = {"list": "[]", "set": "set()", "dict": "{}"}
_NAMES = {"list": "list", "set": "set", "dict": "dictionary"}
_NAME = re.compile(r"[A-Za-z_][\w.]*")


_Grown: TypeAlias = tuple[str, str, str, str, int]
_Alias: TypeAlias = tuple[int | None, int, str, str, str]


class SharingReport(msgspec.Struct, frozen=True):
    """The jail's rows when a test failed, as sandbox/inside/sharing.py describes them."""

    grown: list[_Grown] = []
    aliases: list[_Alias] = []
    places: list[tuple[str, list[tuple[int, str]]]] = []
    copies: list[tuple[int, str, int]] = []
    given: list[tuple[int | None, int, str, str, str, str, int, bool]] = []
    returns: list[tuple[int | None, str, str, int]] = []


# Sentences by the way of sharing, except for defaults and copies.
_WORDS = {
    "class": "{names} {are} kept in the class {fact.about}{fact.place}: all objects of this class share {them}.",
    "global": "{names} {are} made once, outside `{fact.about}`{fact.place}: all calls of this function share {them}.",
    "alias": "{names} are the same {fact.types[0]}: `{equal}` in line {fact.line} makes no copy.",
    "whole": "`{fact.about}` got its whole numbers in {fact.place}: {names}.",
    "turn": "`{fact.about}` got its numbers in {fact.place}, in the round for an earlier {names}. This round uses these numbers again.",
    "one": "{names} {are} the same {fact.types[0]}: a change to one also changes the other.",
}


def _shared_words(fact: SharedFact) -> str:
    """Return the sentence for the student."""
    names = list_names([f"`{name}`" for name in fact.names])
    are = "is" if len(fact.names) == 1 else "are"
    them = "it" if len(fact.names) == 1 else "them"
    if fact.how == "default":
        defaults = list_names(
            [f"`{n}={_EMPTY.get(t, '...')}`" for n, t in zip(fact.names, fact.types, strict=True)]
        )
        many = "" if len(fact.names) == 1 else "s"
        return (
            f"The default{many} {defaults} of `{fact.about}` {are} made once, when the function is defined, not at each "
            f"call: all calls share {them}."
        )
    if words := _WORDS.get(fact.how):
        return words.format(fact=fact, names=names, are=are, them=them, equal=" = ".join(fact.names))
    new, copied = with_article(f"new {fact.types[0]}"), list_names(list(fact.names))
    if len(fact.names) > 1:
        return f"{fact.about} holds new {fact.types[0]}s with the numbers of {copied}, not {copied} themselves: they are copies."
    return f"{fact.about} holds {new} with the number of {copied}, not {copied} itself: it is a copy."


class _TestLook(msgspec.Struct, frozen=True):
    """The jail's rows when a test failed, and the record of the test."""

    seen: SharingReport
    record: Record


def look(sandbox: Sandbox) -> _TestLook | None:
    """Return the things that objects of the test that just failed share; None if the jail does not reply."""
    with contextlib.suppress(StudentError, SubmissionStopped), sandbox.explaining():
        return _TestLook(_read_rows(sandbox), sandbox.record)
    return None


def _read_rows(sandbox: Sandbox) -> SharingReport:
    answer = sandbox.read_shared(
        [(handle, [*_handles(args)]) for handle, args in sandbox.record.made[-MOST_MADE:]]
    )
    with sandbox.reading("invalid looks"):
        seen = msgspec.convert(answer, SharingReport)
        assert all(len(rows) <= MOST_SEEN for rows in msgspec.structs.astuple(seen))
    return seen


def find_shared(
    result: TestResult,
    watch: Callable[[Test, Around], TestResult],
    sandbox: Sandbox,
    blocks: Sources,
    *,
    known: bool,
) -> list[Fact]:
    """Return the facts about sharing in a failed test; if a cause is `known`, without sharing that may be intended."""
    looked: _TestLook | None = result.looked
    if looked is None:
        return []
    error = result.error if isinstance(result.error, StudentError) else None
    names = [*_names(error, blocks)] if error else []
    seen = SharingReport()
    if names or _is_about_none(result) or _may_alias(blocks):
        seen = _run_watched(result, names, watch, sandbox)
    grown = [row for row in looked.seen.grown if _is_meant_for_one(row, result, blocks)]
    found = [
        *(_returns(seen, blocks) if _is_about_none(result) else ()),
        *_grown(grown, blocks),
        *_aliases(seen.aliases, blocks),
        *_copies(looked),
        *(_facts_of_lines(seen, error, blocks) if error else ()),
    ]
    return (found or [*_places(looked, result, blocks, known=known)])[:MOST_TOLD]


def _run_watched(
    result: TestResult, names: list[str], watch: Callable[[Test, Around], TestResult], sandbox: Sandbox
) -> SharingReport:
    """Run the test again; return the jail's rows about each call, and about the arrays with these names.

    Nothing if the test now ends differently.
    """

    def around(request: dict[str, Any], send: Callable[[dict[str, Any]], Any]) -> Any:
        answer = send(request)
        if request["op"] == "reload":
            send({"op": "look", "of": names})
        return answer

    if isinstance(result.error, SubmissionStopped) or result.seconds > LONG:
        return SharingReport()
    with contextlib.suppress(StudentError, SubmissionStopped), sandbox.explaining():
        again = watch(result.test, around)
        seen = _read_rows(sandbox)
        frames = [one.error.frames for one in (again, result) if isinstance(one.error, StudentError)]
        if again.outcome is result.outcome and (not names or frames[:1] == frames[1:]):
            return seen
    return SharingReport()


def _handles(args: object) -> Iterator[int]:
    """Yield the handles among the arguments of a request, also those in a list or a tuple."""
    for arg in args if isinstance(args, list) else ():
        for tag, body in arg.items() if isinstance(arg, dict) else ():
            yield from [body] if tag == "h" else _handles(body) if tag in {"l", "t"} else ()


def _is_meant_for_one(row: _Grown, result: TestResult, blocks: Sources) -> bool:
    """Return False for a value that several objects or calls may share on purpose.

    A list of the class is meant for one object if the code reaches it only through `self`. A list outside a function is
    meant for one call if the test called that function.
    """
    where, owner, name, type_, _ = row
    source = "\n".join(block.source for block in blocks)
    if where == "class":
        return f"self.{name}" in source and not re.search(
            rf"\b(?:cls|{re.escape(owner)})\.{re.escape(name)}\b", source
        )
    return where == "default" or (type_ != "dict" and "." not in owner and result.uses(owner))


def _grown(grown: list[_Grown], blocks: Sources) -> Iterator[Fact]:
    rows = sorted({(where, owner, name, type_) for where, owner, name, type_, _ in grown})
    for (how, owner), same in groupby(rows, lambda row: row[:2]):
        _, _, names, types = zip(*same, strict=True)
        place = _made_at(how, owner, names[0], blocks) if len(names) == 1 else ""
        yield _fact(SharedFact(owner, how, names, types, place=place))


def _made_at(how: str, owner: str, name: str, blocks: Sources) -> str:
    """Return the place of the only line that makes the shared value of a class or a cell, in words; "" if unknown."""
    made = re.compile(rf"\s*{re.escape(name)}\s*(?::[^=]*)?=(?!=)")
    around = "" if how == "global" else f"class {owner}"
    places = []
    for block in blocks if how != "default" else ():
        lines = block.source.split("\n")
        for i in (i for i, line in enumerate(lines) if made.match(line[:MAX_LINE])):
            outer = [lines[at] for at in lines_around(lines, i)][1:2]
            if re.match(rf"{around}\b" if around else "$", "".join(outer)):
                places.append(f", in {place_in(block, i + 1, blocks)}")
    return places[0] if len(places) == 1 else ""


def _copies(looked: _TestLook) -> Iterator[Fact]:
    for (result, attribute), rows in islice(groupby(looked.seen.copies, lambda row: row[:2]), 1):
        proxies = [looked.record.proxies.get(handle) for handle in (result, *(row[2] for row in rows))]
        labels = [label_of(proxy) for proxy in proxies if proxy is not None]
        if len(labels) == len(proxies) and proxies[0] is not None:
            about = f"`{attribute}` of {labels[0]}"
            yield _fact(
                SharedFact(about, "copy", tuple(dict.fromkeys(labels[1:])), (class_name_of(proxies[0]),))
            )


def _fact(fact: SharedFact) -> Fact:
    names, types = (
        tuple(cap(text, MAX_NAME) for text in texts[:MOST_MADE]) for texts in (fact.names, fact.types)
    )
    return SharedFact(cap(fact.about, MAX_NAME), fact.how, names, types, place=fact.place).fact()


# --- Functions that return nothing


def _is_about_none(result: TestResult) -> bool:
    """Return True for a test that failed because of a None."""
    readings = result.failure.readings if result.failure else []
    return any(reading.actual == "None" for reading in readings[:1]) or "None" in str(result.error)


def _returns(seen: SharingReport, blocks: Sources) -> Iterator[Fact]:
    """Yield the last function that gave a test None without its `return`."""
    for block, function, inner, line in seen.returns[-1:]:
        where = None
        if block is not None and 0 <= block < len(blocks):
            where = where_at(Frame(block, line, function), blocks)
        if where:
            yield ReturnFact(cap(function, MAX_NAME), cap(inner, MAX_NAME), where.line).fact(where)


def _return_words(fact: ReturnFact) -> str:
    """Return the sentence for the student."""
    if fact.inner:
        return f"`{fact.about}` itself returns nothing: the `return` in line {fact.line} is in `{fact.inner}`, the function inside it."
    return f"`{fact.about}` ended without reaching its `return` in line {fact.line}: is that line in an `if` or a loop?"


# --- Two names of one array


def _aliases(aliases: Iterable[_Alias], blocks: Sources) -> Iterator[Fact]:
    """Yield local names set by `NAME = OTHER` to an array that is later changed in place."""
    for block, line, function, name, other in aliases:
        if block is None or not (_NAME.fullmatch(name) and _NAME.fullmatch(other)):
            continue
        at = _line_of_alias(function_around(Frame(block, line, function), blocks), name, other)
        if at and (where := where_at(Frame(block, at, function), blocks)):
            fact = SharedFact(cap(function), "alias", (cap(name), cap(other)), ("array",), where.line)
            yield fact.fact(where)


def _may_alias(blocks: Sources) -> bool:
    """Return True if a line `NAME = OTHER` names an OTHER that some line changes in place."""
    lines = [line[:MAX_LINE].partition("#")[0] for block in blocks for line in block.source.split("\n")]
    given = (re.fullmatch(r"\s+[A-Za-z_]\w*\s*=\s*([A-Za-z_][\w.]*)\s*", line) for line in lines)
    changed = (re.match(_changes(r"([A-Za-z_][\w.]*)"), line) for line in lines)
    return not {found[1] for found in given if found}.isdisjoint(
        found[1] or found[2] for found in changed if found
    )


def _changes(of: str) -> str:
    """Return the pattern of a line that changes the value of a name in place; `of` is the name's pattern."""
    return rf"\s*{of}(?:\[.*\])?\s*(?:[-+*/%@&|^]|//|\*\*|<<|>>)=|\s*{of}\[.*\]\s*=(?!=)"


def _line_of_alias(function: Mapping[int, str], name: str, other: str) -> int:
    """Return the line of `name = other` in a function that then changes `other` in place and reads `name`; else 0.

    Searched as text, as everywhere in the grader: a student chooses how deeply a source is nested.
    """
    texts = {at: line.partition("#")[0] for at, line in function.items()}
    word, of = rf"(?<![\w.]){re.escape(name)}\b", re.escape(other)
    stores = rf"{word}[^=(\n]*(?<![=<>!])=(?!=)|\b(?:for|as|global|nonlocal|del)\b[^:\n]*{word}"
    given = [at for at, text in texts.items() if re.fullmatch(rf"\s*{re.escape(name)}\s*=\s*{of}\s*", text)]
    if len(given) != 1 or [at for at, text in texts.items() if re.search(stores, text)] != given:
        return 0
    changed = any(at > given[0] and re.match(_changes(of), text) for at, text in texts.items())
    is_read = any(at != given[0] and re.search(word, text) for at, text in texts.items())
    return given[0] if changed and is_read else 0


# --- The line that set the array in an error


def _names(error: StudentError, blocks: Sources) -> Iterator[str]:
    """Yield the names of arrays where an error was raised, then other attributes of the same objects."""
    found = [one.name for one in error.held if one.kind == "array" and one.name.count(".") < 2]
    source = "\n".join(block.source for block in blocks)
    attributes = list(dict.fromkeys(re.findall(r"\bself\.(\w+)\s*=(?!=)", source)))[:MOST_ATTRIBUTES]
    owners = [name.partition(".")[0] for name in found if "." in name]
    yield from dict.fromkeys([*found, *(f"{owner}.{each}" for owner in owners for each in attributes)])


def _facts_of_lines(seen: SharingReport, error: StudentError, blocks: Sources) -> Iterator[Fact]:
    """Yield facts about the lines that set these arrays: for an earlier object of a loop, or with whole numbers."""
    if not error.frames or where_at(error.frames[-1], blocks) is None:  # a jail may send any place
        return
    is_cast, text = "Cannot cast" in error.text, ""
    for block, line, function, name, form, turn, earlier, is_old in seen.given:
        where = where_at(Frame(block, line, function), blocks) if block is not None else None
        is_plain = all(map(_NAME.fullmatch, (name, turn or name)))
        if where is None or block is None or not (is_plain and re.search(_gives(name), where.text)):
            continue
        about = cap(name, MAX_NAME)
        if is_cast and form.startswith(("int", "uint")):
            if not text or f".{name.rpartition('.')[2]}" in text:
                text, dtype = where.text, cap(form.partition(" ")[0], MAX_NAME)
                place = _place(where, block, error)
                yield SharedFact(about, "whole", (cap(text, MAX_NAME),), (dtype,), place=place).fact(where)
        elif turn and not is_cast:
            made = where_at(Frame(block, earlier, function), blocks)
            if made and (is_old or _reads(name, where.text)) and _is_of_loop(error.frames[-1], turn, blocks):
                place = _place(made, block, error)
                yield SharedFact(about, "turn", (cap(turn, MAX_NAME),), ("array",), place=place).fact(made)


def _place(where: Location, block: int, error: StudentError) -> str:
    return f"line {where.line}" if block == error.frames[-1].block else place_of(where)


def _reads(name: str, text: str) -> bool:
    """Return True if a line that sets a name also reads it."""
    left, _, right = text.partition("=")
    return left.endswith(tuple("-+*/@")) or re.search(rf"(?<![\w.]){re.escape(name)}\b", right) is not None


def _gives(name: str) -> str:
    """Return a pattern for a line that sets a name, or an attribute of `self` or of the same owner."""
    owner, dot, last = name.rpartition(".")
    before = rf"(?:self|{re.escape(owner)})\." if dot else ""
    return rf"(?<![\w.]){before}{re.escape(last)}\s*[-+*/@]*=(?!=)"


def _is_of_loop(frame: Frame, name: str, blocks: Sources) -> bool:
    """Return True if the function around a line loops over this name, or takes it from a list."""
    inside = "\n".join(function_around(frame, blocks).values())
    word = rf"\b{re.escape(name)}\b"
    return re.search(rf"\bfor\b[^:\n]*{word}[^:\n]*\bin\b|{word}\s*=\s*[\w.]+\[", inside) is not None


# --- Attributes that share an array


def _places(looked: _TestLook, result: TestResult, blocks: Sources, *, known: bool) -> Iterator[Fact]:
    """Yield attributes that share an array or list which the source changes in place.

    Two attributes of one name count only if the failed reading is about one of them.
    """
    source = "\n".join(block.source for block in blocks)
    readings = result.failure.readings if result.failure else []
    about = readings[0].label if readings else ""
    for kind, rows in looked.seen.places:
        found = [(looked.record.proxies.get(handle), path) for handle, path in rows]
        classes = [class_name_of(p) for p in {id(p): p for p, _ in found if p is not None}.values()]
        texts = [f"{_owner(p, classes)}.{path}" for p, path in found if p is not None]
        attributes = {path.partition("[")[0] for _, path in found}
        is_about = len(attributes) > 1 or len({handle for handle, _ in rows}) == 1
        is_about = is_about or (not known and any(about.startswith(text) for text in texts))
        if (
            len(texts) == len(found)
            and is_about
            and any(_is_changed(source, kind, path) for _, path in found)
        ):
            yield _fact(SharedFact(texts[0], "one", tuple(dict.fromkeys(texts)), (_NAMES.get(kind, kind),)))


def _owner(proxy: Proxy, classes: Sequence[str]) -> str:
    """Return the name of an object; without a name, its class if no other object has it, else its expression."""
    label, own = label_of(proxy), class_name_of(proxy)
    if label.isidentifier():
        return label
    return own if classes.count(own) == 1 else f"({cap(label, MAX_NAME)})"


def _is_changed(source: str, kind: str, path: str) -> bool:
    """Return True if a line of the source changes the value of such an attribute in place."""
    name, bracket, _ = path.partition("[")
    part = rf"\.{re.escape(name)}(?:\[[^\]\n]*\])*"
    ways = [rf"{part}\s*[-+*/]=", rf"np\.\w+\.at\(\s*[\w.]+{part}"]
    if not bracket:
        ways.append(rf"\.{re.escape(name)}\[[^\]\n]*\]\s*=(?!=)")
    if kind != "array":
        ways = [rf"{part}\.(?:append|extend|add|update|insert)\(", rf"{part}\s*[+|]="]
    return any(re.search(way, source) for way in ways)


def says_more(facts: Iterable[Fact]) -> bool:
    """Return True if a fact says more than a known mistake; one array in two attributes may be no fault."""
    return any(fact.how != "one" for fact, _ in SharedFact.all_in(facts))


def all_words(facts: Sequence[Fact]) -> list[str]:
    """Return the sentences for the facts of this kind."""
    returns = [_return_words(fact) for fact, _ in ReturnFact.all_in(facts)]
    # One sentence for two arrays that were shared by the same attributes, one after the other.
    return [*returns, *dict.fromkeys(_shared_words(fact) for fact, _ in SharedFact.all_in(facts))]
