Mistake(
    "leaves_and_inner_nodes",
    "leaves_of returns every node of the graph. Only nodes with an empty `_prev` are leaves.",
    edits={"    if not root._prev:\n        return {root}\n    found = set()\n": "    found = {root}\n"},
    fails="read_back",
)

Mistake(
    "leaves_as_labels",
    "leaves_of returns the labels of the leaves. Return the Values themselves; a label may be empty, "
    "or stand on two leaves.",
    edits={"        return {root}\n": "        return {root.label}\n"},
    fails="read_back",
)

Mistake(
    "leaves_by_value",
    "leaves_of takes two leaves that hold the same number for one. Compare the objects, not their data.",
    edits={
        "    if not root._prev:\n"
        "        return {root}\n"
        "    found = set()\n"
        "    for child in root._prev:\n"
        "        found |= leaves_of(child)\n"
        "    return found\n": (
            "    if not root._prev:\n"
            "        return [root]\n"
            "    found = {}\n"
            "    for child in root._prev:\n"
            "        found.update((leaf.data, leaf) for leaf in leaves_of(child))\n"
            "    return list(found.values())\n"
        ),
    },
    fails="read_back",
)

Mistake(
    "leaves_direct_children",
    "leaves_of gives nothing from below the children of the root. A child that was computed is no leaf: "
    "what leaves_of gives for it goes into the answer.",
    edits=[
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): "    return set(root._prev) or {root}\n",
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): "    return [child for child in root._prev if not child._prev] or [root]\n",
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): "    return [child for child in root._prev if not child._prev]\n",
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): "    return set(root._prev)\n",
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): "    return list(root._prev)\n",
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): (
                "    if not root._prev:\n        return [root]\n    return [child for child in root._prev if not child._prev]\n"
            ),
        },
    ],
    fails="read_back",
)

Mistake(
    "leaves_inner_nodes_only",
    "leaves_of returns the nodes that were computed, and leaves out the leaves. A leaf is a node whose "
    "`_prev` is empty.",
    edits={
        "    if not root._prev:\n"
        "        return {root}\n"
        "    found = set()\n": "    found = {root} if root._prev else set()\n",
    },
    fails="read_back",
)

Mistake(
    "leaves_lost_on_the_way",
    "leaves_of returns an empty collection for a root with children. What it gives for a child has to be "
    "put into the collection; a call alone drops it.",
    edits={"        found |= leaves_of(child)\n": "        leaves_of(child)\n"},
    fails="read_back",
)

Mistake(
    "leaves_not_of_a_leaf",
    "leaves_of returns nothing for the leaf a, which has no label here. An empty `_prev` tells a leaf, "
    "not its label. A leaf is its own and only leaf, and every larger answer is put together from these.",
    edits=[
        {"    if not root._prev:\n        return {root}\n": ""},
        {"    if not root._prev:\n        return {root}\n": "    if root.label:\n        return {root}\n"},
    ],
    fails="read_back",
)

Mistake(
    "leaves_of_last_child",
    "leaves_of returns the leaves of one child only. Put the answers for all children together: no answer may "
    "replace another, as with `=`, or with equal keys in a dictionary.",
    edits={"        found |= leaves_of(child)\n": "        found = leaves_of(child)\n"},
    fails="read_back",
)

Mistake(
    "leaves_repeated",
    "leaves_of lists a leaf once for each path that leads to it. Collect the leaves in a set, or ask "
    "whether a leaf is there already.",
    edits={
        "    if not root._prev:\n"
        "        return {root}\n"
        "    found = set()\n"
        "    for child in root._prev:\n"
        "        found |= leaves_of(child)\n"
        "    return found\n": (
            "    if not root._prev:\n"
            "        return [root]\n"
            "    return [leaf for child in root._prev for leaf in leaves_of(child)]\n"
        ),
    },
    fails="read_back",
)

Mistake(
    "leaves_return_nothing",
    "leaves_of collects the leaves and does not return them.",
    edits={
        "    if not root._prev:\n"
        "        return {root}\n"
        "    found = set()\n"
        "    for child in root._prev:\n"
        "        found |= leaves_of(child)\n"
        "    return found\n": ("    found = set()\n    for child in root._prev:\n        found.add(child)\n"),
    },
    fails="read_back",
)

Mistake(
    "leaves_return_too_early",
    "leaves_of returns the leaves of the first child only. A `return` inside of the loop ends it in its first "
    "round; it belongs after the loop, one step further left.",
    edits={
        "        found |= leaves_of(child)\n    return found\n": (
            "        found |= leaves_of(child)\n        return found\n"
        ),
    },
    fails="read_back",
)

Mistake(
    "leaves_two_levels",
    "leaves_of gives nothing from below the children of the children. A graph may be deeper; "
    "let the function ask itself about each child.",
    edits={
        "    if not root._prev:\n"
        "        return {root}\n"
        "    found = set()\n"
        "    for child in root._prev:\n"
        "        found |= leaves_of(child)\n"
        "    return found\n": (
            "    found = set()\n"
            "    for child in set(root._prev) or {root}:\n"
            "        found |= set(child._prev) or {child}\n"
            "    return found\n"
        ),
    },
    fails="read_back",
)

Mistake(
    "paths_always_zero",
    "count_paths is 0 for every graph: without the smallest case there is nothing to add up. From a "
    "leaf to itself there is one way.",
    edits={"    if root is leaf:\n        return 1\n": ""},
    fails="read_back",
)

Mistake(
    "paths_by_value",
    "count_paths also counts paths to other nodes that hold the same number. Compare the objects, with `is`, "
    "and not their data.",
    edits={"    if root is leaf:\n": "    if root.data == leaf.data:\n"},
    fails="read_back",
)

Mistake(
    "paths_counts_steps",
    "count_paths gives one more for each step on the way. A step is not a path: add up "
    "what the children answer, and nothing else.",
    edits={
        "    return sum(count_paths(child, leaf) for child in root._prev)\n": "    return 1 + sum(count_paths(child, leaf) for child in root._prev)\n",
    },
    fails="read_back",
)

Mistake(
    "paths_direct_only",
    "count_paths counts no path that is longer than one step. What count_paths gives for each child "
    "has to be added up; a call alone drops it.",
    edits={
        "    return sum(count_paths(child, leaf) for child in root._prev)\n": "    return sum(child is leaf for child in root._prev)\n",
    },
    fails="read_back",
)

Mistake(
    "paths_multiplied",
    "count_paths is 0 for a leaf to which not every child leads. The ways through the children are added: "
    "a child without a way counts 0, and takes nothing from the others, as a product or an `=` in the loop would.",
    edits={
        "    return sum(count_paths(child, leaf) for child in root._prev)\n": "    return math.prod(count_paths(child, leaf) for child in root._prev) if root._prev else 0\n",
    },
    fails="read_back",
)

Mistake(
    "paths_only_one",
    "count_paths is 1 where there are two paths. A node that is reached in two ways counts both times: add up "
    "the answers of all children. A `return` inside of a loop ends it.",
    edits={
        "    return sum(count_paths(child, leaf) for child in root._prev)\n": "    return max((count_paths(child, leaf) for child in root._prev), default=0)\n",
    },
    fails="read_back",
)

Mistake(
    "paths_return_nothing",
    "count_paths computes a number and does not return it.",
    edits={
        "    return sum(count_paths(child, leaf) for child in root._prev)\n": "    ways = sum(child is leaf for child in root._prev)\n",
    },
    fails="read_back",
)

Mistake(
    "paths_return_too_early",
    "count_paths counts the ways through the first child only. A `return` inside of the loop ends it in its "
    "first round; it belongs after the loop, one step further left.",
    edits={
        "    return sum(count_paths(child, leaf) for child in root._prev)\n": (
            "    for child in root._prev:\n        return count_paths(child, leaf)\n    return 0\n"
        ),
    },
    fails="read_back",
)

Mistake(
    "paths_to_every_leaf",
    "count_paths counts the paths to every leaf instead of to the one that is asked for. The end of a "
    "path is `root is leaf`, not just any node without children.",
    edits={"    if root is leaf:\n": "    if not root._prev:\n"},
    fails="read_back",
)

Mistake(
    "leaves_nested",
    "leaves_of puts the whole list of a child's leaves into its own list as one item, so there are "
    "lists in the list. Take the leaves out of it: `+=` or `extend`, not `append`.",
    edits=[
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): (
                "    found = []\n"
                "    if not root._prev:\n"
                "        found.append(root)\n"
                "    for child in root._prev:\n"
                "        found.append(leaves_of(child))\n"
                "    return found\n"
            ),
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): (
                "    if not root._prev:\n"
                "        return [root]\n"
                "    found = []\n"
                "    for child in root._prev:\n"
                "        found.append(leaves_of(child))\n"
                "    return found\n"
            ),
        },
        {
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): "    return [leaves_of(child) for child in root._prev] or [root]\n",
        },
    ],
    fails="read_back",
)

Mistake(
    "leaves_empty_the_graph",
    "leaves_of takes the children out of `_prev` while it looks, so the graph is gone afterwards. "
    "The list belongs to the node: go through it with `for`, or work on a copy.",
    edits=[
        {
            "tuple(_children)": "list(_children)",
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): (
                "    found, todo = set(), root._prev\n"
                "    if not todo:\n"
                "        found.add(root)\n"
                "    while todo:\n"
                "        node = todo.pop()\n"
                "        if node._prev:\n"
                "            todo += node._prev\n"
                "        else:\n"
                "            found.add(node)\n"
                "    return found\n"
            ),
        },
        {
            "tuple(_children)": "list(_children)",
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    while root._prev:\n"
                "        found |= leaves_of(root._prev.pop())\n"
                "    return found\n"
            ),
        },
        {
            "tuple(_children)": "set(_children)",
            (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    for child in root._prev:\n"
                "        found |= leaves_of(child)\n"
                "    return found\n"
            ): (
                "    if not root._prev:\n"
                "        return {root}\n"
                "    found = set()\n"
                "    while root._prev:\n"
                "        found |= leaves_of(root._prev.pop())\n"
                "    return found\n"
            ),
        },
    ],
    fails="read_back",
)

Mistake(
    "paths_none_elsewhere",
    "count_paths returns None for a leaf that is not the one asked for: a branch ends without a "
    "number. There is no way from there, and that is 0.",
    edits=[
        {
            (
                "    if root is leaf:\n"
                "        return 1\n"
                "    return sum(count_paths(child, leaf) for child in root._prev)\n"
            ): (
                "    if root is leaf:\n"
                "        return 1\n"
                "    if not root._prev:\n"
                "        return None\n"
                "    return sum(count_paths(child, leaf) for child in root._prev)\n"
            ),
        },
        {
            (
                "    if root is leaf:\n"
                "        return 1\n"
                "    return sum(count_paths(child, leaf) for child in root._prev)\n"
            ): (
                "    if root is leaf:\n"
                "        return 1\n"
                "    if root._prev:\n"
                "        return sum(count_paths(child, leaf) for child in root._prev)\n"
            ),
        },
    ],
    fails="read_back",
)
