"""A chart as a picture, for chats that show pictures and cannot draw a spec."""

import vl_convert

from datasets.charts._frame import Spec


def picture(spec: Spec, *, scale: float = 1.5) -> bytes:
    """Render a spec as PNG on white ground; at the usual size about 30 kB."""
    return bytes(vl_convert.vegalite_to_png({**spec, "background": "white"}, scale=scale))
