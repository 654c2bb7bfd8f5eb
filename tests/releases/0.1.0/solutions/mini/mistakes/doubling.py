Mistake(
    "double_squares",
    "The number is multiplied by itself. Twice a number is the number added to itself.",
    edits={"return x + x": "return x * x"},
    fails="double box",
)

Mistake(
    "box_forgets",
    "The box doubles its number and does not keep the result.",
    edits={"self.number = double(self.number)": "double(self.number)"},
    fails="box",
)
