Mistake(
    "numeric_one_sided",
    "The loss with the entry moved up is compared with the loss at the entry itself. Move it up and down: on a curve, one side "
    "alone measures the slope beside the entry.",
    edits={
        "        parameter.data[place] = kept - nudge\n": "        parameter.data[place] = kept\n",
        "(above - below) / (2 * nudge)": "(above - below) / nudge",
    },
    fails="numeric_gradient",
)

Mistake(
    "numeric_without_2",
    "The difference is divided by nudge. The two places are twice as far apart: one is a nudge above the entry, the other a nudge "
    "below.",
    edits={"(above - below) / (2 * nudge)": "(above - below) / nudge"},
    fails="numeric_gradient",
)

Mistake(
    "numeric_half",
    "The difference is divided by 2, and then multiplied by nudge: `/ 2 * nudge` goes from left to right. Put 2 * nudge in "
    "parentheses.",
    edits={"(above - below) / (2 * nudge)": "(above - below) / 2 * nudge"},
    fails="numeric_gradient",
)

Mistake(
    "numeric_not_divided",
    "The difference of the losses is not divided by anything. A slope is how far the loss moves for each unit of the entry.",
    edits={"(above - below) / (2 * nudge)": "above - below"},
    fails="numeric_gradient",
)

Mistake(
    "numeric_sign",
    "The sign is turned: subtract the loss below from the loss above.",
    edits={"(above - below) / (2 * nudge)": "(below - above) / (2 * nudge)"},
    fails="numeric_gradient",
)

Mistake(
    "numeric_not_restored",
    "An entry is not put back before the next one is moved: the later entries are measured at another place, and the parameter "
    "is changed afterwards.",
    edits={"        parameter.data[place] = kept\n        gradient": "        gradient"},
    fails="numeric_gradient",
)

Mistake(
    "numeric_half_restored",
    "After the second loss the entry is moved up by nudge twice, or not at all far enough: it does not come back to where it was. "
    "Keep its number first, and set it again.",
    edits={
        "        parameter.data[place] = kept\n        gradient": "        parameter.data[place] = kept + nudge\n        gradient"
    },
    fails="numeric_gradient",
)

Mistake(
    "numeric_all_at_once",
    "All entries are moved at the same time, so each result is the sum of all slopes. Move one entry at a time.",
    edits={
        "        parameter.data[place] = kept + nudge\n": "        parameter.data += nudge\n",
        "        parameter.data[place] = kept - nudge\n": "        parameter.data -= 2 * nudge\n",
        "        parameter.data[place] = kept\n        gradient": "        parameter.data += nudge\n        gradient",
    },
    fails="numeric_gradient",
)

Mistake(
    "numeric_own_nudge",
    "The nudge that is given is not used: another number stands in the code.",
    edits={
        "    gradient = np.zeros(parameter.data.shape)\n": "    gradient = np.zeros(parameter.data.shape)\n    nudge = 1e-5\n"
    },
    fails="numeric_gradient",
)

Mistake(
    "dead_counts_rows",
    "dead_units counts along the wrong axis: it looks for rows in which all units are 0. Rows are digits; the columns are the "
    "units.",
    edits={"(hidden == 0).all(axis=0).sum()": "(hidden == 0).all(axis=1).sum()"},
    fails="dead_units",
)

Mistake(
    "dead_any_row",
    "dead_units counts units that are 0 for some row. That is usual. A unit is dead if it is 0 for all rows.",
    edits={"(hidden == 0).all(axis=0).sum()": "(hidden == 0).any(axis=0).sum()"},
    fails="dead_units",
)

Mistake(
    "dead_counts_zeros",
    "dead_units counts all zeros, of all rows and units. A unit counts once, and only if it is 0 for all rows.",
    edits={"(hidden == 0).all(axis=0).sum()": "(hidden == 0).sum()"},
    fails="dead_units",
)

Mistake(
    "dead_counts_living",
    "dead_units counts the units that are alive.",
    edits={"(hidden == 0).all(axis=0).sum()": "(hidden > 0).any(axis=0).sum()"},
    fails="dead_units",
)

Mistake(
    "dead_without_relu",
    "dead_units looks for exact zeros before relu. There a dead unit is negative; relu makes it 0.",
    edits={"model.layers[0](Tensor(rows)).relu().data": "model.layers[0](Tensor(rows)).data"},
    fails="dead_units",
)

Mistake(
    "dead_of_the_scores",
    "dead_units looks at what the whole model gives. The units of the first layer are asked for.",
    edits={"model.layers[0](Tensor(rows)).relu().data": "model(Tensor(rows)).relu().data"},
    fails="dead_units",
)

Mistake(
    "dead_of_the_rows",
    "dead_units applies relu to the rows themselves. The units are what the first layer gives.",
    edits={"model.layers[0](Tensor(rows)).relu().data": "Tensor(rows).relu().data"},
    fails="dead_units",
)

Mistake(
    "dead_in_the_mean",
    "dead_units counts units whose mean is negative before relu. One positive row is enough for a unit to live.",
    edits={
        "model.layers[0](Tensor(rows)).relu().data": "model.layers[0](Tensor(rows)).data",
        "(hidden == 0).all(axis=0).sum()": "(hidden.mean(axis=0) <= 0).sum()",
    },
    fails="dead_units",
)

Mistake(
    "dead_below_zero",
    "dead_units counts the units that are below 0 in each row before relu. One that is 0 in a row and below 0 in the others is "
    "dead, too: relu gives 0 for all rows.",
    edits={
        "model.layers[0](Tensor(rows)).relu().data": "model.layers[0](Tensor(rows)).data",
        "(hidden == 0).all(axis=0).sum()": "(hidden < 0).all(axis=0).sum()",
    },
    fails="dead_units",
)

Mistake(
    "dead_first_unit",
    "dead_units gives 1 or 0 for the first unit, and no other unit counts. A `return` inside a loop ends it after one round.",
    edits={"(hidden == 0).all(axis=0).sum()": "(hidden == 0).all(axis=0)[0]"},
    fails="dead_units",
)

Mistake(
    "numeric_up_and_back",
    "The loss with the entry moved up is compared with the loss at the entry itself, and the difference is divided by 2 * nudge. "
    "These places are one nudge apart: is the entry below its first value when the second loss is made?",
    edits={"        parameter.data[place] = kept - nudge\n": "        parameter.data[place] = kept\n"},
    fails="numeric_gradient",
)
