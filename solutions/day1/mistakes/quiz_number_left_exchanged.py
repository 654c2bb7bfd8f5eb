"""quiz_number_left is A. Python never exchanges the sides by itself, for it cannot know that a
product allows it; for a minus it would be wrong. It asks the left side, and when that declines, the
right side by another name.
"""
# fails: quiz

quiz_number_left = "A"
