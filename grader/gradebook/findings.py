"""Findings about a report: mistakes under keys that are equal for students with the same mistake."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from grader.render import shorten
from grader.report import Outcome, quote
from grader.topic import READ_BACK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.report import CheckResult, Fact, KnownMistake, Mismatch
    from grader.topic import Topic

BRIEF = 160  # characters of a finding's line


class CheckFinding(NamedTuple):
    """A mistake in one check.

    `key` is equal for students with the same mistake. `brief` is the line for the class, `code` has the statements that
    the student's code amounts to, and `words` explain this student's case. `facts` are the topic's facts.
    """

    key: tuple[str, ...]
    brief: str
    code: tuple[str, ...]
    words: str
    facts: tuple[Fact, ...] = ()

    @property
    def cause(self) -> tuple[str, ...]:
        """The cause without its operations, if the topic names one; else the key."""
        causes = [str(fact.get("cause") or "") for fact in self.facts]
        return ("cause", *dict.fromkeys(causes)) if causes and all(causes) else self.key

    def join(self, other: CheckFinding, topic: Topic) -> CheckFinding:
        """Return one finding for two of the same cause, with the operations of both."""
        known = {fact.key for fact in self.facts}
        facts = (*self.facts, *(fact for fact in other.facts if fact.key not in known))
        if facts == self.facts:
            return self
        code = tuple(dict.fromkeys([*self.code, *other.code]))
        return self._replace(brief=shorten(topic.brief(facts), BRIEF), code=code, facts=facts)


def causes_of(check: CheckResult, topic: Topic) -> dict[tuple[str, ...], CheckFinding]:
    """Return the findings of a failed check by cause."""
    found: dict[tuple[str, ...], CheckFinding] = {}
    for finding in findings_of(check, topic):
        found[finding.cause] = found.get(finding.cause, finding).join(finding, topic)
    return found


def findings_of(check: CheckResult, topic: Topic) -> Iterator[CheckFinding]:
    """Yield the findings of a failed check; none if an earlier check explains its cause.

    Only the most exact ones: the topic's facts, else the foreseen mistakes, else the first reading, else the message.
    """
    if check.outcome is not Outcome.FAILED or check.see:
        return
    found = [fact for fact in check.facts if fact.kind in READ_BACK]
    if found:
        yield from _of_topic(check, found, topic)
    elif check.mistakes:
        yield from map(_of_mistake, check.mistakes)
    elif check.readings:
        yield _of_reading(check.id, check.readings[0], f"{check.asked} {check.message}".strip())
    else:
        words = check.message or check.asked
        keys = [f"{fact.kind} {fact.key}" for fact in check.facts]
        yield CheckFinding(("facts", check.id, *(keys or [words])), shorten(words, BRIEF), (), words)


def ways_of(check: CheckResult, topic: Topic) -> frozenset[tuple[str, ...]]:
    """Return the keys of a check's findings: the way in which it fails. Empty without findings."""
    return frozenset(finding.key for finding in findings_of(check, topic))


def _of_topic(check: CheckResult, found: Sequence[Fact], topic: Topic) -> Iterator[CheckFinding]:
    """Yield a finding for each wrong operation or walk: the rules of both inputs often have the same slip."""
    for subject in dict.fromkeys(fact.about for fact in found):
        facts = [fact for fact in found if fact.about == subject]
        rules = [rule for rule in check.rules if rule.operation == subject]
        code = tuple(dict.fromkeys(rule.wrote for rule in rules if rule.wrote))
        rest = check.walk.words if check.walk else check.message or check.asked
        words = " ".join(dict.fromkeys(rule.words for rule in rules)) or rest
        key = ("facts", *(fact.key for fact in facts))
        yield CheckFinding(key, shorten(topic.brief(facts), BRIEF), code, words, tuple(facts))


def _of_mistake(mistake: KnownMistake) -> CheckFinding:
    first = re.split(r"(?<=[.:]) ", mistake.text, maxsplit=1)[0].rstrip(".:")
    return CheckFinding(("mistake", mistake.id), shorten(first, BRIEF), (), mistake.text)


def _of_reading(check: str, reading: Mismatch, message: str) -> CheckFinding:
    given = f" with {quote(reading.given)}" if reading.given else ""
    label = quote(reading.label) if reading.label else "what was read"
    brief = f"{label} is {quote(reading.actual)}{given}"
    expected = f"Expected is {reading.expected}." if reading.expected else ""
    key = ("reading", check, reading.label, reading.given, reading.actual)
    return CheckFinding(key, shorten(brief, BRIEF), (), f"{message} {expected}".strip())
