"""The sentences about rules and causes, all held by a snapshot."""

import re

import pytest
from helpers import same_as_snapshot
from msgspec.structs import replace

from grader.autograd import words
from grader.autograd.factwords import words_for
from grader.autograd.rules.explain import facts_of
from grader.autograd.rules.expressions import negate, parse
from grader.autograd.rules.operations import KNOWN
from grader.autograd.rules.search import Rule
from grader.autograd.rules.wrong import Cause, WrongOperation

NAMES = {"tanh": ("n",), "exp": ("x",), "relu": ("x",), "/": ("p", "q"), "**": ("a", "3")}


# One rule for each sentence in `what` and `why`: operation | statement | relations
TABLE = """
+    | self.grad = out.grad                                      | assigned
+    | self.grad = out.grad - self.grad                          | own_gradient_changed
+    | self.grad =- out.grad                                     | subtracted_assign
+    | self.grad += self.grad                                    | own_gradient_for_upstream
+    | other.grad += 1                                           | upstream_missing
+    | self.grad += 1 + out.grad                                 | upstream_added
+    | other.grad -= out.grad                                    | sign
+    | self.grad += 2 * out.grad                                 | doubled
+    | self.grad += out.grad / 2                                 | halved
+    | self.grad += math.copysign(1, self.data) * out.grad       | sign_only
+    | self.grad += other.data * out.grad                        | other_operation
+    | self.grad += abs(out.grad)                                | upstream_absolute
+    | self.grad += out.grad**2                                  | upstream_squared
+    | self.grad = 1                                             | assigned upstream_missing
+    | self.grad += 2 * out.grad                                 | both_contributions
+    | self.grad += 1 - out.grad                                 | upstream_subtracted
+    | self.grad += math.copysign(1, out.grad)                   | upstream_sign
+    | self.grad += other.grad                                   | other_gradient_for_upstream
+    | self.grad += self.data                                    | value_for_upstream
+    | self.grad += self.data * out.grad                         | factor_added
+    | other.grad += max(0, out.grad)                            | gate_added
+    | self.grad += math.sin(out.grad)                           |
-    | self.grad -= out.grad                                     | sign
-    | other.grad += out.grad                                    | sign
-    | other.grad += out.grad                                    | local_missing
-    | other.grad += self.data * out.grad                        | factor_added other_operation
-    | self.grad -= out.grad                                     | rule_of_other_input
-    | other.grad += out.grad                                    | rule_of_other_input
-    | self.grad += out.grad - out.grad                          | both_contributions
*    | self.grad += self.data * out.grad                         | swapped
*    | other.grad += other.data * out.grad                       | swapped
*    | self.grad += out.grad                                     | local_missing
*    | self.grad += other.data + out.grad                        | upstream_added
*    | self.grad += other.data / out.grad                        | upstream_divided
*    | other.grad -= self.data * out.grad                        | sign
*    | self.grad += abs(other.data) * out.grad                   | absolute
*    | self.grad += math.copysign(1, other.data) * out.grad      | sign_only
*    | self.grad += out.data * out.grad                          | output_for_input
*    | self.grad += other.grad * out.grad                        | gradient_for_value
*    | other.grad += self.grad * out.grad                        | updated_for_value
*    | other.grad += out.grad                                    | local_missing other_operation
*    | other.grad += out.grad                                    | other_operation
*    | self.grad += self.data * out.grad                         | rule_of_other_input
*    | self.grad += (self.data + other.data) * out.grad          | both_contributions
*    | self.grad += self.data * other.data * out.grad            | factor_added
*    | self.grad += out.grad / other.data                        | reciprocal
*    | self.grad += out.grad * out.grad                          | upstream_for_value
*    | self.grad += other.data * out.grad + 1                    | term_added
**   | self.grad += n * (-self.data) ** (n - 1) * out.grad        | sign_inside
/    | self.grad += out.grad / self.data                         | swapped
/    | self.grad += out.grad                                     | local_missing
/    | self.grad -= out.grad / other.data                        | sign
/    | other.grad += self.data / other.data**2 * out.grad        | sign
/    | self.grad += out.grad * other.data                        | operator
/    | self.grad += out.grad / other.data**2                     | squared
/    | other.grad += -self.data / other.data * out.grad          | square_missing
/    | other.grad += -1 / other.data**2 * out.grad               | factor_missing
/    | self.grad += out.data * out.grad                          | output_for_input
/    | self.grad += other.data * out.grad                        | other_operation
/    | self.grad += -self.data / other.data**2 * out.grad        | rule_of_other_input
/    | other.grad += -other.data**2 / self.data * out.grad       | turned
/    | self.grad += other.data * out.grad                        | reciprocal
**   | self.grad += out.grad                                     | local_missing
**   | self.grad += n * self.data**n * out.grad                  | exponent
**   | self.grad += n * self.data**n * out.grad                  | term_missing
**   | self.grad += self.data**(n - 1) * out.grad                | factor_missing
**   | self.grad += (n * self.data**n - 1) * out.grad            | parentheses
**   | self.grad -= n * self.data**(n - 1) * out.grad            | sign
**   | self.grad += abs(n) * self.data**(n - 1) * out.grad       | absolute
**   | self.grad += n * out.data**(n - 1) * out.grad             | output_for_input
**   | self.grad += self.data * self.data**(n - 1) * out.grad    | exponent_for_value
**   | self.grad += n * self.data**(n - 2) * out.grad            | number
neg  | self.grad += out.grad                                     | sign
neg  | self.grad += self.data * out.grad                         | value_for_local
neg  | self.grad += out.grad                                     | local_missing
neg  | self.grad += -self.data * out.grad                        | other_operation
exp  | self.grad -= out.data * out.grad                          | sign
exp  | self.grad += out.grad                                     | local_missing
exp  | self.grad += self.data * out.grad                         | value_for_local
exp  | self.grad += math.exp(out.data) * out.grad                | function
exp  | self.grad += self.data * out.grad                         | input_for_output
exp  | self.grad += out.data**2 * out.grad                       | squared
exp  | self.grad += (1 - out.data**2) * out.grad                 | other_operation
tanh | self.grad += (out.data**2 - 1) * out.grad                 | sign
tanh | self.grad += out.grad                                     | local_missing
tanh | self.grad += out.data * out.grad                          | value_for_local
tanh | self.grad += (1 - math.tanh(out.data) ** 2) * out.grad    | function
tanh | self.grad += (out.data**2 - 1) * out.grad                 | turned
tanh | self.grad += (1 + out.data**2) * out.grad                 | operator
tanh | self.grad += out.data**2 * out.grad                       | term_missing
tanh | self.grad += (1 - out.data) * out.grad                    | square_missing
tanh | self.grad += (1 - self.data**2) * out.grad                | input_for_output
tanh | self.grad += 1 - out.data**2 * out.grad                   | parentheses
tanh | self.grad += out.data * out.grad                          | other_operation
relu |                                                           | nothing
relu | self.grad -= (self.data > 0) * out.grad                   | sign
relu | self.grad += out.grad                                     | local_missing
relu | self.grad += out.grad                                     | gate_missing
relu | self.grad += (self.data < 0) * out.grad                   | gate_turned
relu | self.grad += (out.data >= 0) * out.grad                   | gate_output
relu | self.grad += self.data * out.grad                         | value_for_local
relu | self.grad += (out.grad > 0) * out.grad                    | gate_upstream
relu | self.grad += (self.grad > 0) * out.grad                   | gate_own_gradient
relu | self.grad += (self.data > 1) * out.grad                   | gate_threshold
relu | self.grad += out.grad if self.data > 0 else 0.1 * out.grad | leaky
relu | self.grad += out.data * out.grad                          | output_for_input
*    | out.data = self.data + other.data                         | operator
tanh | out.data = self.data                                      |
"""
ABOUT = {
    "backward_raises": {"error": "NameError"},
    "data_is_object": {"kind": "a Value"},
    "raises": {"error": "TypeError"},
    "number_left_fails": {"error": "TypeError: unsupported operand"},
    "number_right_fails": {"error": "AttributeError"},
    "grad_is_object": {"kind": "a Value"},
    "local_is_object": {"kind": "a Value"},
    "returns_no_value": {"kind": "None"},
    "grad_starts": {"kind": "1"},
}


def wrote(statement, *relations, right=False):
    """The rule that a statement in Python is."""
    target, operator, formula = statement.split(" ", 2)
    expression = parse(formula)
    if operator == "-=":
        operator, expression = "+=", negate(expression)
    return Rule(target.partition(".")[0], operator, expression, relations, right)


def rows():
    """Yield the table as operations and rules."""
    for line in TABLE.strip().splitlines():
        name, statement, relations = (part.strip() for part in line.split("|"))
        named = relations.split()
        yield KNOWN[name], wrote(statement, *named) if statement else Rule("self", relations=tuple(named))


def sentences(found, operation, names=(), *, shape="", variant="values"):
    """The words about these rules or causes of an operation, in the names of a test."""
    like = {"neg": "another operation", "*": "+", "exp": "tanh", "tanh": "exp"}.get(operation.name, "*")
    found = [
        replace(each, like=like) if isinstance(each, Rule) and "other_operation" in each.relations else each
        for each in found
    ]
    wrong = WrongOperation(operation, variant, tuple(found), shape)
    return [rule.words for rule in words_for([*facts_of(wrong, names)]).rules]


def sentence(rule, operation, names=(), *, shape=""):
    """The words about one rule."""
    return sentences([rule], operation, names, shape=shape)[0]


def cause(name):
    """The words about a cause at the left input of a product."""
    variants = {"counted_once": "twice"}
    variant = variants.get(name, name.removesuffix("_fails") if name.endswith("_fails") else "values")
    found = [Cause(name, "self", **ABOUT.get(name, {}))]
    return sentences(found, KNOWN["*"], ("a", "b"), variant=variant)[0]


def test_every_sentence():
    """The snapshot has one line for each operation and relation."""
    lines = [sentence(rule, operation, NAMES.get(operation.name, ("a", "b"))) for operation, rule in rows()]
    lines += [cause(name) for name in sorted(words.CAUSES)]
    same_as_snapshot("words", "\n".join(lines) + "\n")


def test_the_table_has_every_sentence():
    """An added sentence needs an added row in the table."""
    relations = {(op.name, r, rule.input) for op, rule in rows() for r in rule.relations}
    reasons = {
        (name, relation, which)
        for name, table in words.WHY.items()
        for relation, why in table.items()
        for which in (why if isinstance(why, dict) else ["self", "other"])
    }
    either = {(name, relation) for name, relation, _ in relations}
    split = {r for r in reasons if isinstance(words.WHY[r[0]][r[1]], dict)}

    assert set(words.WHY) <= set(KNOWN)
    assert words.RELATIONS.keys() == {relation for _, relation in either}
    assert {(name, relation) for name, relation, _ in reasons} <= either
    assert split <= relations


def test_no_sentence_holds_the_right_line():
    """A reason holds no part of a formula. (The engine's own line may be right except for `=`.)"""
    told = [
        *(each.sentence for each in words.RELATIONS.values()),
        *(why for table in words.WHY.values() for why in table.values()),
    ]
    texts = [text for why in told for text in (why.values() if isinstance(why, dict) else [why])]
    assert [text for text in texts if re.search(r"\.data|\+=|\*\*\(|²|⁻", text)] == []


@pytest.mark.parametrize("name", KNOWN)
def test_every_relation_fits_every_operation(name):
    """Three sentences at most, short ones, with every name filled in."""
    for relation in words.RELATIONS:
        rule = Rule("other" if KNOWN[name].binary else "self", "+=", "out.grad", (relation,))
        text = sentence(rule, KNOWN[name])
        assert "{" not in text, relation
        assert len(text) < 260, relation
        assert len(re.findall(r"\w\. |\w[.]$", text)) <= 4, relation


# --- In the names of the test


@pytest.mark.parametrize(
    ("name", "names", "beginning"),
    [
        ("*", ("p", "q"), "In p * q your engine does the same as `p.grad += p.data * out.grad`."),
        ("*", ("p", "p"), "In a * b your engine does the same as `a.grad += a.data * out.grad`."),
        ("*", ("p + q", "r"), "In a * b your engine does the same as `a.grad += a.data * out.grad`."),
        ("*", ("out", "r"), "In a * b your engine does the same as `a.grad += a.data * out.grad`."),
        ("*", ("2", "r"), "In a * b your engine does the same as `a.grad += a.data * out.grad`."),
        ("*", (), "In a * b your engine does the same as `a.grad += a.data * out.grad`."),
        ("**", ("x", "3"), "In x ** n your engine does the same as `x.grad += x.data * out.grad`."),
        ("neg", ("x",), "In -x your engine does the same as `x.grad += x.data * out.grad`."),
        ("**", ("n", "2"), "In a ** n your engine does the same as `a.grad += a.data * out.grad`."),
        ("tanh", ("n",), "In n.tanh() your engine does the same as `n.grad += n.data * out.grad`."),
        ("tanh", ("x1",), "In x1.tanh() your engine does the same as `x1.grad += x1.data * out.grad`."),
    ],
)
def test_names_of_the_test(name, names, beginning):
    """The names of the operands if a formula can use them; else a and b."""
    text = sentence(wrote("self.grad += self.data * out.grad"), KNOWN[name], names)
    assert text == beginning


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("self.grad += self.data * out.grad", "p.data"),
        ("self.grad += (1 - out.data) * out.grad", "1 - out.data"),
        ("self.grad += (1 + out.data) * (1 - out.data) * out.grad", "(1 + p.data) * (1 - p.data)"),
        ("self.grad += out.grad", "1"),
        ("self.grad += -out.grad", "-1"),
    ],
)
def test_local_gradients(statement, kept, snapshot):
    """If nodes keep local gradients, the sentence is about the local gradient."""
    kept = kept.replace("p.data", "out.data") if "out.data" in statement else kept
    text = sentence(wrote(statement), KNOWN["*"], ("p", "q"), shape="local")
    assert text == snapshot


def test_the_same_reason_is_reported_once(snapshot):
    """Both inputs are overwritten: the second one has its own line and no second reason."""
    rules = [
        wrote("self.grad = other.data * out.grad", "assigned"),
        wrote("other.grad = self.data * out.grad", "assigned"),
        Rule("other", relations=("nothing",)),
    ]
    first, second, third = sentences(rules, KNOWN["*"], ("p", "q"))
    assert first == snapshot
    assert second == snapshot
    assert third == snapshot


def test_a_right_line_that_a_wrong_one_reads(snapshot):
    """It comes first, and is called right."""
    rules = [
        wrote("self.grad += other.data * out.grad", right=True),
        wrote("other.grad += self.grad * out.grad", "updated_for_value"),
    ]
    first, second = sentences(rules, KNOWN["*"], ("p", "q"))
    assert first == snapshot
    assert second == snapshot


def test_the_relation_that_says_most(snapshot):
    """The rule of another operation comes before a factor too many, and after a missing value."""
    rule = wrote("other.grad += self.data * out.grad", "factor_added", "other_operation")
    assert sentence(rule, KNOWN["+"]) == snapshot
    rule = wrote("self.grad += out.grad / math.exp(-self.data)", "other_operation")
    assert sentence(rule, KNOWN["tanh"]) == snapshot
    rule = wrote("other.grad += out.grad", "local_missing", "other_operation")
    assert "the rule of" not in sentence(rule, KNOWN["*"])


def test_another_function_than_its_own(snapshot):
    """The sentence that the result is tanh already is only for a second tanh."""
    again = wrote("self.grad += (1 - math.tanh(out.data) ** 2) * out.grad", "function")
    assert sentence(again, KNOWN["tanh"]) == snapshot
    root = wrote("self.grad += math.sqrt(1 - out.data**2) * out.grad", "function")
    assert "already" not in sentence(root, KNOWN["tanh"])


def test_a_forward_pass(snapshot):
    """The sentence has the value that was computed, and says where to begin."""
    text = sentence(wrote("out.data = self.data + other.data", "operator"), KNOWN["*"], ("p", "q"))
    assert text == snapshot


def test_a_cause_without_words_is_an_error_of_ours():
    """Its sentence would have no words."""
    with pytest.raises(KeyError):
        cause("unheard_of")
