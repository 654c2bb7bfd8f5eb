"""1 / b is the gradient of the dividend a. For the divisor it is -a / b²."""
# fails: quiz

quiz_divisor = 0.25
