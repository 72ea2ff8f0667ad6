"""Importing what is large."""

import gc
from importlib import import_module
from types import ModuleType


def imported(name: str) -> ModuleType:
    """Import a module and all that it needs, without looking for garbage meanwhile.

    Tens of thousands of objects are made and none of them is garbage; looking takes a fifth of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        if collecting:
            gc.enable()
