"""Takes, for a second, all the threads that its user may have: the next jail is the same user's.

slow: yes
"""

import threading
import time

threading.stack_size(1 << 15)


def attack():
    until = time.monotonic() + 1
    while time.monotonic() < until:
        try:
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        except RuntimeError:
            time.sleep(0.01)
    return "held"


def answer():
    return 1.0
