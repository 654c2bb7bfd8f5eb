"""Opens every secret by its path.

guard: landlock
"""


def attack():
    for path in SECRET_FILES:
        try:
            return "escaped: " + open(path).read()
        except PermissionError:
            pass
    return "held"
