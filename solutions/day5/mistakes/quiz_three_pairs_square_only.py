"""quiz_three_pairs has only the two contributions of a * a. 3 * a brings a third."""
# fails: quiz

quiz_three_pairs = 8
