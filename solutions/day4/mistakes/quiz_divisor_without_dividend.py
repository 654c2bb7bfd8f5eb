"""-1 / b² is the gradient for 1 / b. With a above the line it is a times as large: -a / b²."""
# fails: quiz

quiz_divisor = -0.0625
