"""SGD: a velocity for each parameter, and a step by it."""


def test_velocities(student):
    """Two parameters of one shape, with other gradients: four steps with rate 0.5 and momentum 0.25."""
    p, q = student.leaves(p=[1.0, -2.0], q=[0.5, 4.0])
    optimizer = student.SGD([p, q], 0.5, 0.25)
    numbers, velocities = [[1.0, -2.0], [0.5, 4.0]], [[0.0, 0.0], [0.0, 0.0]]
    for gradients in ([[4.0, 8.0], [-16.0, 0.0]], [[2.0, 0.0], [0.0, 4.0]], [[0.0, 0.0], [8.0, 2.0]]):
        p.grad, q.grad = (student.array(gradient) for gradient in gradients)
        optimizer.step()
        velocities = [
            [0.25 * v + g for v, g in zip(*rows, strict=True)]
            for rows in zip(velocities, gradients, strict=True)
        ]
        numbers = [
            [x - 0.5 * v for x, v in zip(*rows, strict=True)]
            for rows in zip(numbers, velocities, strict=True)
        ]
    assert p.data == numbers[0]
    assert q.data == numbers[1]
