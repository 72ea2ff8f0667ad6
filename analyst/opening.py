"""Which analyst answers: the built-in one, made once for the services of a process, or a model with it behind."""

from functools import lru_cache

from analyst.builtin import BuiltinAnalyst
from analyst.model.analyst import ModelAnalyst
from analyst.protocol import Analyst
from graph.services import Run, Services


def analyst_for(run: Run) -> Analyst:
    """Return the analyst of a run: the model analyst where its services have a model, else the built-in one."""
    builtin = builtin_for(run.services)
    if run.services.model is None:
        return builtin
    return ModelAnalyst(run.services.model, builtin, run.meter, run.say)


@lru_cache(maxsize=8)
def builtin_for(services: Services) -> BuiltinAnalyst:
    """Return the built-in analyst; it shares the embedding model of memory, which loads at its first use."""
    return BuiltinAnalyst(services.memory.embedder)
