"""The topic of a scalar autograd engine: leaves, PyTorch's numbers, charts of gradients, explanations."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

from grader.autograd.engine import EngineNames, engine_of, engine_with, wrong_names
from grader.autograd.parity import Oracle, ParityCase, has_torch, parity_agrees, read_parity, write_records
from grader.errors import Refused, nearest
from grader.report import Bar, Chart, Fact, Location, cap
from grader.sandbox.proxy import OF_PROXIES, Proxy, label_of, object_kind, short
from grader.sandbox.student import Student
from grader.topic import FactWords, Failing, Topic, Watcher, setting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.manifest import Manifest
    from grader.sandbox import Frame, Record, Sandbox

MAX_BARS = 12
SIDES = ("lowers the output", "raises the output")


class AutogradStudent(Student):
    """The submission, with leaves of its `Value`, or of its `Tensor` where the manifest has `arrays: true`."""

    @property
    def engine(self) -> EngineNames:
        """The names of its class, attributes and methods."""
        return engine_of(self._sandbox)

    def leaves(self, /, **data: Any) -> tuple[Any, ...]:
        """Return one `Value(number)` for each name, in order; messages use these names.

        With arrays it is a `Tensor` of a number, nested lists or an array.
        """
        make, name = self.node_class, self.engine.node
        assert isinstance(make, Proxy), f"`{name}` should be a class; here it is {short(make)}."
        leaves = self.named(make, **data)
        vars(self).setdefault("_leaves", []).extend(leaves)  # `hand_on` verifies that their data stay
        return leaves

    @property
    def node_class(self) -> Any:
        """The student's class of nodes."""
        return getattr(self, self.engine.node)


class AutogradTopic(Topic):
    """Grading of gradients; the records are PyTorch's numbers."""

    record = "parity.json"
    student = AutogradStudent

    def fixtures(self) -> dict[str, Callable[[], object]]:
        """Return `oracle`, which gives PyTorch's numbers: `oracle(expression, a=2.0, ...)`."""
        return {"oracle": lambda: self.oracle}

    @functools.cached_property
    def oracle(self) -> Oracle:
        """The records; live torch after `compute`. Raises Broken."""
        return Oracle(read_parity(side / self.record for side in self.sides.values()))

    def prepare(self) -> None:
        """Read the records, once."""
        self.oracle  # noqa: B018  the first access reads it

    def compute(self) -> None:
        """Use live torch from now on."""
        self.oracle = Oracle(live=True)

    def record_texts(self, judge: Callable[[str], object]) -> dict[Path, str]:
        """Return the texts of new records with the numbers of live torch, and use these from now on; empty without cases."""
        cases, files = dict[str, ParityCase](), {}
        for name, side in self.sides.items():
            started, self.oracle = "torch" in sys.modules, Oracle(live=True)
            judge(name)
            if "torch" in sys.modules and not started:  # a test that waits for its import may run out of time
                judge(name)
            asked, path = self.oracle.asked, side / self.record
            if asked or path.is_file():
                files[path] = write_records(asked.values())
            cases.update(asked)
        self.oracle = Oracle(cases)
        return files

    @property
    def record_note(self) -> str:
        """A sentence if PyTorch is missing; else empty."""
        if has_torch():
            return ""
        return (
            "PyTorch is not installed (extra `torch`): the gradients in parity.json are exact derivatives that Backgrade "
            "computed; `grade validate` with PyTorch compares them"
        )

    def same_record(self, old: str, new: str) -> bool:
        """Return True if the numbers of two records agree: their last digits depend on the processor."""
        return parity_agrees(old, new)

    def attributes_to_read(self, check: Path, sandbox: Sandbox | None = None) -> Sequence[str]:  # noqa: ARG002  of every check
        """Return the attributes to read from every node: value and gradient."""
        engine = engine_of(sandbox)
        return (engine.data, engine.grad)

    def owner_of(self, sandbox: Sandbox, attribute: str) -> str:
        """Return the class of nodes for an attribute that each node has; else empty."""
        engine = engine_of(sandbox)
        has = {engine.data, engine.grad, engine.prev, engine.children, engine.local_grads, engine.closure}
        is_known = attribute in {*has, engine.backward} or attribute.startswith(OF_PROXIES)
        return engine.node if is_known else ""

    def problems(
        self, manifest: Manifest, names: Collection[str], attributes: Collection[str] = ()
    ) -> Iterable[str]:
        """Yield operations that cannot be read, rules that are not derivatives, and missing names and walks of the reference."""
        yield from wrong_names(manifest.names, names, attributes)
        # Late: only the author's commands need them.
        if manifest.arrays:
            from grader.autograd.arrays.operations import problems

            yield from problems(manifest.operations or ())
        else:
            from grader.autograd.rules.operations import operations_of, wrong_rules

            try:
                for operation in operations_of(manifest.operations or ()):
                    yield from wrong_rules(operation)
            except Refused as error:
                yield str(error)
        engine = engine_with(manifest.names, arrays=manifest.arrays)
        yield from (
            f"`walks` names `{walk}`, which the reference does not define{nearest(walk, list(names))}; "
            f"write a function's name or a method's, such as `{engine.node}.{engine.backward}`"
            for walk in manifest.walks or ()
            if walk not in names
        )

    def misread(self, sandbox: Sandbox, manifest: Manifest) -> Iterable[str]:
        """Yield the explanations that the reference's rules of arrays would get. They may be right only for this course.

        Raises StudentError, SubmissionStopped.
        """
        if not manifest.arrays:
            return
        from grader.autograd.arrays.explain import facts_of
        from grader.autograd.arrays.operations import names_of_operations
        from grader.autograd.arrays.probe import wrong_rules
        from grader.autograd.words.own import in_names

        for wrong in wrong_rules(sandbox, names_of_operations(manifest.operations)):
            name = wrong.found.operation.name
            facts = [in_names(fact.fact(), engine_of(sandbox)) for fact in facts_of(wrong.found, ("a", "b"))]
            words = self.words_for(facts).rules[0].words
            alike = f" or write `{name} same shape`" if wrong.found.operation.broadcasts else ""
            yield (
                f"`{name}` would be explained as wrong: {words} If that rule is right in this assignment, list in "
                f"`operations` what its checks use, without `{name}`{alike}"
            )

    def words_for(self, facts: Sequence[Fact]) -> FactWords:
        """Return the words for rules, causes and the first walk."""
        from grader.autograd.factwords import words_for  # late: a right submission has no facts

        return words_for(facts)

    def brief(self, facts: Sequence[Fact]) -> str:
        """Return a few words: "`=` for `+=` in +", "`backward` calls a node too early, before nodes made from it"."""
        from grader.autograd.factwords import brief

        return brief(facts)

    def hint(self, fact: Fact) -> str:
        """Return a hint about a wrong rule or walk."""
        from grader.autograd.factwords import hint

        return hint(fact)

    def chart(self, record: Record, rows: Sequence[Mapping[str, Any]]) -> Chart | None:
        """Return bars with the gradients of the leaves that a test named, or else of its named nodes.

        None if no gradient is a finite number. `rows` has the attributes of every object in the record. If two objects have
        the same name, the later one counts: the earlier one was a trial of the check.
        """
        nodes = [proxy for proxy in record.proxies.values() if object_kind(proxy) == "instance"]
        found = {
            label_of(node): row[engine_of(node).grad]
            for node, row in zip(nodes, rows, strict=False)  # no rows if the jail did not answer
            if (label_of(node) in record.named if record.named else label_of(node).isidentifier())
        }
        bars = [
            Bar(cap(name), float(value))
            for name, value in found.items()
            if isinstance(value, int | float)
            and not isinstance(value, bool)
            and abs(value) <= sys.float_info.max
        ]
        return Chart("Gradients", cap(setting(record)), *SIDES, bars[:MAX_BARS]) if bars else None

    def watcher(self, sandbox: Sandbox, manifest: Manifest) -> Watcher | None:
        """Return a watcher that knows the operations of the manifest."""
        from grader.autograd.rules.operations import operations_of
        from grader.autograd.traces.watch import TestWatcher

        if manifest.arrays:
            from grader.autograd.arrays.operations import METHODS

            return TestWatcher(sandbox, (), METHODS)
        return TestWatcher(sandbox, operations_of(manifest.operations or ()))

    def play(self, student: Any, given: Mapping[str, Any]) -> None:
        """Build the graph of `play_typed` in the student's engine."""
        from grader.autograd.questions.runs import play_typed

        play_typed(student, **given)

    def examination(self) -> Any:
        """Return the questions about an engine."""
        from grader.autograd.questions import examination

        return examination

    def explain(
        self,
        failing: Sequence[Failing],
        waiting: Collection[str] | None,
        sandbox: Sandbox,
        manifest: Manifest,
        locate: Callable[[Frame | None], Location | None],
    ) -> dict[str, list[Fact]]:
        """Return facts about wrong rules of operations, wrong walks over graphs, and names that differ."""
        engine = engine_of(sandbox)
        # The walks of every engine, if the manifest names none.
        usual = ("build_topo", engine.backward, f"{engine.node}.{engine.backward}")
        names = usual if manifest.walks is None else manifest.walks

        # Late: these imports take time, and not every wrong submission needs them.
        def rules() -> dict[str, list[Fact]]:
            if manifest.arrays:
                from grader.autograd.arrays.explain import explain_arrays
                from grader.autograd.arrays.operations import names_of_operations

                return explain_arrays(failing, sandbox, names_of_operations(manifest.operations), locate)
            from grader.autograd.rules.explain import explain_rules
            from grader.autograd.rules.operations import KNOWN, operations_of

            try:
                operations = operations_of(KNOWN if manifest.operations is None else manifest.operations)
            except Refused:  # `grade validate` reports it to the author
                operations = []
            return explain_rules(failing, waiting, sandbox, operations, locate)

        def walks() -> dict[str, list[Fact]]:
            if not any(result.uses(name) for each in failing for result in each.results for name in names):
                return {}
            from grader.autograd.walks.explain import explain_walks

            return {check: [walk] for check, walk in explain_walks(sandbox, names, failing, locate).items()}

        from grader.autograd.naming import explain_names
        from grader.autograd.words.own import in_names

        found: dict[str, list[Fact]] = {}
        for way in (rules, walks, lambda: explain_names(failing, sandbox)):
            for check, facts in sandbox.budget.deadline.attempt(way, dict[str, list[Fact]]()).items():
                found.setdefault(check, []).extend(in_names(fact, engine) for fact in facts)
        return found
