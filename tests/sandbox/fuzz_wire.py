"""A fuzzer that follows the coverage, for everything that reads what a jail sends.

    pip install atheris
    PYTHONPATH=tests/support python tests/sandbox/fuzz_wire.py CORPUS -max_total_time=600

CORPUS is a folder that it fills; the first byte of an input chooses the function of
`wire_targets.py`, and an input that breaks it belongs into `test_fuzz_wire.py`. Everything
after CORPUS is libFuzzer's.
"""

import json
import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["grader.sandbox", "wire_targets"]):
    from wire_targets import change, decoder, framing, line, messages, session


def one_input(data: bytes) -> None:
    """The first byte chooses."""
    if data:
        (decoder, framing, session)[data[0] % 3](data[1:])


def seeds() -> list[bytes]:
    """Honest inputs to begin with."""
    frames = [b'\0\0\0\x1b{"n":@,"v":1}', b"\xff\xff\xff\xff", b"\0\0"]
    lines = [(i, line(message)) for i, honest in enumerate(messages()) for message in honest]
    return [
        *(b"\0" + body for _, body in lines),
        *(b"\1" + frame for frame in frames),
        *(b"\2" + b"\n" * i + body for i, body in lines),
    ]


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change one value in one line of JSON; or bytes, as libFuzzer does it."""
    dice, lines = random.Random(seed), data[1:].split(b"\n")
    chosen = dice.randrange(len(lines))
    try:
        message = json.loads(lines[chosen].replace(b"@", b'"@"'))
    except ValueError:
        message = None
    if not isinstance(message, dict) or dice.random() < 0.3:
        return bytes(atheris.Mutate(data, max_size))
    change(message, dice)
    lines[chosen] = line(message)
    return (data[:1] + b"\n".join(lines))[:max_size]


if __name__ == "__main__":
    corpus = Path(sys.argv[1])
    corpus.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(seeds()):
        (corpus / f"seed-{i:03}").write_bytes(seed)
    atheris.Setup(sys.argv, one_input, custom_mutator=mutate)
    atheris.Fuzz()
