"""build_topo returns the list turned around, the root first. Children come first, the root last;
it is `backward` that goes through it in reverse.
"""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity

_right_way_round = build_topo


def build_topo(root):
    return _right_way_round(root)[::-1]
