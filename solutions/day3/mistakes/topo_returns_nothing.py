"""build_topo builds its list but does not return it, so the caller gets None."""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity quiz

_returning = build_topo


def build_topo(root):
    _returning(root)
