"""2 is the value of L. The gradient of b says how far L moves for each unit that b moves: -a /
b².
"""
# fails: quiz

quiz_divisor = 2
