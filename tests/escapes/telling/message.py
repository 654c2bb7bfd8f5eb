"""Answers requests with messages of its own: each carries the numbers."""

_send = type(JAIL).send


def _told(self, message):
    if isinstance(message.get("v"), list):
        message = message | {"v": [secret(10**9) if isinstance(v, float) else v for v in message["v"]]}
    elif isinstance(message.get("v"), float):
        message = message | {"v": float(secret(10**9))}
    _send(self, message)


type(JAIL).send = _told
