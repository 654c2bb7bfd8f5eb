Mistake(
    "log_softmax_unstable",
    "log_softmax takes powers of e of the scores as they are. For a score of 1000 the power is infinite, for one of -1000 it is 0, "
    "and its logarithm infinite. Subtract the largest score of each row first.",
    edits=[
        {"shifted = z - z.data.max(axis=1, keepdims=True)": "shifted = z"},
        {
            "shifted = z - z.data.max(axis=1, keepdims=True)": "shifted = z",
            "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
                "return (shifted.exp() / shifted.exp().sum(axis=1, keepdims=True)).log()"
            ),
        },
    ],
    fails="log_softmax",
)

Mistake(
    "log_softmax_largest_of_all",
    "log_softmax subtracts the largest score of the whole matrix. In a row whose scores are all far below it, every power is 0, "
    "and the logarithm of their sum infinite. Each row has a largest score of its own.",
    edits={"z - z.data.max(axis=1, keepdims=True)": "z - z.data.max()"},
    fails="log_softmax",
)

Mistake(
    "log_softmax_largest_at_least_0",
    "Where all scores are far below 0, every power is 0, and the logarithm of their sum infinite: what log_softmax subtracts there "
    "is not the largest score of the row, which is below 0, too. Does a search for the largest begin at 0?",
    edits={"z - z.data.max(axis=1, keepdims=True)": "z - np.maximum(0, z.data.max(axis=1, keepdims=True))"},
    fails="log_softmax",
)

Mistake(
    "log_softmax_sum_without_gradient",
    "z gets the upstream gradient and nothing more, as if the logarithm of the sum were a plain number. A Tensor that is made from "
    "`data` does not know z.",
    edits={
        "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
            "return shifted - Tensor(np.log(np.exp(shifted.data).sum(axis=1, keepdims=True)))"
        ),
    },
    fails="log_softmax learns",
)

Mistake(
    "log_softmax_largest_of_column",
    "log_softmax subtracts the largest score of each column, so the scores of one row move by different numbers. Subtract the "
    "largest of each row: then all scores of a row move alike, and the result stays.",
    edits={"z.data.max(axis=1, keepdims=True)": "z.data.max(axis=0, keepdims=True)"},
    fails="log_softmax learns",
)

Mistake(
    "log_softmax_columns",
    "log_softmax sums over the columns: the shares of a column add up to 1, and not those of a row. Rows are digits; sum over "
    "axis=1.",
    edits=[
        {"shifted.exp().sum(axis=1, keepdims=True)": "shifted.exp().sum(axis=0, keepdims=True)"},
        {
            "z.data.max(axis=1, keepdims=True)": "z.data.max(axis=0, keepdims=True)",
            "shifted.exp().sum(axis=1, keepdims=True)": "shifted.exp().sum(axis=0, keepdims=True)",
        },
    ],
    fails="log_softmax learns",
)

Mistake(
    "log_softmax_sum_of_all",
    "log_softmax sums the powers of all entries. Each row is for itself: sum over axis=1.",
    edits={"shifted.exp().sum(axis=1, keepdims=True)": "shifted.exp().sum()"},
    fails="log_softmax",
)

Mistake(
    "log_softmax_axis_lost",
    "The sum over axis=1 has one axis, and a matrix with as many columns as there are sums is needed to subtract it. With "
    "keepdims=True the sums are a column, one for each row.",
    edits={"shifted.exp().sum(axis=1, keepdims=True)": "shifted.exp().sum(axis=1)"},
    fails="log_softmax learns",
)

Mistake(
    "log_softmax_is_softmax",
    "These are the shares themselves. log_softmax gives their logarithms.",
    edits={
        "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
            "return shifted.exp() / shifted.exp().sum(axis=1, keepdims=True)"
        ),
    },
    fails="log_softmax learns",
)

Mistake(
    "log_softmax_log_of_share",
    "log_softmax makes the shares and then their logarithms. A share that is too small for the computer is 0, and its logarithm "
    "infinite. The logarithm of a quotient is a difference: no share is needed.",
    edits={
        "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
            "return (shifted.exp() / shifted.exp().sum(axis=1, keepdims=True)).log()"
        ),
    },
    fails="log_softmax",
)

Mistake(
    "log_softmax_without_log",
    "The sum of the powers is subtracted as it is. Its logarithm is to be subtracted.",
    edits={"shifted.exp().sum(axis=1, keepdims=True).log()": "shifted.exp().sum(axis=1, keepdims=True)"},
    fails="log_softmax learns",
)

Mistake(
    "log_softmax_shift_in_sum_alone",
    "The largest score is subtracted inside the sum, and not from the score in front of it. Then it does not cancel.",
    edits={"return shifted - shifted.exp()": "return z - shifted.exp()"},
    fails="log_softmax",
)

Mistake(
    "cross_entropy_sum",
    "cross_entropy adds up the losses of the rows. The mean is asked for: divide by the number of rows.",
    edits={"(log_softmax(z) * hot).sum() * (-1 / rows_of_z)": "(log_softmax(z) * hot).sum() * -1.0"},
    fails="cross_entropy learns",
)

Mistake(
    "cross_entropy_mean_of_entries",
    "cross_entropy divides by the number of all entries. The mean is over the rows: each of them has one loss.",
    edits={"(log_softmax(z) * hot).sum() * (-1 / rows_of_z)": "(log_softmax(z) * hot).mean() * -1.0"},
    fails="cross_entropy",
)

Mistake(
    "cross_entropy_sign",
    "The sign is missing: the logarithm of a share is negative, and the loss is minus that. Training would make the right share "
    "smaller.",
    edits={"* (-1 / rows_of_z)": "* (1 / rows_of_z)"},
    fails="cross_entropy learns",
)

Mistake(
    "cross_entropy_all_scores",
    "cross_entropy adds up the logarithms of all shares. Of each row only the one at its target counts.",
    edits={"(log_softmax(z) * hot).sum()": "log_softmax(z).sum()"},
    fails="cross_entropy learns",
)

Mistake(
    "cross_entropy_of_scores",
    "cross_entropy takes the scores themselves. It takes their log_softmax.",
    edits={"(log_softmax(z) * hot).sum()": "(z * hot).sum()"},
    fails="cross_entropy learns",
)

Mistake(
    "cross_entropy_of_shares",
    "cross_entropy takes the share at the target. It takes its logarithm.",
    edits={"(log_softmax(z) * hot).sum()": "(log_softmax(z).exp() * hot).sum()"},
    fails="cross_entropy learns",
)

Mistake(
    "cross_entropy_ten_classes",
    "cross_entropy takes ten scores for granted. z.data.shape says how many there are.",
    edits={"np.eye(scores)[targets]": "np.eye(10)[targets]"},
    fails="cross_entropy",
)

Mistake(
    "cross_entropy_returns_number",
    "cross_entropy returns a number. A Tensor is asked for: `backward` begins at it.",
    edits={
        "return (log_softmax(z) * hot).sum() * (-1 / rows_of_z)": (
            "return float((log_softmax(z) * hot).sum().data) * (-1 / rows_of_z)"
        ),
    },
    fails="cross_entropy learns",
)

Mistake(
    "log_softmax_from_data",
    "log_softmax computes with `data` and makes a new Tensor from the result. That Tensor does not know z, so no gradient gets "
    "there. Use the operations of Tensor, or give the result its inputs and a closure.",
    edits={
        "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
            "return Tensor(shifted.data - np.log(np.exp(shifted.data).sum(axis=1, keepdims=True)))"
        ),
    },
    fails="log_softmax learns",
)

Mistake(
    "cross_entropy_from_data",
    "cross_entropy computes with `data` and makes a new Tensor from the result. That Tensor does not know z, so no gradient gets "
    "there.",
    edits={
        "return (log_softmax(z) * hot).sum() * (-1 / rows_of_z)": (
            "return Tensor((log_softmax(z).data * hot).sum() * (-1 / rows_of_z))"
        ),
    },
    fails="cross_entropy learns",
)

Mistake(
    "log_softmax_columns_divided",
    "The powers are divided by the sums of the columns: the shares of a column add up to 1, and not those of a row. Sum over "
    "axis=1.",
    edits=[
        {
            "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
                "return (shifted.exp() / shifted.exp().sum(axis=0, keepdims=True)).log()"
            ),
        },
        {
            "return shifted - shifted.exp().sum(axis=1, keepdims=True).log()": (
                "return (shifted.exp() / shifted.exp().sum(axis=0)).log()"
            ),
        },
    ],
    fails="log_softmax learns",
)

Mistake(
    "cross_entropy_rows",
    "`[targets]` on a matrix takes whole rows: row targets[0], row targets[1], and so on. One entry of each row is asked for.",
    edits=[
        {
            "return (log_softmax(z) * hot).sum() * (-1 / rows_of_z)": (
                "return log_softmax(z)[targets].sum() * (-1 / rows_of_z)"
            ),
        },
        {
            "return (log_softmax(z) * hot).sum() * (-1 / rows_of_z)": "return log_softmax(z)[targets].mean() * -1.0"
        },
    ],
    fails="cross_entropy learns",
)
