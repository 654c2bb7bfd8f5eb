"""Every parameter moves against its gradient, and the loss falls."""

from pytest import approx

from grader.sandbox import kind_words

# Executed in the jail: a parameter w, and the loss (3w - 6) ** 2, built anew at every call. It is a Value that knows
# its own gradient, so no operation and no `backward` of the engine takes part.
LOSS = """
def make(Value, start):
    w = Value(start)
    calls = []

    class Loss(Value):
        def backward(self):
            self.grad = 1.0
            w.grad = (w.grad or 0.0) + self.slope

    Loss.__name__ = Value.__name__  # a message names the class of an object

    def loss_of():
        calls.append(1)
        error = 3 * w.data - 6
        loss = Loss(error * error)
        loss.slope = 6 * error
        return loss

    return w, loss_of, lambda: len(calls)
"""

# Executed in the jail: how many parameters a list still holds after `function(parameters, rate)`.
LEFT = """
def left(function, parameters, rate):
    function(parameters, rate)
    return len(parameters)
"""


def numbers(student, losses):
    assert isinstance(losses, list | tuple), (
        f"train returned {kind_words(losses)}; a list is asked for, with the loss of each step."
    )
    assert all(isinstance(loss, int | float) for loss in losses), (
        f"train returned {kind_words(losses)}; a list of numbers is asked for: of each loss, its data."
    )
    student.note("the list of losses", losses)
    return losses


def test_descend(student):
    """A call of descend moves each parameter by minus rate times its gradient."""
    a, b = student.leaves(a=2.0, b=-3.0)
    a.grad, b.grad = -3.0, 2.0
    student.descend([a, b], 0.1)
    assert [a.data, b.data] == approx([2.3, -3.2])


def test_list_kept(student):
    """A call of descend changes data and leaves the list itself as it is."""
    a, b = student.leaves(a=2.0, b=-3.0)
    a.grad, b.grad = -3.0, 2.0
    left = student.helper(LEFT, "left")(student.descend, [a, b], 0.1)
    assert left == 2, (
        "After descend([a, b], 0.1) the list no longer holds both: go through it without pop or remove."
    )
    assert [p.data for p in (a, b)] == approx([2.3, -3.2])


def test_train(student):
    """Three steps of train on (3w - 6) ** 2 from w = 1, with a rate of 0.05."""
    w, loss_of, calls = student.helper(LOSS, "make")(student.Value, 1.0)
    student.name(w=w)
    losses = student.train(loss_of, [w], 3, 0.05)
    called = calls()
    assert called == 3, (
        f"train must call loss_of once for each of the three steps; the number of calls was {called}."
    )
    assert w.data == approx(1.999)
    assert numbers(student, losses) == approx([9.0, 0.09, 0.0009])


def test_train_again(student):
    """A second call, with a rate of 0.04: two steps and then one more. The second list has one loss."""
    w, loss_of, _ = student.helper(LOSS, "make")(student.Value, 1.0)
    student.name(w=w)
    student.train(loss_of, [w], 2, 0.04)
    losses = student.train(loss_of, [w], 1, 0.04)
    assert w.data == approx(1.978048)
    assert numbers(student, losses) == approx([0.05531904])
