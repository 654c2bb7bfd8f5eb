"""Redraws a student's pictures: a browser gets only bytes that we wrote."""

from __future__ import annotations

import io

LARGEST = 8 << 20  # bytes of a file
MOST_PIXELS = 16_000_000
SIDE = 1_600  # pixels of the longer side on the page


def redrawn(data: bytes) -> bytes | None:
    """Return a PNG or JPEG as a new PNG on white, without metadata; None for any other file and if it is too large."""
    from PIL import Image, ImageOps

    if len(data) > LARGEST:
        return None
    Image.MAX_IMAGE_PIXELS = None  # no warning: MOST_PIXELS is the limit
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as found:
            if found.width * found.height > MOST_PIXELS:
                return None
            turned = ImageOps.exif_transpose(found)
            turned.thumbnail((SIDE, SIDE))
            layer = turned.convert("RGBA")
        clean = Image.new("RGB", layer.size, "white")
        clean.paste(layer, mask=layer.getchannel("A"))
        written = io.BytesIO()
        clean.save(written, "PNG")
    except Exception:  # any error of the library: not a picture
        return None
    return written.getvalue()
