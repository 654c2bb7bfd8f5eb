# days: day2, day3, day4
# A metaclass wraps each rule into an operator and makes the reflected ones.
import math


class Differentiable(type):
    def __new__(meta, name, bases, namespace):
        cls = super().__new__(meta, name, bases, namespace)
        for rule in [key for key in namespace if key.startswith("rule_")]:
            meta.install(cls, rule.removeprefix("rule_"), namespace[rule])
        return cls

    @staticmethod
    def install(cls, name, rule):
        def apply(*operands):
            nodes = [x if isinstance(x, cls) else cls(x) for x in operands]
            data, slopes = rule(*(node.data for node in nodes))
            return cls(data, nodes, slopes)

        if name in ("add", "sub", "mul", "truediv"):
            setattr(cls, f"__{name}__", lambda self, other: apply(self, other))
            setattr(cls, f"__r{name}__", lambda self, other: apply(other, self))
        elif name == "neg":
            cls.__neg__ = lambda self: apply(self)
        else:
            setattr(cls, name, lambda self: apply(self))


class Value(metaclass=Differentiable):
    def __init__(self, data, parents=(), slopes=()):
        self.data = data
        self.grad = 0.0
        self._prev = parents
        self._slopes = slopes

    def rule_add(x, y):
        return x + y, (1, 1)

    def rule_sub(x, y):
        return x - y, (1, -1)

    def rule_mul(x, y):
        return x * y, (y, x)

    def rule_truediv(x, y):
        return x / y, (1 / y, -x / y / y)

    def rule_neg(x):
        return -x, (-1,)

    def rule_exp(x):
        return math.exp(x), (math.exp(x),)

    def rule_tanh(x):
        return math.tanh(x), (1 - math.tanh(x) ** 2,)

    def rule_relu(x):
        return (x, (1,)) if x > 0 else (0, (0,))

    def __pow__(self, n):
        return Value(self.data**n, [self], [n * self.data ** (n - 1)])

    def _backward(self):
        for parent, slope in zip(self._prev, self._slopes):
            parent.grad += slope * self.grad

    def backward(self):
        done, order = set(), []

        def visit(value):
            if value not in done:
                done.add(value)
                any(visit(parent) for parent in value._prev)
                order.append(value)

        visit(self)
        self.grad = 1.0
        for value in order[::-1]:
            value._backward()
