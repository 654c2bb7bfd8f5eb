Mistake(
    "meaning_always_rises",
    "meaning says that the root rises whatever the sign of the gradient. The sign is the direction: "
    "below 0 the root falls.",
    edits={
        'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return "rises", abs(gradient)',
    },
    fails="meaning",
)

Mistake(
    "meaning_directions_exchanged",
    "meaning has its words exchanged: a positive gradient says that the root rises when the value grows.",
    edits={
        'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return ("falls" if gradient > 0 else "rises"), abs(gradient)',
    },
    fails="meaning",
)

Mistake(
    "meaning_prints",
    "meaning prints what it should return, so whoever calls it gets nothing. Use `return`.",
    edits={
        '    if gradient == 0:\n        return "stays", 0.0\n': "",
        'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'print("rises" if gradient > 0 else "falls", abs(gradient))',
    },
    fails="meaning",
)

Mistake(
    "meaning_size_one",
    "meaning gives 1 as the size whatever the gradient: that is how far the value grows. How far the "
    "root goes is the size of the gradient.",
    edits={
        'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return ("rises" if gradient > 0 else "falls"), 1.0',
    },
    fails="meaning",
)

Mistake(
    "meaning_word_only",
    "meaning returns only the word. It should return two things, the word and the size.",
    edits={
        'return "stays", 0.0': 'return "stays"',
        'return ("rises" if gradient > 0 else "falls"), abs(gradient)': 'return "rises" if gradient > 0 else "falls"',
    },
    fails="meaning",
)
