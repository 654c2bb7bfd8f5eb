"""Slips of day 6 that facts tell: name, check, what the report says there, edits of the reference."""

SLIPS = [
    (
        "seed_is_added",
        "backward",
        "a.grad is 12, expected 2",
        {"self.grad = np.ones_like(self.data)": "self.grad = self.grad + np.ones_like(self.data)"},
    ),
]
