Mistake(
    "linear_without_bias",
    "The layer's result is only x @ weight: the bias is not added in the call.",
    edits={"return x @ self.weight + self.bias": "return x @ self.weight"},
    fails="linear",
)

Mistake(
    "linear_variance_for_deviation",
    "The weights are drawn with 2 / inputs as their standard deviation. That is the square of what is asked for: the square "
    "root is missing.",
    edits={"spread = np.sqrt(2 / inputs)": "spread = 2 / inputs"},
    fails="linear",
)

Mistake(
    "linear_scale_by_outputs",
    "The standard deviation of the weights is made from the number of outputs. What counts is how many inputs are added up "
    "in a result.",
    edits={"spread = np.sqrt(2 / inputs)": "spread = np.sqrt(2 / outputs)"},
    fails="linear",
)

Mistake(
    "linear_scale_without_2",
    "The standard deviation of the weights is sqrt(1 / inputs). Relu takes away half of what comes in, and the 2 makes up for "
    "that.",
    edits={"spread = np.sqrt(2 / inputs)": "spread = np.sqrt(1 / inputs)"},
    fails="linear",
)

Mistake(
    "linear_weights_zero",
    "All weights of a new layer are equal, so all its units are alike: they get the same gradients, and stay alike. Draw the "
    "weights from `rng`.",
    edits=[
        {"Tensor(rng.normal(0.0, spread, (inputs, outputs)))": "Tensor(np.zeros((inputs, outputs)))"},
        {"Tensor(rng.normal(0.0, spread, (inputs, outputs)))": "Tensor(np.full((inputs, outputs), 0.0))"},
    ],
    fails="linear learns",
)

Mistake(
    "linear_parameters_data",
    "parameters() gives the arrays and not the Tensors. An optimizer needs `grad`, too, which the Tensors have.",
    edits={"return [self.weight, self.bias]": "return [self.weight.data, self.bias.data]"},
    fails="linear learns",
)

Mistake(
    "mlp_relu_after_last",
    "Your MLP applies relu after its last layer, too; there should be none. Scores below 0 become 0, and a row whose scores are all 0 has no gradient.",
    edits={"return self.layers[-1](x)": "return self.layers[-1](x).relu()"},
    fails="mlp learns",
)

Mistake(
    "mlp_without_relu",
    "No relu comes between the layers: each gets what the one before gives, as it is. Then all layers together compute no more "
    "than one linear layer can. (relu() returns a new Tensor: its own stays as it is.)",
    edits=[
        {"x = layer(x).relu()": "x = layer(x)"},
        {"x = layer(x).relu()": "x = layer(x)\n            x.relu()"},
    ],
    fails="mlp",
)

Mistake(
    "mlp_relu_before_layers",
    "Relu comes before each layer, so before the first one as well: the inputs get it, too.",
    edits={
        "x = layer(x).relu()": "x = layer(x.relu())",
        "return self.layers[-1](x)": "return self.layers[-1](x.relu())",
    },
    fails="mlp",
)

Mistake(
    "mlp_last_layer_alone",
    "The call gives x to the last layer and leaves out the others, or throws away what they give. Each layer gets what the one "
    "before gave.",
    edits=[
        {"            x = layer(x).relu()\n": "            layer(x).relu()\n"},
        {"            x = layer(x).relu()\n": "            y = layer(x).relu()\n"},
    ],
    fails="mlp learns",
)

Mistake(
    "mlp_without_last_layer",
    "The call stops before the last layer.",
    edits={"return self.layers[-1](x)": "return x"},
    fails="mlp learns",
)

Mistake(
    "mlp_parameters_of_last",
    "parameters() gives only those of the last layer, so the others never learn.",
    edits={
        "return [parameter for layer in self.layers for parameter in layer.parameters()]": (
            "return self.layers[-1].parameters()"
        ),
    },
    fails="mlp learns",
)

Mistake(
    "mlp_first_and_last_layer",
    "The MLP has one layer, from the first size to the last. Each two neighbouring sizes make a layer.",
    edits={"in zip(sizes, sizes[1:])]": "in [(sizes[0], sizes[-1])]]"},
    fails="mlp",
)

Mistake(
    "mlp_layer_too_few",
    "The last layer is missing. Of n sizes there are n - 1 neighbouring pairs, and each is a layer.",
    edits={"in zip(sizes, sizes[1:])]": "in zip(sizes[:-1], sizes[1:-1])]"},
    fails="mlp",
)

Mistake(
    "linear_scale_by_both",
    "The standard deviation of the weights is made from the inputs and the outputs together. What counts is how many inputs are "
    "added up in a result.",
    edits={"spread = np.sqrt(2 / inputs)": "spread = np.sqrt(2 / (inputs + outputs))"},
    fails="linear",
)
