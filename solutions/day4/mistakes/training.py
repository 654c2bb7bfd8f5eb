Mistake(
    "descend_assigns",
    "descend puts the move in the place of the number: `data = -rate * grad` forgets where the "
    "parameter was. Use `-=`.",
    edits={"parameter.data -= rate * parameter.grad": "parameter.data = -rate * parameter.grad"},
    fails="gradient_descent",
)

Mistake(
    "descend_changes_grad",
    "descend changes the gradients and leaves data alone, so nothing is learned. The parameter's "
    "number is `data`.",
    edits={"parameter.data -= rate * parameter.grad": "parameter.grad -= rate * parameter.grad"},
    fails="gradient_descent",
)

Mistake(
    "descend_divides_by_rate",
    "descend divides by the rate. A rate below 1 then makes the steps larger instead of smaller: "
    "multiply by it.",
    edits={"parameter.data -= rate * parameter.grad": "parameter.data -= parameter.grad / rate"},
    fails="gradient_descent",
)

Mistake(
    "descend_does_nothing",
    "descend leaves the parameters as they are. Writing `parameter = ...` or `data = ...` changes a "
    "name of the function's own, and a new Value in a list leaves the old one as it is. The "
    "step has to change `parameter.data`.",
    edits=[
        {
            "    for parameter in parameters:\n        parameter.data -= rate * parameter.grad": (
                "    return [parameter.data - rate * parameter.grad for parameter in parameters]"
            ),
        },
        {
            "parameter.data -= rate * parameter.grad": (
                "parameter = Value(parameter.data - rate * parameter.grad)"
            ),
        },
        {
            "    for parameter in parameters:\n        parameter.data -= rate * parameter.grad": (
                "    for i, parameter in enumerate(parameters):\n"
                "        parameters[i] = Value(parameter.data - rate * parameter.grad)"
            ),
        },
    ],
    fails="gradient_descent",
)

Mistake(
    "descend_first_only",
    "descend moves the first parameter and no other. Does a loop go through all of them? A `return` inside a loop ends it after "
    "one round.",
    edits={
        "parameter.data -= rate * parameter.grad": (
            "parameter.data -= rate * parameter.grad\n        return"
        ),
    },
    fails="gradient_descent",
)

Mistake(
    "descend_sign_only",
    "descend uses the gradient's sign and not its size: every parameter moves equally far. The move "
    "is rate times gradient.",
    edits={
        "parameter.data -= rate * parameter.grad": (
            "if parameter.grad:\n            parameter.data -= rate if parameter.grad > 0 else -rate"
        ),
    },
    fails="gradient_descent",
)

Mistake(
    "descend_uphill",
    "descend moves the parameters with their gradients, and the loss grows. The gradient points "
    "uphill: subtract it.",
    edits={"parameter.data -= rate * parameter.grad": "parameter.data += rate * parameter.grad"},
    fails="gradient_descent",
)

Mistake(
    "descend_uses_data",
    "descend has the parameter's own number as a factor of the move. The move is rate times gradient, and "
    "nothing else.",
    edits=[
        {"parameter.data -= rate * parameter.grad": "parameter.data -= rate * parameter.data"},
        {
            "parameter.data -= rate * parameter.grad": (
                "parameter.data -= rate * parameter.data * parameter.grad"
            ),
        },
    ],
    fails="gradient_descent",
)

Mistake(
    "descend_without_gradient",
    "descend moves every parameter by the rate itself, whatever its gradient. The move is rate times "
    "gradient.",
    edits={"parameter.data -= rate * parameter.grad": "parameter.data -= rate"},
    fails="gradient_descent",
)

Mistake(
    "descend_without_rate",
    "descend moves by the whole gradient: the rate is not used. A step that large jumps over the goal.",
    edits={"parameter.data -= rate * parameter.grad": "parameter.data -= parameter.grad"},
    fails="gradient_descent",
)

Mistake(
    "train_builds_loss_once",
    "train calls loss_of once, before the loop. The graph keeps the numbers it was built with, so the "
    "loss never changes and its inner gradients pile up. Build it anew in each step.",
    edits={
        "    losses = []\n"
        "    for _ in range(steps):\n"
        "        zero_grad(parameters)\n"
        "        loss = loss_of()\n": (
            "    losses = []\n"
            "    loss = loss_of()\n"
            "    for _ in range(steps):\n"
            "        zero_grad(parameters)\n"
        ),
    },
    fails="gradient_descent",
)

Mistake(
    "train_clears_after_backward",
    "When train comes to descend, all gradients are 0, and no parameter moves. Either backward is "
    "never called, or zero_grad stands between backward and descend and throws away what it has "
    "found.",
    edits=[
        {
            "        zero_grad(parameters)\n        loss = loss_of()\n        loss.backward()\n": (
                "        loss = loss_of()\n        loss.backward()\n        zero_grad(parameters)\n"
            ),
        },
        {"        loss.backward()\n": ""},
    ],
    fails="gradient_descent",
)

Mistake(
    "train_forgets_descend",
    "train finds gradients, but no parameter moves along them. Either descend is never called, or it "
    "is called before backward, when the gradients have just been cleared. The order is zero_grad, "
    "loss, backward, descend.",
    edits=[
        {"        descend(parameters, rate)\n": ""},
        {
            "        loss.backward()\n        descend(parameters, rate)\n": (
                "        descend(parameters, rate)\n        loss.backward()\n"
            ),
        },
    ],
    fails="gradient_descent",
)

Mistake(
    "train_forgets_zero_grad",
    "train never calls zero_grad: each step's gradient is added to those of all steps before, and the "
    "moves grow too large. Clear the gradients at the beginning of each step.",
    edits={"        zero_grad(parameters)\n": ""},
    fails="gradient_descent",
)

Mistake(
    "train_loss_after_step",
    "train builds the loss a second time, after the step, and keeps that one. The list should hold "
    "the loss that the step began with: append `loss.data`.",
    edits={"        losses.append(loss.data)\n": "        losses.append(loss_of().data)\n"},
    fails="gradient_descent",
)

Mistake(
    "train_returns_in_loop",
    "train makes only one step: its list has one loss. Does your loop go through all the steps? A `return` inside the "
    "loop ends the loop after one round. Write the `return` after the loop.",
    edits={"    return losses\n": "        return losses\n"},
    fails="gradient_descent",
)

Mistake(
    "train_returns_last",
    "train returns only the last loss. A list is asked for, with the loss of each step.",
    edits={"    return losses\n": "    return losses[-1]\n"},
    fails="gradient_descent",
)

Mistake(
    "train_returns_nothing",
    "train trains but returns nothing. Give back the list of losses after the loop.",
    edits={"    return losses\n": ""},
    fails="gradient_descent",
)

Mistake(
    "train_zero_grad_once",
    "train calls zero_grad once, before the loop. From the second step on the gradients of earlier "
    "steps are still there. It belongs inside the loop.",
    edits={
        "    losses = []\n    for _ in range(steps):\n        zero_grad(parameters)\n": (
            "    losses = []\n    zero_grad(parameters)\n    for _ in range(steps):\n"
        ),
    },
    fails="gradient_descent",
)

Mistake(
    "zero_grad_clears_data",
    "zero_grad sets the data of the parameters to 0. What has been learned is lost that way; only `grad` is "
    "to be cleared.",
    edits={"parameter.grad = 0.0": "parameter.grad = 0.0\n        parameter.data = 0.0"},
    fails="zero_grad gradient_descent",
)

Mistake(
    "zero_grad_first_only",
    "zero_grad clears the first parameter and no other. Does a loop go through all of them? A `return` inside a loop ends it after "
    "one round.",
    edits={"parameter.grad = 0.0": "parameter.grad = 0.0\n        return"},
    fails="zero_grad gradient_descent",
)

Mistake(
    "zero_grad_skips_last",
    "zero_grad leaves out the last parameter of the list.",
    edits={
        "for parameter in parameters:\n        parameter.grad": (
            "for parameter in parameters[:-1]:\n        parameter.grad"
        ),
    },
    fails="zero_grad gradient_descent",
)

Mistake(
    "train_has_its_own_rate",
    "train moves the parameters with a rate of its own, a number that stands in the code. Give `rate` "
    "to descend.",
    edits={"        descend(parameters, rate)\n": "        descend(parameters, 0.05)\n"},
    fails="gradient_descent",
)

Mistake(
    "train_without_a_call",
    "`loss_of` is a function, and a function has no backward. Call it, `loss_of()`: each call builds the "
    "graph and gives back the loss.",
    edits={"        loss = loss_of()\n": "        loss = loss_of\n"},
    fails="gradient_descent",
)
