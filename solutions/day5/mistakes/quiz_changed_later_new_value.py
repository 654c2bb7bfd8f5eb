"""quiz_changed_later is the new value of a. A closure that reads a.data during the backward pass
would find it; a local gradient was computed in the forward pass, when a was 2, and keeps that.
"""
# fails: quiz

quiz_changed_later = 5
