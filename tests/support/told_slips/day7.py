"""Slips of day 7 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "linear_weight_turned",
        "linear",
        "layer.weight.data.shape is (2, 3), expected (3, 2)",
        {"(inputs, outputs)))\n        self.bias": "(outputs, inputs)))\n        self.bias"},
    ),
    (
        "linear_weight_without_scale",
        "linear",
        "The standard deviation of the 128 × 40 weights is 1, and sqrt(2 / 128) is 0.125.",
        {"rng.normal(0.0, spread, (inputs, outputs))": "rng.normal(0.0, 1.0, (inputs, outputs))"},
    ),
    (
        "linear_bias_of_inputs",
        "linear",
        "layer.bias.data.shape is (3,), expected (2,)",
        {"self.bias = Tensor(np.zeros(outputs))": "self.bias = Tensor(np.zeros(inputs))"},
    ),
    (
        "linear_bias_one_number",
        "linear",
        "layer.bias.data.shape is (), expected (2,)",
        {"self.bias = Tensor(np.zeros(outputs))": "self.bias = Tensor(0.0)"},
    ),
    (
        "linear_bias_one_number",
        "linear",
        "layer.bias.data.shape is (1,), expected (2,)",
        {"self.bias = Tensor(np.zeros(outputs))": "self.bias = Tensor(np.zeros(1))"},
    ),
    (
        "linear_bias_drawn",
        "linear",
        "layer.bias.data[0] is 1.06471, expected 0; 2 of 2 entries are wrong",
        {"self.bias = Tensor(np.zeros(outputs))": "self.bias = Tensor(rng.normal(0.0, spread, outputs))"},
    ),
    (
        "linear_from_data",
        "linear",
        "No gradient reaches the layer's weight. In `__call__` use the Tensor itself, not its data.",
        {"return x @ self.weight + self.bias": "return Tensor(x.data @ self.weight.data + self.bias.data)"},
    ),
    (
        "log_softmax_changes_scores",
        "log_softmax",
        "Computing log_softmax(z) changes the data of an input. An operation must not change its inputs.",
        {
            "shifted = z - z.data.max(axis=1, keepdims=True)": "z.data -= z.data.max(axis=1, keepdims=True)\n    shifted = z"
        },
    ),
    (
        "numeric_flat",
        "numeric_gradient",
        "numeric_gradient(loss_of, p, 0.5).shape is (6,), expected (2, 3)",
        {"    return gradient\n": "    return gradient.reshape(-1)\n"},
    ),
    (
        "zero_grad_a_number",
        "zero_grad",
        "p.grad is the number 0, expected",
        {
            "            parameter.grad = np.zeros_like(parameter.data)\n": "            parameter.grad = 0.0\n"
        },
    ),
    (
        "zero_grad_a_number",
        "zero_grad",
        "p.grad is the number 0, expected",
        {"            parameter.grad = np.zeros_like(parameter.data)\n": "            parameter.grad = 0\n"},
    ),
    (
        "zero_grad_none",
        "zero_grad",
        "p.grad is None, expected",
        {
            "            parameter.grad = np.zeros_like(parameter.data)\n": "            parameter.grad = None\n"
        },
    ),
    (
        "batches_drop_last",
        "batches",
        "the list of batch sizes is [4, 4], expected [4, 4, 2]",
        {"for start in range(0, count, size)]": "for start in range(0, count - size + 1, size)]"},
    ),
    (
        "batches_empty_last",
        "batches",
        "the list of batch sizes is [4, 4, 4, 0], expected [4, 4, 4]",
        {"for start in range(0, count, size)]": "for start in range(0, count + 1, size)]"},
    ),
    (
        "train_without_zero_grad",
        "train",
        "In a pass of three batches train called backward, step, backward, step, backward, step. Each batch needs zero_grad, backward and step, in this order.",
        {"            optimizer.zero_grad()\n": ""},
    ),
    (
        "train_zero_grad_each_pass",
        "train",
        "In a pass of three batches train called zero_grad, backward, step, backward, step, backward, step. Each batch needs zero_grad, backward and step, in this order.",
        {
            "        for batch in batches(len(rows), size, rng):\n            optimizer.zero_grad()\n": (
                "        optimizer.zero_grad()\n        for batch in batches(len(rows), size, rng):\n"
            ),
        },
    ),
    (
        "train_without_step",
        "train",
        "In a pass of three batches train called zero_grad, backward, zero_grad, backward, zero_grad, backward. Each batch needs zero_grad, backward and step, in this order.",
        {"            optimizer.step()\n": ""},
    ),
    (
        "train_without_backward",
        "train",
        "In a pass of three batches train called zero_grad, step, zero_grad, step, zero_grad, step. Each batch needs zero_grad, backward and step, in this order.",
        {"            loss.backward()\n": ""},
    ),
    (
        "train_clears_before_step",
        "train",
        "In a pass of three batches train called backward, zero_grad, step, backward, zero_grad, step, backward, zero_grad, step. Each batch needs zero_grad, backward and step, in this order.",
        {
            "            optimizer.zero_grad()\n            loss = ": "            loss = ",
            "            loss.backward()\n": "            loss.backward()\n            optimizer.zero_grad()\n",
        },
    ),
    (
        "train_step_before_backward",
        "train",
        "In a pass of three batches train called step, zero_grad, backward, step, zero_grad, backward, step, zero_grad, backward. Each batch needs zero_grad, backward and step, in this order.",
        {
            "            optimizer.zero_grad()\n            loss = ": "            loss = ",
            "            loss.backward()\n            optimizer.step()\n": (
                "            optimizer.step()\n            optimizer.zero_grad()\n            loss.backward()\n"
            ),
        },
    ),
    (
        "train_loss_of_each_batch",
        "train",
        "the list of losses is [6, 1, 2, 4, 0.5, 3, 1.5, 2.25, 0, 1, 0.25, 1.75], expected [3, 2.5, 1.25, 1]",
        {"means.append(sum(losses) / len(losses))": "means.extend(losses)"},
    ),
    (
        "train_keeps_tensors",
        "train",
        "a list of numbers is asked for: of a loss, its data.",
        {
            "losses.append(float(loss.data))": "losses.append(loss)",
            "means.append(sum(losses) / len(losses))": "means.append(losses[-1])",
        },
    ),
    (
        "train_labels_by_position",
        "train",
        "For the rows of the batch [3, 0] train gave cross_entropy the labels [2, 1]. `labels` is [2, 1, 0, 3, 1]; those of this batch are [3, 2].",
        {
            "        for batch in batches(len(rows), size, rng):\n": (
                "        for i, batch in enumerate(batches(len(rows), size, rng)):\n"
            ),
            "model(Tensor(rows[batch])), labels[batch])": "model(Tensor(rows[batch])), labels[i * size : (i + 1) * size])",
        },
    ),
    (
        "train_clears_after",
        "train",
        "In a pass of three batches train called backward, step, zero_grad, backward, step, zero_grad, backward, step, zero_grad. Each batch needs zero_grad, backward and step, in this order.",
        {
            "            optimizer.zero_grad()\n            loss = cross": "            loss = cross",
            "            optimizer.step()\n": "            optimizer.step()\n            optimizer.zero_grad()\n",
        },
    ),
    (
        "sgd_shared_velocities",
        "sgd",
        "`velocities` is kept in the class SGD, in ",
        {
            "    def __init__(self, parameters, rate, momentum=0.0):\n": "    velocities = {}\n\n    def __init__(self, parameters, rate, momentum=0.0):\n",
            "        self.velocities = [np.zeros_like(parameter.data) for parameter in self.parameters]\n": "        for i, parameter in enumerate(self.parameters):\n            self.velocities.setdefault(i, np.zeros_like(parameter.data))\n",
        },
    ),
]
