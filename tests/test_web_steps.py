"""The one-process server lets go of the steps of earlier questions, and nothing else is lost."""

from operator import add
from typing import Annotated, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from web.steps import trim


class Talk(TypedDict):
    said: Annotated[list[int], add]
    answer: str


def test_old_steps_go_and_the_session_goes_on_from_where_it_was() -> None:
    saver = InMemorySaver()
    builder = StateGraph(Talk)
    builder.add_node("count", lambda state: {"said": [len(state["said"])]})
    builder.add_node("gate", lambda state: {"answer": interrupt("which?") if len(state["said"]) > 14 else "none"})
    builder.add_edge(START, "count")
    builder.add_edge("count", "gate")
    graph: Any = builder.compile(checkpointer=saver)
    long, short = ({"configurable": {"thread_id": name}} for name in ("long", "short"))
    graph.invoke({"said": [7]}, short)
    for _ in range(8):
        asked = graph.invoke({"said": [9]}, long)
    assert asked["__interrupt__"][0].value == "which?"
    before, of_short = graph.get_state(long), list(graph.get_state_history(short))

    trim(saver, keep=4)

    assert [len(saver.storage[name][""]) for name in ("long", "short")] == [4, 4]
    assert graph.get_state(long) == before
    assert list(graph.get_state_history(short)) == of_short
    assert next(s.config for s in graph.get_state_history(long)) == before.config
    kept = {(b[0], b[2]) for b in saver.blobs}
    assert len([b for b in saver.blobs if b[:3] == ("long", "", "said")]) <= 4
    assert ("short", "said") in kept
    assert {w[2] for w in saver.writes if w[0] == "long"} <= set(saver.storage["long"][""])
    assert graph.invoke(Command(resume="this one"), long) == {"said": before.values["said"], "answer": "this one"}
