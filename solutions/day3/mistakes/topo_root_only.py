"""build_topo lists the root alone: it never goes on to the children."""
# fails: build_topo reverse_order seed diamond shared_nodes accumulates deep_chain pytorch_parity quiz

def build_topo(root):
    return [root]
