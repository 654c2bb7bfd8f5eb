Mistake(
    "unbroadcast_keeps_added_axes",
    "unbroadcast leaves an axis that the shape lacks. Broadcasting has added it at the left, so it is to be summed and "
    "gone.",
    edits={"    while grad.ndim > len(shape):\n        grad = grad.sum(axis=0)\n": ""},
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_keeps_axes_of_one",
    "unbroadcast sums over missing axes only. An axis where the shape has a 1 was repeated as well.",
    edits={
        "    for axis, length in enumerate(shape):\n"
        "        if length == 1:\n"
        "            grad = grad.sum(axis=axis, keepdims=True)\n": ""
    },
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_loses_axes_of_one",
    "unbroadcast sums over an axis where the shape has a 1, and the axis is gone afterwards. It has to stay, with length 1.",
    edits=[
        {"grad.sum(axis=axis, keepdims=True)": "grad.sum(axis=axis)"},
        {
            "    for axis, length in enumerate(shape):\n"
            "        if length == 1:\n"
            "            grad = grad.sum(axis=axis, keepdims=True)\n": (
                "    return grad.sum(axis=tuple(axis for axis, length in enumerate(shape) if length == 1))\n"
            )
        },
    ],
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_averages",
    "unbroadcast takes the mean over a repeated axis. Every copy is a use of the same entry, and contributions of uses add "
    "up.",
    edits=[
        {"grad.sum(axis=0)": "grad.mean(axis=0)"},
        {"grad.sum(axis=axis, keepdims=True)": "grad.mean(axis=axis, keepdims=True)"},
        {
            "grad.sum(axis=0)": "grad.mean(axis=0)",
            "grad.sum(axis=axis, keepdims=True)": "grad.mean(axis=axis, keepdims=True)",
        },
    ],
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_takes_the_first",
    "unbroadcast takes the first of the copies and drops the others. Each copy has a contribution, and they add up.",
    edits=[
        {"grad.sum(axis=0)": "grad[0]"},
        {
            "grad.sum(axis=0)": "grad[0]",
            "grad.sum(axis=axis, keepdims=True)": "grad.take([0], axis=axis)",
        },
    ],
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_sums_the_last_axis",
    "unbroadcast sums over the last axis where one is missing. Shapes are lined up at the right, so a missing axis is the "
    "first.",
    edits={"grad.sum(axis=0)": "grad.sum(axis=-1)"},
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_sums_one_axis",
    "unbroadcast sums over one missing axis and stops, though more of them may be missing: use `while`, or a loop.",
    edits={"while grad.ndim > len(shape)": "if grad.ndim > len(shape)"},
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_sums_everything",
    "unbroadcast sums over all axes. Only those that were repeated are to be summed.",
    edits=[
        {"grad.sum(axis=0)": "grad.sum()"},
        {
            "    while grad.ndim > len(shape):\n        grad = grad.sum(axis=0)\n": "    return grad.sum()\n",
        },
    ],
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_reshapes",
    "unbroadcast reshapes the gradient, which only arranges the same numbers anew. Copies are to be summed, so that fewer "
    "numbers are left.",
    edits={
        "    while grad.ndim > len(shape):\n        grad = grad.sum(axis=0)\n": "    return grad.reshape(shape)\n",
    },
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_returns_nothing",
    "unbroadcast computes, and returns nothing. End it with `return grad`.",
    edits={
        "            grad = grad.sum(axis=axis, keepdims=True)\n    return grad\n": "            grad = grad.sum(axis=axis, keepdims=True)\n"
    },
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_result_lost",
    "unbroadcast calls `grad.sum(...)` and does not keep the result: `sum` returns a new array and leaves grad as it is.",
    edits={
        "    while grad.ndim > len(shape):\n        grad = grad.sum(axis=0)\n": (
            "    for _ in range(grad.ndim - len(shape)):\n        grad.sum(axis=0)\n"
        ),
        "grad = grad.sum(axis=axis, keepdims=True)": "grad.sum(axis=axis, keepdims=True)",
    },
    fails="unbroadcast pytorch_parity",
)

Mistake(
    "unbroadcast_lined_up_left",
    "unbroadcast compares the two shapes from the left, as zip does, and reshapes what is left over. Shapes are lined up at the "
    "right: an axis that is missing is missing at the left.",
    edits={
        "    while grad.ndim > len(shape):\n"
        "        grad = grad.sum(axis=0)\n"
        "    for axis, length in enumerate(shape):\n"
        "        if length == 1:\n"
        "            grad = grad.sum(axis=axis, keepdims=True)\n"
        "    return grad\n": (
            "    for axis, (long, short) in enumerate(zip(grad.shape, shape)):\n"
            "        if long != short:\n"
            "            grad = grad.sum(axis=axis, keepdims=True)\n"
            "    return grad.reshape(shape)\n"
        ),
    },
    fails="unbroadcast pytorch_parity",
)
