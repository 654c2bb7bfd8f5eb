Mistake(
    "batches_overlap",
    "The batches overlap: the next one begins before the one before it ends, so rows are used twice in a pass. It begins `size` numbers further.",
    edits={"for start in range(0, count, size)]": "for start in range(0, count, (size + 1) // 2)]"},
    fails="batches",
)

Mistake(
    "batches_drawn_again",
    "Each batch is drawn by itself from all numbers, so some stand in several batches and others in none. Draw one order, and cut "
    "it.",
    edits={
        "[order[start : start + size] for start in range(0, count, size)]": (
            "[rng.integers(0, count, min(size, count - start)) for start in range(0, count, size)]"
        ),
    },
    fails="batches",
)

Mistake(
    "batches_number_for_size",
    "`size` is taken for the number of batches. It is how many numbers each batch has.",
    edits={
        "[order[start : start + size] for start in range(0, count, size)]": "list(np.array_split(order, size))",
    },
    fails="batches",
)

Mistake(
    "train_last_loss",
    "train keeps the loss of the last batch of each pass. The mean of all batches of the pass is asked for.",
    edits={"means.append(sum(losses) / len(losses))": "means.append(losses[-1])"},
    fails="train",
)

Mistake(
    "train_sum_for_mean",
    "train adds up the losses of a pass. The mean is asked for: divide by the number of batches.",
    edits={"means.append(sum(losses) / len(losses))": "means.append(sum(losses))"},
    fails="train",
)

Mistake(
    "train_divides_by_rows",
    "train divides the sum of the losses by the number of rows. Each loss is a mean over its batch already: divide by the number "
    "of batches.",
    edits={"means.append(sum(losses) / len(losses))": "means.append(sum(losses) / len(rows))"},
    fails="train",
)

Mistake(
    "train_divides_by_passes",
    "train divides the sum of the losses by the number of passes. The mean is asked for: divide by the number of batches.",
    edits={"means.append(sum(losses) / len(losses))": "means.append(sum(losses) / passes)"},
    fails="train",
)

Mistake(
    "train_mean_of_all",
    "train takes the mean over all batches since the beginning, as the list of losses is not new in each pass.",
    edits={
        "    means = []\n    for _ in range(passes):\n        losses = []\n": "    means = []\n    losses = []\n    for _ in range(passes):\n"
    },
    fails="train",
)

Mistake(
    "train_one_pass",
    "train makes one pass, whatever `passes` says. A `return` inside a loop ends it after the first round.",
    edits=[
        {"    return means\n": "        return means\n"},
        {"    for _ in range(passes):\n": "    for _ in range(1):\n"},
    ],
    fails="train learns",
)

Mistake(
    "train_returns_nothing",
    "train trains but returns nothing. Return the list of mean losses.",
    edits={"    return means\n": ""},
    fails="train",
)

Mistake(
    "train_all_rows",
    "train computes the loss of all rows in each step. Only the rows of the batch belong to a step.",
    edits={"model(Tensor(rows[batch])), labels[batch])": "model(Tensor(rows)), labels)"},
    fails="train",
)

Mistake(
    "train_global_rows",
    "train uses `train_rows` and `train_labels` of the notebook. It is given `rows` and `labels`, which may be others.",
    edits={
        "model(Tensor(rows[batch])), labels[batch])": "model(Tensor(train_rows[batch])), train_labels[batch])"
    },
    fails="train",
)

Mistake(
    "train_weighted_mean",
    "train weights the losses of a pass by the number of rows in their batches. The mean over the batches is asked for: the "
    "shorter last one counts as much as the others.",
    edits={
        "losses.append(float(loss.data))": "losses.append(float(loss.data) * len(batch))",
        "means.append(sum(losses) / len(losses))": "means.append(sum(losses) / len(rows))",
    },
    fails="train",
)

Mistake(
    "accuracy_count",
    "accuracy gives the number of right rows. The share is asked for, from 0 to 1: divide by the number of rows.",
    edits={"float((scores.argmax(axis=1) == labels).mean())": "int((scores.argmax(axis=1) == labels).sum())"},
    fails="accuracy",
)

Mistake(
    "accuracy_percent",
    "accuracy gives percents. A share from 0 to 1 is asked for.",
    edits={
        "float((scores.argmax(axis=1) == labels).mean())": "100 * float((scores.argmax(axis=1) == labels).mean())"
    },
    fails="accuracy",
)

Mistake(
    "accuracy_errors",
    "accuracy gives the share of wrong rows.",
    edits={
        "float((scores.argmax(axis=1) == labels).mean())": "float((scores.argmax(axis=1) != labels).mean())"
    },
    fails="accuracy",
)

Mistake(
    "accuracy_other_axis",
    "accuracy takes the largest of each column. Each row has a guess: argmax along axis=1.",
    edits={
        "float((scores.argmax(axis=1) == labels).mean())": (
            "sum(int(a == b) for a, b in zip(scores.argmax(axis=0), labels)) / len(rows)"
        ),
    },
    fails="accuracy",
)

Mistake(
    "accuracy_first_row",
    "accuracy counts only the first row, and divides by the number of rows. A `return` inside a loop ends it after one round.",
    edits={
        "float((scores.argmax(axis=1) == labels).mean())": "int(scores[0].argmax() == labels[0]) / len(rows)"
    },
    fails="accuracy",
)

Mistake(
    "accuracy_of_largest_score",
    "accuracy compares the largest score itself with the label. The place of the largest score is the guess: argmax, not max.",
    edits={"scores.argmax(axis=1) == labels": "scores.max(axis=1) == labels"},
    fails="accuracy",
)

Mistake(
    "accuracy_without_model",
    "accuracy takes the largest number of each row, and not the largest of the scores: these are what the model gives.",
    edits={"scores = model(Tensor(rows)).data": "scores = rows"},
    fails="accuracy",
)

Mistake(
    "accuracy_smallest",
    "accuracy takes the smallest score as the guess.",
    edits={"scores.argmax(axis=1) == labels": "scores.argmin(axis=1) == labels"},
    fails="accuracy",
)

Mistake(
    "batches_of_equal_length",
    "The numbers are shared out into batches that are about equally long, as np.array_split does. Each batch has `size` numbers; "
    "only the last one may be shorter.",
    edits=[
        {
            "[order[start : start + size] for start in range(0, count, size)]": (
                "np.array_split(order, max(1, count // size))"
            ),
        },
        {
            "[order[start : start + size] for start in range(0, count, size)]": (
                "np.array_split(order, -(-count // size))"
            ),
        },
    ],
    fails="batches",
)
