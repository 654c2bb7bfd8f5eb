Mistake(
    "sgd_uphill",
    "step moves the parameters with their gradients, and the loss grows. The gradient points uphill: subtract.",
    edits={
        "parameter.data - self.rate * self.velocities[i]": "parameter.data + self.rate * self.velocities[i]"
    },
    fails="sgd learns",
)

Mistake(
    "sgd_without_rate",
    "step moves by the whole velocity: the rate is not used.",
    edits={"parameter.data - self.rate * self.velocities[i]": "parameter.data - self.velocities[i]"},
    fails="sgd learns",
)

Mistake(
    "sgd_momentum_on_gradient",
    "momentum is the factor of the gradient. It is the factor of the velocity that was there before.",
    edits={
        "self.momentum * self.velocities[i] + parameter.grad": "self.velocities[i] + self.momentum * parameter.grad"
    },
    fails="sgd learns",
)

Mistake(
    "sgd_mean_of_both",
    "The gradient is multiplied by 1 - momentum. There are optimizers that do so. Here the velocity is momentum times the old "
    "one, plus the whole gradient.",
    edits={
        "self.momentum * self.velocities[i] + parameter.grad": (
            "self.momentum * self.velocities[i] + (1 - self.momentum) * parameter.grad"
        ),
    },
    fails="sgd",
)

Mistake(
    "sgd_velocity_not_damped",
    "The velocity is added up without momentum as a factor, so all earlier gradients count as much as the new one.",
    edits={"self.momentum * self.velocities[i] + parameter.grad": "self.velocities[i] + parameter.grad"},
    fails="sgd learns",
)

Mistake(
    "sgd_rate_twice",
    "The rate is a factor twice: in the velocity and in the move. It belongs only to the move.",
    edits={
        "self.momentum * self.velocities[i] + parameter.grad": (
            "self.momentum * self.velocities[i] + self.rate * parameter.grad"
        ),
    },
    fails="sgd",
)

Mistake(
    "sgd_moves_before",
    "The parameter moves first, by the old velocity, and the velocity gets the new gradient afterwards. The first step then "
    "moves nothing. First comes the new velocity.",
    edits={
        "            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad\n"
        "            parameter.data = parameter.data - self.rate * self.velocities[i]\n": (
            "            parameter.data = parameter.data - self.rate * self.velocities[i]\n"
            "            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad\n"
        ),
    },
    fails="sgd learns",
)

Mistake(
    "sgd_changes_gradient",
    "step puts the velocity into `grad`. A gradient belongs to backward; keep the velocity in the optimizer.",
    edits={
        "            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad\n": (
            "            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad\n"
            "            parameter.grad = self.velocities[i]\n"
        ),
    },
    fails="sgd",
)

Mistake(
    "sgd_moves_nothing",
    "step leaves the parameters as they are. Neither a difference that is only computed nor `parameter = ...`, which sets a name "
    "of the method's own, changes them: set `parameter.data`.",
    edits=[
        {"parameter.data = parameter.data - self.rate": "parameter.data - self.rate"},
        {"parameter.data = parameter.data - self.rate": "return parameter.data - self.rate"},
        {"parameter.data = parameter.data - self.rate": "parameter = parameter.data - self.rate"},
        {"parameter.data = parameter.data - self.rate": "data = parameter.data - self.rate"},
    ],
    fails="sgd learns",
)

Mistake(
    "sgd_first_only",
    "step moves the first parameter and no other. A `return` inside a loop ends it after one round.",
    edits={
        "            parameter.data = parameter.data - self.rate * self.velocities[i]\n": (
            "            parameter.data = parameter.data - self.rate * self.velocities[i]\n            return\n"
        ),
    },
    fails="sgd",
)

Mistake(
    "zero_grad_clears_data",
    "zero_grad sets the data to 0: what has been learned is lost. Only `grad` is cleared.",
    edits={
        "            parameter.grad = np.zeros_like(parameter.data)\n": "            parameter.data = np.zeros_like(parameter.data)\n"
    },
    fails="zero_grad learns",
)

Mistake(
    "zero_grad_does_nothing",
    "zero_grad leaves the gradients as they are. Neither `grad = ...`, which sets a name of the method's own, nor a comparison with "
    "`==` changes them: set `parameter.grad`.",
    edits=[
        {
            "            parameter.grad = np.zeros_like(parameter.data)\n": "            grad = np.zeros_like(parameter.data)\n"
        },
        {
            "            parameter.grad = np.zeros_like(parameter.data)\n": "            parameter.grad == np.zeros_like(parameter.data)\n"
        },
    ],
    fails="zero_grad learns",
)

Mistake(
    "zero_grad_first_only",
    "zero_grad clears the first parameter and no other. A `return` inside a loop ends it after one round.",
    edits={
        "            parameter.grad = np.zeros_like(parameter.data)\n": (
            "            parameter.grad = np.zeros_like(parameter.data)\n            return\n"
        ),
    },
    fails="zero_grad learns",
)

Mistake(
    "zero_grad_clears_velocity",
    "zero_grad clears the velocities, too, so momentum has nothing to go on with. The velocities are to stay.",
    edits={
        "            parameter.grad = np.zeros_like(parameter.data)\n": (
            "            parameter.grad = np.zeros_like(parameter.data)\n"
            "        self.velocities = [np.zeros_like(parameter.data) for parameter in self.parameters]\n"
        ),
    },
    fails="zero_grad",
)

Mistake(
    "sgd_without_momentum",
    "The parameters move only by the gradient: the earlier velocity has no part in the move. Four things have to hold: SGD keeps "
    "the momentum that it is given, step adds momentum times the old velocity, the new velocity is kept for the next step, and "
    "the data moves by the velocity instead of the gradient.",
    edits=[
        {"self.momentum * self.velocities[i] + parameter.grad": "parameter.grad"},
        {
            "            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad\n"
            "            parameter.data = parameter.data - self.rate * self.velocities[i]\n": (
                "            velocity = self.momentum * self.velocities[i] + parameter.grad\n"
                "            parameter.data = parameter.data - self.rate * velocity\n"
            ),
        },
        {"parameter.data - self.rate * self.velocities[i]": "parameter.data - self.rate * parameter.grad"},
    ],
    fails="sgd",
)

Mistake(
    "sgd_one_velocity",
    "All parameters share one velocity: what one of them adds moves the others, too. Each has a velocity of its own, of its "
    "shape.",
    edits=[
        {
            "[np.zeros_like(parameter.data) for parameter in self.parameters]": "0.0",
            "self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad": (
                "self.velocities = self.momentum * self.velocities + parameter.grad"
            ),
            "parameter.data - self.rate * self.velocities[i]": "parameter.data - self.rate * self.velocities",
        },
        {
            "self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad": (
                "self.velocities[:] = [self.momentum * self.velocities[i] + parameter.grad] * len(self.velocities)"
            ),
        },
    ],
    fails="sgd learns",
)

Mistake(
    "sgd_velocity_starts_at_gradient",
    "The velocities start as the gradients that the parameters have when the optimizer is made. They start at 0.",
    edits=[
        {
            "[np.zeros_like(parameter.data) for parameter in self.parameters]": "[parameter.grad for parameter in self.parameters]"
        },
        {
            "[np.zeros_like(parameter.data) for parameter in self.parameters]": "[parameter.grad for parameter in self.parameters]",
            "            self.velocities[i] = self.momentum * self.velocities[i] + parameter.grad\n": (
                "            self.velocities[i] *= self.momentum\n            self.velocities[i] += parameter.grad\n"
            ),
        },
    ],
    fails="sgd",
)
