"""The size is right, the sign is not: if b grows, a / b gets smaller, so its gradient is
negative. The local derivative is -a / b².
"""
# fails: quiz

quiz_divisor = 0.5
