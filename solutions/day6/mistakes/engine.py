Mistake(
    "seed_is_a_number",
    "backward sets the root's gradient to one plain number, whatever the root's shape. The seed has the shape of the root: "
    "`np.ones_like(self.data)`.",
    edits={"self.grad = np.ones_like(self.data)": "self.grad = 1.0"},
    fails="backward",
)
