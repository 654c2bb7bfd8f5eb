"""Answers requests with messages of its own: each carries the numbers."""

_post = type(JAIL).post


def _told(self, message):
    if isinstance(message.get("v"), list):
        message = message | {"v": [secret(10**9) if isinstance(v, float) else v for v in message["v"]]}
    elif isinstance(message.get("v"), float):
        message = message | {"v": float(secret(10**9))}
    _post(self, message)


type(JAIL).post = _told
