"""Assembly of the graph, drawn exactly as it runs: eight nodes in a row."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from datasets import DatasetError
from graph.errors import InputAtFault
from graph.identity import run_principal
from graph.services import Run, Services, served_services
from graph.state import Context, Input, Json, State
from nodes.battery import battery
from nodes.consolidate import consolidate
from nodes.gate import gate
from nodes.plan import plan
from nodes.recall import recall
from nodes.report import report
from nodes.transcript import transcript
from nodes.understand import understand
from prompts import Meter

WAITING_FOR_A_MODEL = 8
"""How many phases share a core where most of them wait for a model's reply."""

Graph = CompiledStateGraph[State, Context, Input, State]


def build_graph(
    services: Services, *, checkpointer: BaseCheckpointSaver[Any] | None = None, at_once: int | None = None
) -> Graph:
    """Compile the graph over the given services; without a checkpointer the host brings its own, or there is none.

    :param at_once: how many phases may work at the same time in this process, whatever the number of runs; each is
        announced before it waits, so that people see at once that they are served.
    """
    slots = threading.Semaphore(at_once) if at_once else nullcontext()
    builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=State)
    previous = START
    for node in (understand, recall, gate, plan, battery, report, consolidate, transcript):
        builder.add_node(node.__name__, _phase(node, services, slots), input_schema=State)
        builder.add_edge(previous, node.__name__)
        previous = node.__name__
    builder.add_edge(previous, END)
    return builder.compile(checkpointer=checkpointer, name="recallyst")


def _phase(node: Callable[..., Json], services: Services, slots: AbstractContextManager[Any]) -> Callable[..., Json]:
    """Wrap a node: hand it the services, announce it on the custom stream, add its seconds to `usage`."""
    phase = node.__name__

    def run(state: State, config: RunnableConfig, runtime: Runtime[Context]) -> Json:
        tell = get_stream_writer()
        tell({"phase": phase})
        said: list[str] = []

        def say(text: str) -> None:
            said.append(text)
            tell({"phase": phase, "answer": text})

        thread_id = (config.get("configurable") or {}).get("thread_id")
        principal = run_principal(runtime.server_info, services.principal)
        own = services.for_principal(principal) if runtime.server_info else services
        # A question begins with nothing spent; `understand` resets the usage of the one before it.
        spent = {} if phase == "understand" else (state.get("usage") or {}).get("model")
        meter = Meter(services.settings.model, spent)
        run = Run(
            own,
            runtime.context or Context(),
            thread_id,
            meter,
            say,
        )
        try:
            with slots:
                started = time.monotonic()
                update = node(state, run)
        except DatasetError as error:
            if runtime.server_info is None:
                raise
            raise InputAtFault(str(error)) from error
        if not said:  # the built-in analyst says all at once; keeping it still takes a moment
            for line in str(update.get("answer") or "").splitlines():
                say(line)
        usage: Json = update.get("usage") or state.get("usage") or {}
        if not usage:
            return update
        if meter.asked:
            usage = {**usage, "model": meter.usage}
        if meter.warnings:
            known = update.get("warnings", state.get("warnings")) or []
            update = {**update, "warnings": [*known, *meter.warnings]}
        seconds = dict(usage.get("seconds") or {})
        seconds[phase] = round(seconds.get(phase, 0.0) + time.monotonic() - started, 4)
        return {**update, "usage": {**usage, "seconds": seconds}}

    run.__name__ = phase
    return run


async def graph() -> Graph:
    """Return the graph that `langgraph.json` serves: catalogued datasets only, settings from the environment.

    A factory, so that importing this module opens nothing; off the event loop, since opening the stores blocks.
    """
    return await asyncio.to_thread(_served)


@cache
def _served() -> Graph:
    services = served_services()
    cores = max(2, os.cpu_count() or 1)
    return build_graph(services, at_once=cores * WAITING_FOR_A_MODEL if services.model else cores)
