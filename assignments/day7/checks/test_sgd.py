"""SGD: a velocity for each parameter, and a step by it."""

from _helpers import judge_whose, plain


def leaves(student):
    return student.leaves(p=[1.0, -2.0], q=[[4.0, 0.5]])


def give(student, parameters, gradients):
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = student.array(gradient)


def test_without_momentum(student):
    """Two steps with the rate 0.5 and no momentum: data moves by minus half the gradient each time."""
    p, q = leaves(student)
    optimizer = student.SGD([p, q], 0.5)
    give(student, [p, q], [[2.0, -4.0], [[1.0, 8.0]]])
    optimizer.step()
    if plain(student, p.data) == [1.0, -2.0]:
        judge_whose(student, optimizer, "step", p=p, q=q)
    assert p.data == [0.0, 0.0]
    assert q.data == [[3.5, -3.5]]
    give(student, [p, q], [[1.0, 1.0], [[-2.0, 0.0]]])
    optimizer.step()
    assert p.data == [-0.5, -0.5]
    assert q.data == [[4.5, -3.5]]


def test_first_step(student):
    """The first step with rate 0.25 and momentum 0.25: the velocity is the gradient. p and q have theirs before SGD(...)."""
    p, q = leaves(student)
    give(student, [p, q], [[4.0, -8.0], [[2.0, 16.0]]])
    optimizer = student.SGD([p, q], 0.25, 0.25)
    optimizer.step()
    assert p.data == [0.0, 0.0]
    assert q.data == [[3.5, -3.5]]


def test_shapes(student):
    """A step of p with two numbers and of q with three rows: each velocity has the shape of its parameter."""
    p, q = student.leaves(p=[1.0, -2.0], q=[[4.0], [0.5], [2.0]])
    optimizer = student.SGD([p, q], 0.5, 0.5)
    give(student, [p, q], [[2.0, -4.0], [[1.0], [8.0], [-2.0]]])
    optimizer.step()
    assert q.data == [[3.5], [-3.5], [3.0]]
    assert p.data == [0.0, 0.0]


def test_velocity(student):
    """Three steps with rate 0.25 and momentum 0.5: half of each velocity goes on."""
    p, q = leaves(student)
    optimizer = student.SGD([p, q], 0.25, 0.5)
    for gradients in ([[4.0, -8.0], [[2.0, 16.0]]], [[2.0, 0.0], [[1.0, -4.0]]], [[0.0, 4.0], [[0.0, 1.0]]]):
        give(student, [p, q], gradients)
        optimizer.step()
    assert p.data == [-1.5, 0.5]
    assert q.data == [[2.75, -5.25]]


def test_two_optimizers(student):
    """Two optimizers, of p and of q, with rate 0.5 and momentum 0.5: p steps, q steps, p steps."""
    p, q = student.leaves(p=[1.0], q=[2.0])
    first, second = student.SGD([p], 0.5, 0.5), student.SGD([q], 0.5, 0.5)
    give(student, [p, q], [[4.0], [-2.0]])
    first.step()
    second.step()
    first.step()
    assert p.data == [-4.0]
    assert q.data == [3.0]


def test_gradients_stay(student):
    """step() changes data, and leaves the gradients as they are."""
    p, q = leaves(student)
    optimizer = student.SGD([p, q], 0.25, 0.5)
    for _ in range(2):
        give(student, [p, q], [[4.0, -8.0], [[2.0, 16.0]]])
        optimizer.step()
    assert p.grad == [4.0, -8.0]
    assert q.grad == [[2.0, 16.0]]
