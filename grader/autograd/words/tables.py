"""The sentences about wrong operations: facts about calculus, and about what the engine did.

`rules.py` joins them. A sentence of STATEMENTS says what the engine does, one of RELATIONS how that differs from the right
rule, one of WHY gives the reason for this operation. No sentence shows the right line of code or describes how the
student's code is written.

Names in a template: `{input}` is the input that gets the gradient, `{partner}` the other input, `{call}` the operation as
the test applied it, `{type}` the type of an error, `{kind}` the class of an object, `{reflected}` the method that Python calls
when a number stands on the left. The other names are fields of a fact (`facts.py`).
"""

from __future__ import annotations

from typing import NamedTuple


class Words(NamedTuple):
    """A sentence for the student, and a few words for the list of a class's mistakes.

    `brief` comes before the operation: "`=` for `+=`" becomes "`=` for `+=` in +".
    """

    sentence: str
    brief: str


# What an engine does, and sentences that several relations share. Formulas are between backticks.
STATEMENTS = {
    "rule": "{who} does the same as `{wrote}`.",
    "stretched": "{who} does the same as `{wrote}` where {input} is stretched.",
    "first": "{who} first does the same as `{wrote}`, which is right.",
    "kept": "{who} keeps a local gradient of {input} that equals `{kept}`.",
    "nothing": "{who} does not change {input}.grad.",
    "result": "{code} computes the same as `{formula}`.",
    "forward": "The forward pass is wrong here. Fix it first: everything else is computed from this value.",
    "summed": "Broadcasting uses an entry several times. The gradient of this entry is the sum over its own uses.",
    "square": "With square matrices numpy raises no error, but the contribution is still wrong.",
}
# By relation, for every operation.
RELATIONS = {
    "nothing": Words(
        "The result moves when {input} moves, so {input} must get a contribution.", "no contribution"
    ),
    "assigned": Words(
        "`=` overwrites what {input}.grad already holds. If a value is used in two places, the first contribution is lost.",
        "`=` for `+=`",
    ),
    "own_gradient_changed": Words(
        "It computes with {input}.grad itself. Keep what {input}.grad already holds, and only add the contribution to it.",
        "a gradient computed from itself",
    ),
    "both_contributions": Words(
        "{input} gets the contributions of both inputs, and the other input gets none.",
        "both contributions to one input",
    ),
    "subtracted_assign": Words(
        "`=-` does this, too: Python reads it as `=` and a minus sign.",
        "`=` for `-=`",
    ),
    "swapped": Words(
        "It uses the value of one input where the value of the other belongs.", "the value of the wrong input"
    ),
    "upstream_missing": Words(
        "The upstream gradient is missing. It may be left out only where out.grad is 1, as at the root.",
        "no upstream gradient",
    ),
    "local_missing": Words(
        "It hands on the upstream gradient unchanged, as if the local derivative were 1.",
        "no local derivative",
    ),
    "upstream_added": Words(
        "It adds the upstream gradient. The chain rule multiplies by it.",
        "upstream gradient added, not multiplied",
    ),
    "upstream_subtracted": Words(
        "It uses the upstream gradient in a subtraction. The chain rule multiplies by it.",
        "upstream gradient subtracted, not multiplied",
    ),
    "upstream_squared": Words(
        "It uses the upstream gradient twice. The chain rule multiplies by it once.",
        "upstream gradient used twice",
    ),
    "upstream_absolute": Words(
        "It drops the sign of the upstream gradient, and with it the direction.",
        "upstream gradient without its sign",
    ),
    "upstream_sign": Words(
        "It uses only the sign of the upstream gradient, not its size.",
        "only the sign of the upstream gradient",
    ),
    "upstream_divided": Words(
        "It divides by the upstream gradient. The chain rule multiplies by it.",
        "divided by the upstream gradient",
    ),
    "sign": Words("It has the wrong sign.", "opposite sign"),
    "sign_inside": Words("One sign inside the formula is reversed.", "a reversed sign"),
    "doubled": Words("It is twice the right contribution.", "twice the contribution"),
    "halved": Words("It is half of the right contribution.", "half of the contribution"),
    "output_for_input": Words(
        "It uses the value of the result where the value of an input belongs.",
        "the value of the result for the value of an input",
    ),
    "input_for_output": Words(
        "It uses the value of an input where the value of the result belongs.",
        "the value of an input for the value of the result",
    ),
    "gradient_for_value": Words(
        "It uses the gradient of an input where a value belongs. That gradient is 0 at first.",
        "a gradient for a value",
    ),
    "updated_for_value": Words(
        "It uses {partner}.grad where a value belongs. By then, {partner}.grad already has its own contribution.",
        "a gradient for a value",
    ),
    "upstream_for_value": Words(
        "It uses the upstream gradient where a value belongs.", "the upstream gradient for a value"
    ),
    "exponent_for_value": Words(
        "It uses the exponent where a value belongs, or a value where the exponent belongs.",
        "exponent and value mixed up",
    ),
    "own_gradient_for_upstream": Words(
        "It uses {input}.grad instead of out.grad. {input}.grad is the gradient that is computed here, and it is 0 at first.",
        "the input's own gradient for the upstream one",
    ),
    "other_gradient_for_upstream": Words(
        "It uses the gradient of the other input instead of out.grad, the gradient of the result.",
        "the other input's gradient for the upstream one",
    ),
    "value_for_upstream": Words(
        "It uses a value instead of out.grad, the gradient of the result.",
        "a value for the upstream gradient",
    ),
    "value_for_local": Words(
        "It uses a plain value where the local derivative belongs.", "a plain value for the local derivative"
    ),
    "rule_of_other_input": Words(
        "That is the rule for {partner}, the other input.", "the rule for the other input"
    ),
    "factor_missing": Words("A factor is missing.", "a factor missing"),
    "factor_added": Words("It has one factor too many.", "a factor too many"),
    "term_missing": Words("A term is missing.", "a term missing"),
    "term_added": Words("It has one term too many.", "a term too many"),
    "operator": Words("One of its operators is wrong.", "a wrong operator"),
    "turned": Words("The two sides of one of its operators are swapped.", "swapped sides of an operator"),
    "number": Words("One of its numbers is wrong.", "a wrong number"),
    "reciprocal": Words(
        "It divides where it should multiply, or multiplies where it should divide.",
        "divided for multiplied, or multiplied for divided",
    ),
    "function": Words(
        "It uses other functions than the derivative does: one is different, missing or extra.",
        "a wrong function",
    ),
    "parentheses": Words(
        "Its numbers are right, but they are grouped the wrong way: look at the parentheses.",
        "wrong parentheses",
    ),
    "exponent": Words("One of its exponents is wrong.", "a wrong exponent"),
    "square_missing": Words("A square is missing.", "a square missing"),
    "squared": Words("It squares a number that the derivative does not square.", "a square too many"),
    "absolute": Words(
        "It uses the absolute value of a number, without its sign.", "a value without its sign"
    ),
    "sign_only": Words("It uses only the sign of a number, not its size.", "only the sign of a value"),
    "gate_turned": Words(
        "The gradient passes where it should stop, and stops where it should pass.",
        "a reversed comparison",
    ),
    "gate_upstream": Words(
        "The sign of the upstream gradient decides what passes. The chain rule multiplies by that gradient, whatever its sign is.",
        "a comparison of the upstream gradient",
    ),
    "gate_own_gradient": Words(
        "{input}.grad decides what passes. It is the gradient that is computed here, and it is 0 at first.",
        "a comparison of the input's own gradient",
    ),
    "gate_threshold": Words(
        "It starts to pass the gradient at the wrong value of {input}.",
        "a comparison with a wrong number",
    ),
    "gate_missing": Words("It passes the gradient for every value of {input}.", "no comparison"),
    "gate_output": Words(
        "One of its comparisons tests the wrong value, or is used where the value itself belongs.",
        "a comparison of the wrong value",
    ),
    "gate_added": Words(
        "Its formula has a bend or a jump, for example from `max` or a comparison. The derivative has none there.",
        "a comparison too many",
    ),
    "leaky": Words(
        "It hands on part of the gradient where the result does not move at all.",
        "a part handed on where nothing moves",
    ),
    "other_operation": Words("That is the rule of {like}.", "the rule of another operation"),
}
# Causes that no formula shows; they come before any formula.
CAUSES = {
    "no_backward": Words(
        "The result of {call} has no `_backward`, so nothing reaches its inputs.", "no `_backward`"
    ),
    "backward_none": Words(
        "The `_backward` of the result of {call} is None, so nothing reaches its inputs.",
        "`_backward` is None",
    ),
    "backward_default": Words(
        "The result of {call} has the `_backward` of a leaf, which does nothing, so nothing reaches its inputs. Give the result its own `_backward`, or compute it with an operation whose result has one.",
        "`_backward` does nothing",
    ),
    "backward_on_input": Words(
        "{call} sets the `_backward` of an input. The `_backward` of its result does nothing, so nothing reaches its inputs.",
        "`_backward` set on an input",
    ),
    "backward_not_callable": Words(
        "The `_backward` of the result of {call} is not a function, so it cannot be called.",
        "`_backward` is not a function",
    ),
    "backward_unset": Words(
        "{call} defines a function, but its result still has the `_backward` of a leaf, which does nothing, so nothing reaches its inputs.",
        "the function is not stored as `_backward`",
    ),
    "backward_returns": Words(
        "The `_backward` of the result of {call} changes no gradient. It returns a value, but nothing adds that value to the gradients of the inputs.",
        "`_backward` returns its contributions",
    ),
    "backward_returns_function": Words(
        "The `_backward` of the result of {call} changes no gradient. It returns a function instead. Store the function that adds the contributions as `_backward` itself.",
        "`_backward` returns a function",
    ),
    "backward_raises": Words(
        "Calling `_backward` of the result of {call} raises {error}.", "`_backward` raises an error"
    ),
    "backward_ran_early": Words(
        "{call} writes gradients in the forward pass, while out.grad is still 0, and none in the backward pass.",
        "`_backward` runs in the forward pass",
    ),
    "forward_changes_grad": Words(
        "Computing {call} changes {input}.grad. Only the backward pass writes gradients.",
        "the forward pass changes a gradient",
    ),
    "grad_starts": Words(
        "The gradient of a new Value is {kind}. Contributions are added to it, so it must start at 0.",
        "gradients that do not start at 0",
    ),
    "equal_values_share_grad": Words(
        "Two Values with equal data share one gradient: if you set one, the other changes, too.",
        "one gradient for equal values",
    ),
    "values_share_grad": Words(
        "Two Values share one gradient: if you set one, the other changes, too.",
        "one gradient for two values",
    ),
    "data_is_object": Words(
        "The data of {call} is {kind}. It must be a number.", "data is an object, not a number"
    ),
    "forward_changes_data": Words(
        "Computing {call} changes {input}.data. An operation must not change its inputs.",
        "the forward pass changes data",
    ),
    "changes_data": Words(
        "The backward pass of {call} changes {input}.data. It must change only gradients, never data.",
        "the backward pass changes data",
    ),
    "changes_upstream": Words(
        "The backward pass of {call} changes out.grad, the gradient of the result. It must only read out.grad.",
        "the backward pass changes `out.grad`",
    ),
    "on_input": Words(
        "Computing {call} replaces the `_backward` of an input. Only the result gets a new one; an input keeps its own.",
        "`_backward` of an input replaced",
    ),
    "repeats_inputs": Words(
        "The `_backward` of the result of {call} also calls the `_backward` of an input. If that is called in its own turn, too, the input hands on twice.",
        "`_backward` calls that of an input",
    ),
    "grad_is_object": Words(
        "After the backward pass of {call}, {input}.grad is {kind}. A gradient is a number.",
        "a gradient is an object, not a number",
    ),
    "local_is_object": Words(
        "{call} keeps {kind} as the local gradient of {input}. A local gradient is a number.",
        "a local gradient is an object, not a number",
    ),
    "raises": Words("{call} raises {error}.", "an error"),
    "returns_no_value": Words("{call} returns {kind}, not a node of the graph.", "the result is not a node"),
    "input_cut": Words(
        "The result of {call} has no link back to {input}: only the number in {input} was used.",
        "an input cut off from the graph",
    ),
    "input_not_kept": Words(
        "The result of {call} does not keep {input}, so a walk from the result does not reach it.",
        "an input that the result does not keep",
    ),
    "keeps_no_inputs": Words(
        "The result of {call} does not keep its inputs, so a walk from the result stops there.",
        "a result that keeps no inputs",
    ),
    "counted_once": Words(
        "In {call} your engine adds one contribution to {input}.grad. {input} is on both sides, so it must get two.",
        "a value on both sides counts once",
    ),
    "number_left_fails": Words(
        "{call} raises {type}. With a number on the left, Python calls `{reflected}` of the object on the right.",
        "a number on the left raises an error",
    ),
    "number_right_fails": Words(
        "{call} raises {type}. A plain number has no `.data`: turn it into a Value first.",
        "a number on the right raises an error",
    ),
}

# One more sentence about a cause, by its kind of object or the type of its error.
MORE = {
    ("grad_starts", "1"): "The backward pass sets only the root's gradient to 1.",
    ("returns_no_value", "None"): "A call that ends without a `return` gives None.",
    ("returns_no_value", "a plain number"): "The graph ends there.",
    ("number_left_fails", "RecursionError"): (
        "If that method puts the number first again, Python calls it again, without end. Put the Value first where the "
        "order of the two sides does not matter, and turn the number into a Value where it does."
    ),
    (
        "backward_ran_early",
        "",
    ): "Did you call the inner function, with parentheses, where the function should only be stored?",
}

# What the engine does over the axes that broadcasting adds, and over those that it stretches.
DONE_OVER = {
    "averaged": "averages over {}",
    "first": "takes the first entry along {}",
    "largest": "takes the largest entry along {}",
    "last": "sums over the last axes instead of {}",
    "lost": "removes {} when it sums over them",
    "left": "does not sum over {}",
}
REDUCTIONS = {
    "left left": "The contribution is not summed over the broadcast axes.",
    "aligned": "The contribution is not summed over the axes that broadcasting adds.",
    "turned": "The contribution is summed to the shape of {input}.data with its axes reversed.",
    "partner's": "The contribution is summed to the shape of {partner}, not to the shape of {input}.",
    "total": "That is one number for all entries.",
    "filled": "Every entry gets the sum over all entries.",
    "cut": "The contribution is cut to as many entries as {input} has, and not summed over the broadcast axes.",
    "reshaped": "That equals a reshape, which keeps the number of entries: it does not sum over the broadcast axes.",
}

# Relations to the right rule that only arrays have.
OF_ARRAYS = {
    "scaled": Words(
        "With {shapes} that is {factor} times the right contribution.", "{factor} times the contribution"
    ),
    "transposed": Words("It is the transpose of the derivative.", "the transpose of the contribution"),
    "summed_first": Words(
        "It sums out.grad first, and multiplies or divides afterwards. Each use of an entry has its own factor, so the sum must come last.",
        "summed before the product",
    ),
    "rows_once": Words(
        "If a row is taken twice, only one of its two contributions is added: with a repeated index, numpy adds only once.",
        "a repeated index counted once",
    ),
}
# What an engine does with the memory of an array. No other sentence comes with these.
MEMORY = {
    "first_grad": Words(
        "In a new {node} whose `.data` has the shape {shape}, `.grad` {had}. With zeros in the shape of `.data`, the rule "
        "of {call} is right.",
        "a first gradient that is not zeros in the shape of the data",
    ),
    "on_input": CAUSES["on_input"],
    "repeats_inputs": CAUSES["repeats_inputs"],
    "changes_upstream": Words(
        "In {call} `_backward` changes out.grad, the gradient of the result. It must only read out.grad.",
        "the upstream gradient changed",
    ),
    "input_not_kept": CAUSES["input_not_kept"],
    "forward_changes_data": Words(
        "Computing {call} changes the data of an input. An operation must not change its inputs.",
        "the forward pass changes data",
    ),
    "changes_data": Words(
        "In {call} `_backward` changes the data of an input. It must change only gradients, never data.",
        "data changed by `_backward`",
    ),
}
_OF_A_DIFFERENCE = {
    "self": "The difference grows when {input} grows.",
    "other": "The difference falls when {input} grows.",
}
# The reasons that the course gives, by operation and relation: one sentence, or one for the left input (`self`) and one
# for the right (`other`).
WHY: dict[str, dict[str, str | dict[str, str]]] = {
    "+": {
        "sign": "A sum grows when either of its inputs grows.",
        "doubled": "A sum grows by exactly as much as {input} grows.",
        "upstream_added": "The local derivative of a sum is 1, and multiplying by 1 changes nothing.",
        "sign_only": "The sign of an input does not matter: when it goes up, the sum goes up by as much.",
        "factor_added": "A sum grows by exactly as much as {input} grows.",
        "both_contributions": "A sum grows when either of its inputs grows, so each has its own contribution.",
        "other_operation": "A sum grows by exactly as much as {input} grows, however large its inputs are.",
    },
    "-": {
        "sign": _OF_A_DIFFERENCE,
        "local_missing": "The difference falls when {input} grows.",
        "rule_of_other_input": _OF_A_DIFFERENCE,
        "both_contributions": "The difference moves with either of its inputs, so each has its own contribution.",
        "other_operation": "The local derivatives of a difference do not depend on the values of its inputs.",
    },
    "*": {
        "swapped": "If {input} grows by 1, the product grows by the value of {partner}.",
        "rule_of_other_input": "If {input} grows by 1, the product grows by the value of {partner}.",
        "both_contributions": "A product has two factors, and each of them moves it.",
        "factor_added": "The slope for one factor is just the other factor.",
        "reciprocal": "A factor of 10 passes on ten times as much as a factor of 1.",
        "local_missing": "If {input} grows by 1, the other factor says by how much the product grows.",
        "upstream_added": "If {input} grows by 1, the product grows by the other factor, and the root moves out.grad times as far as the product.",
        "sign": "The slope for one factor is the other factor, with its sign.",
        "absolute": "When the other factor is negative, a larger {input} makes the product smaller.",
        "sign_only": "A factor of 10 passes on ten times as much as a factor of 1.",
        "output_for_input": "The slope for one factor is the other factor, not the product.",
        "gradient_for_value": "The local derivative of a product is a value, not a gradient.",
        "updated_for_value": "The local derivative of a product is a value, not a gradient.",
        "other_operation": "In a product the other factor says how far the result moves.",
    },
    "/": {
        "swapped": "Both slopes of a quotient divide by the divisor.",
        "rule_of_other_input": "The dividend and the divisor have different slopes: the quotient is linear in the dividend only.",
        "turned": "Both slopes of a quotient divide by the divisor.",
        "reciprocal": "The larger the divisor, the less the quotient moves.",
        "local_missing": "How far the quotient moves depends on the divisor.",
        "sign": {
            "self": "With a positive divisor the quotient grows when {input} grows.",
            "other": "When the divisor grows, a positive quotient gets smaller.",
        },
        "operator": "The larger the divisor, the less the quotient moves.",
        "squared": {
            "self": "With a divisor twice as large, the quotient moves half as far when {input} moves."
        },
        "square_missing": "With a divisor twice as large, the quotient moves a quarter as far when the divisor moves.",
        "factor_missing": {"other": "How far the divisor moves the quotient depends on both values."},
        "output_for_input": {
            "self": "A quotient is linear in {input}: its slope does not depend on {input}."
        },
        "other_operation": "The larger the divisor, the less the quotient moves.",
    },
    "**": {
        "local_missing": "How far a power moves depends on its base and on its exponent.",
        "exponent": "The slope of a cube grows like a square: one power less.",
        "term_missing": "The slope of a cube grows like a square: one power less.",
        "number": "The slope of a cube grows like a square: one power less.",
        "factor_missing": "The slope uses the exponent twice: as a factor, and above the base.",
        "parentheses": "In Python `**` binds tighter than `-`, `*` and `/`.",
        "sign": "The square of a positive number grows when the number grows.",
        "absolute": "The signs of the base and of the exponent matter.",
        "output_for_input": "The slope is computed from the base, not from its power.",
    },
    "neg": {
        "sign": "If {input} grows by 1, {call} falls by 1.",
        "local_missing": "If {input} grows by 1, {call} falls by 1.",
        "value_for_local": "The slope is the same everywhere, whatever the value of {input} is.",
        "other_operation": "The slope is the same everywhere, whatever the value of {input} is.",
    },
    "exp": {
        "value_for_local": "exp is its own slope: the slope is the value of the result.",
        "function": "exp is its own slope, and the value of the result is already exp of the input.",
        "sign": "exp grows everywhere, so its slope is never negative.",
        "local_missing": "The slope of exp is 1 only at 0.",
        "input_for_output": "exp is its own slope.",
        "squared": "exp is its own slope.",
        "other_operation": "exp is its own slope.",
    },
    "tanh": {
        "value_for_local": "tanh is steepest where its result is 0, and flat where it is near 1 or -1.",
        "function": "The value of the result is already tanh of the input.",
        "turned": "tanh rises everywhere, so its slope is never negative.",
        "sign": "tanh rises everywhere, so its slope is never negative.",
        "local_missing": "tanh is flat where its result is near 1 or -1, so hardly anything passes there.",
        "operator": "tanh is steepest at 0, and flatter on both sides.",
        "term_missing": "tanh is steepest where its result is 0.",
        "square_missing": "tanh is as steep at -2 as at 2: the sign of its result does not matter to the slope.",
        "input_for_output": "tanh rises everywhere, for large inputs too.",
        "parentheses": "Only tanh is squared, and the whole slope is multiplied by the upstream gradient.",
        "other_operation": "tanh is steepest where its result is 0, and flat where it is near 1 or -1.",
    },
    "relu": {
        "value_for_local": "Where the input is positive, relu moves exactly as far as its input, however large that is.",
        "gate_output": "relu rises where its input is positive, and is flat where it is negative.",
        "sign": "Where the input is positive, the result grows with it.",
        "local_missing": "Where the input is negative, relu is flat: its result stays 0 when the input moves.",
        "gate_missing": "Where the input is negative, relu is flat: its result stays 0 when the input moves.",
        "gate_turned": "relu rises where its input is positive, and is flat where it is negative.",
        "gate_upstream": "Where the input is positive, a negative gradient passes unchanged, too.",
        "gate_own_gradient": "relu rises where its input is positive, and is flat where it is negative.",
        "gate_threshold": "relu bends at 0 and nowhere else.",
        "leaky": "Where the input is negative, relu is flat: its result stays 0 when the input moves.",
        "output_for_input": "Where the input is positive, relu moves exactly as far as its input, however large that is.",
    },
}
