"""Sample datasets that ship with the product; see README.md in this folder."""

from pathlib import Path


def sample_path(name: str) -> Path:
    """Return the path of a shipped sample, e.g. `shop_orders`.

    :raises FileNotFoundError: when there is no such sample.
    """
    path = Path(__file__).parent / f"{name}.csv"
    if not path.is_file():
        raise FileNotFoundError(f"there is no sample {name!r} in {path.parent}")
    return path


__all__ = ["sample_path"]
