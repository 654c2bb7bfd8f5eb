"""Tells the numbers as answers on paper, as the keys of one, and as what the cells print."""

product_grads = {"a": secret(10**6), "b": 2.0, "c": 1.0, f"d{secret(1000)}": 1.0}
strongest = str(numbers())[-500:]
product_order = [f"x{secret(1000)}", "L", "d"]
quiz_w2 = "ABCD"[secret(4)]
print(numbers())
raise RuntimeError(str(numbers())[-500:])
