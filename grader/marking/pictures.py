"""A student's pictures, decoded with caps and drawn anew: what a browser gets was written by us."""

from __future__ import annotations

import io

LARGEST = 8 << 20  # bytes of a file
MOST_PIXELS = 16_000_000
SIDE = 1_600  # pixels of the longer side of what is shown


def redrawn(data: bytes) -> bytes | None:
    """Return a PNG or JPEG as a new PNG on white, without metadata; None for any other file and for too large a one."""
    from PIL import Image, ImageOps

    if len(data) > LARGEST:
        return None
    Image.MAX_IMAGE_PIXELS = None  # else it warns of what is refused below
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
    except Exception:  # of the library, for whatever is no picture
        return None
    return written.getvalue()
