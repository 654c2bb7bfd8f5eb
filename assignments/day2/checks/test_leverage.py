"""Reading gradients: the sign says which way, the size says how much."""


def test_strongest(answers):
    """`strongest` names the leaf with the largest gradient, whatever its sign."""
    answers.judge("strongest")


def test_leverage(answers):
    """leverage_a_over_c is how many times a moves L as much as c does, without a sign."""
    answers.judge("leverage_a_over_c")


def test_nudge_up(answers):
    """nudge_up lists the leaves that raise L when they grow."""
    answers.judge("nudge_up")
