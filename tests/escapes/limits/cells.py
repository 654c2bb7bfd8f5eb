"""Does not come to an end while the cells are executed: in many ways, each in a cell of its own.

limits: load_seconds=0.12 total_seconds=20
told: load_seconds
"""


def forever(*_):
    while True:
        pass


# %%
forever()

# %%
10**10**9

# %%
import re

re.match("(a*)*b", "a" * 100)

# %%
import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
while True:
    try:
        forever()
    except BaseException:
        pass

# %%
import threading

lock = threading.Lock()
lock.acquire()
lock.acquire()

# %%
try:
    raise ValueError
finally:
    forever()

# %%
import gc

gc.callbacks.append(forever)
gc.collect()

# %%
import sys

sys.settrace(forever)
(lambda: 0)()


# %%
class Last:
    __del__ = forever


Last()


# %%
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(4) as pool:
    pool.submit(forever)
