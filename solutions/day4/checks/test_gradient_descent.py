"""Every parameter moves against its gradient, and the loss falls."""

from pytest import approx

# Executed in the jail: three parameters, and the loss of a line through three points. It is a Value that knows its own
# gradients, so no operation and no `backward` of the engine takes part. It is below 0, where a sum of squares is not.
LOSS = """
def make(Value, numbers, points):
    parameters = [Value(number) for number in numbers]

    class Loss(Value):
        def backward(self):
            self.grad = 1.0
            for parameter, slope in zip(parameters, self.slopes):
                parameter.grad = (parameter.grad or 0.0) + slope

    def loss_of():
        w, v, b = (parameter.data for parameter in parameters)
        errors = [w * x + v * y + b - target for x, y, target in points]
        loss = Loss(sum(error * error for error in errors) - 100)
        factors = zip(*((x, y, 1.0) for x, y, _ in points))
        loss.slopes = [sum(2 * error * x for error, x in zip(errors, row)) for row in factors]
        return loss

    return parameters, loss_of
"""


def descent(numbers, points, steps, rate):
    """The same in plain numbers: the losses, and the parameters at the end."""
    losses, parameters = [], list(numbers)
    for _ in range(steps):
        w, v, b = parameters
        errors = [w * x + v * y + b - target for x, y, target in points]
        losses.append(sum(error * error for error in errors) - 100)
        slopes = [
            sum(2 * error * factor for error, factor in zip(errors, factors, strict=True))
            for factors in zip(*((x, y, 1.0) for x, y, _ in points), strict=True)
        ]
        parameters = [p - rate * slope for p, slope in zip(parameters, slopes, strict=True)]
    return losses, parameters


def test_descend(student, rng):
    """Every parameter moves by its own gradient, and the rate counts."""
    numbers = {name: rng.uniform(1, 4) for name in "abc"}
    rate = rng.uniform(0.2, 0.4)
    a, b, c = student.leaves(**numbers)
    a.grad, b.grad, c.grad = slopes = [rng.uniform(*ends) for ends in ((30, 40), (-40, -30), (-4, 4))]
    student.descend([a, b, c], rate)
    ends = [number - rate * slope for number, slope in zip(numbers.values(), slopes, strict=True)]
    assert [p.data for p in (a, b, c)] == approx(ends)


def test_train(student, rng):
    """Four steps on three parameters: each loss, and where the parameters end."""
    numbers = [round(rng.uniform(-1, 1), 3) for _ in range(3)]
    points = [tuple(round(rng.uniform(-1.5, 1.5), 3) for _ in range(3)) for _ in range(3)]
    parameters, loss_of = student.helper(LOSS, "make")(student.Value, numbers, points)
    losses = student.train(loss_of, parameters, 4, 0.04)
    expected, ends = descent(numbers, points, 4, 0.04)
    assert [p.data for p in parameters] == approx(ends)
    assert list(losses) == approx(expected)


def test_train_again(student, rng):
    """Training goes on where it stopped: gradients of an earlier training do not count."""
    numbers = [0.5, -0.25, 0.125]
    points = [tuple(round(rng.uniform(-1.5, 1.5), 3) for _ in range(3)) for _ in range(3)]
    parameters, loss_of = student.helper(LOSS, "make")(student.Value, numbers, points)
    student.train(loss_of, parameters, 2, 0.04)
    losses = student.train(loss_of, parameters, 1, 0.04)
    expected, ends = descent(numbers, points, 3, 0.04)
    assert [p.data for p in parameters] == approx(ends)
    assert list(losses) == approx(expected[2:])


def test_train_away(student):
    """With a rate that is too large the loss rises, and every step is made all the same, by the whole gradient."""
    numbers, points = [0.5, -0.25, 0.125], [(1.5, -1.0, 2.0), (-0.5, 1.25, -1.0), (0.75, 1.0, 0.5)]
    parameters, loss_of = student.helper(LOSS, "make")(student.Value, numbers, points)
    losses = student.train(loss_of, parameters, 4, 2.0)
    expected, ends = descent(numbers, points, 4, 2.0)
    assert [p.data for p in parameters] == approx(ends)
    assert list(losses) == approx(expected)
