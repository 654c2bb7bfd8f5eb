Mistake(
    "batches_drop_last",
    "The last batch is left out if it is shorter, so some rows are never used in a pass. A slice at the end is shorter by itself.",
    edits={"for start in range(0, count, size)]": "for start in range(0, count - size + 1, size)]"},
    fails="batches",
)

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
    "batches_empty_last",
    "If count is a multiple of size, there is one batch too many, with no number in it.",
    edits={"for start in range(0, count, size)]": "for start in range(0, count + 1, size)]"},
    fails="batches learns",
)

Mistake(
    "train_without_zero_grad",
    "train never clears the gradients: each batch's are added to those of all before, and the moves grow.",
    edits={"            optimizer.zero_grad()\n": ""},
    fails="train learns",
)

Mistake(
    "train_zero_grad_each_pass",
    "train clears the gradients once in each pass. From its second batch on the gradients of earlier batches are still there. "
    "Clear them for each batch.",
    edits={
        "        for batch in batches(len(rows), size, rng):\n            optimizer.zero_grad()\n": (
            "        optimizer.zero_grad()\n        for batch in batches(len(rows), size, rng):\n"
        ),
    },
    fails="train learns",
)

Mistake(
    "train_without_step",
    "train finds gradients and never calls step, so no parameter moves.",
    edits={"            optimizer.step()\n": ""},
    fails="train learns",
)

Mistake(
    "train_without_backward",
    "train never calls backward, so all gradients are 0 in each step.",
    edits={"            loss.backward()\n": ""},
    fails="train learns",
)

Mistake(
    "train_clears_before_step",
    "train clears the gradients between backward and step, so all of them are 0 in the step. The order is zero_grad, loss, "
    "backward, step.",
    edits={
        "            optimizer.zero_grad()\n            loss = ": "            loss = ",
        "            loss.backward()\n": "            loss.backward()\n            optimizer.zero_grad()\n",
    },
    fails="train learns",
)

Mistake(
    "train_step_before_backward",
    "train steps before backward, by the gradients of the batch before. The order is zero_grad, loss, backward, step.",
    edits={
        "            optimizer.zero_grad()\n            loss = ": "            loss = ",
        "            loss.backward()\n            optimizer.step()\n": (
            "            optimizer.step()\n            optimizer.zero_grad()\n            loss.backward()\n"
        ),
    },
    fails="train",
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
    "train_mean_of_all",
    "train takes the mean over all batches since the beginning, as the list of losses is not new in each pass.",
    edits={
        "    means = []\n    for _ in range(passes):\n        losses = []\n": "    means = []\n    losses = []\n    for _ in range(passes):\n"
    },
    fails="train",
)

Mistake(
    "train_loss_of_each_batch",
    "train returns the loss of each batch. One number for each pass is asked for, the mean.",
    edits={"means.append(sum(losses) / len(losses))": "means.extend(losses)"},
    fails="train",
)

Mistake(
    "train_keeps_tensors",
    "train keeps the losses as Tensors, and with each of them its whole graph. A list of numbers is asked for: use `loss.data`.",
    edits={
        "losses.append(float(loss.data))": "losses.append(loss)",
        "means.append(sum(losses) / len(losses))": "means.append(losses[-1])",
    },
    fails="train",
)

Mistake(
    "train_one_pass",
    "train makes one pass, whatever `passes` says. A `return` inside the loop ends it after the first round.",
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
    "train_labels_by_position",
    "train takes the labels from one place to the next, in their old order, and the rows in the new one: rows[batch] belong to "
    "labels[batch].",
    edits={
        "        for batch in batches(len(rows), size, rng):\n": (
            "        for i, batch in enumerate(batches(len(rows), size, rng)):\n"
        ),
        "model(Tensor(rows[batch])), labels[batch])": "model(Tensor(rows[batch])), labels[i * size : (i + 1) * size])",
    },
    fails="train learns",
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
    "train_clears_after",
    "train clears the gradients after each step and not before the backward: what the gradients held before the training counts in "
    "the first step.",
    edits={
        "            optimizer.zero_grad()\n            loss = cross": "            loss = cross",
        "            optimizer.step()\n": "            optimizer.step()\n            optimizer.zero_grad()\n",
    },
    fails="train",
)

Mistake(
    "batches_of_equal_length",
    "The numbers are shared out into batches that are about equally long, as np.array_split does. Each batch has `size` numbers; "
    "the last one alone may be shorter.",
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
