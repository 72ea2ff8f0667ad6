"""understand: question + schema card → intent; opens the dataset, resets the keys of the previous question."""

import uuid

from langchain_core.messages import AnyMessage, HumanMessage

from analyst import Intent, Turn, analyst_for
from analyst.opening import builtin_for
from analyst.priors.memory_talk import memory_request
from datasets import DatasetError
from graph.answers import mode_worded
from graph.gating import agreeable
from graph.modes import parse_mode, refusal, wanted
from graph.services import Run
from graph.state import Json, Mode, State, fresh_keys


def understand(state: State, run: Run) -> Json:
    """Take the newest question and read it on the dataset's schema card.

    A message that arrives while the gate is open is read as its answer if it is one; otherwise the waiting question
    stays and the gate is shown again. Nothing is loaded twice for it.

    :raises datasets.DatasetError: when there is no dataset, or it cannot be opened; the session stays as it was.
    """
    services = run.services
    question, messages = _newest(state)
    waiting = state.get("waiting")
    if waiting:
        chosen = parse_mode(question, suggested=agreeable(state))
        if chosen or question == waiting["question"] or not state.get("mode"):
            note = None if chosen or question == waiting["question"] else refusal(question)
            return {
                "question": waiting["question"],
                "dataset": waiting.get("dataset") or state["dataset"],
                "requested": chosen or state.get("mode"),
                "mode": None,
                "wanted": wanted(chosen, question, state.get("options") or []),
                "waiting": {**waiting, "note": note, "answered": chosen is not None},
                "messages": messages,
                "asked": len(state.get("messages") or []) + len(messages),
            }
    again = _once_more(state, question)
    question = _last_question(state) if again else question
    if not question.strip():
        raise DatasetError("no question was given; ask something about the dataset in your own words")
    key = state.get("dataset") or ""
    if not isinstance(key, str):
        raise DatasetError(f"the dataset is {key!r:.80}, but the name of one is expected")
    if not key:
        known = ", ".join(e.key for e in services.catalogue.list()) or "none yet"
        raise DatasetError(f"no dataset was named; give a catalogue key (known: {known})")
    with services.catalogue.open(key, now=services.clock()) as dataset:
        card, fingerprint = dataset.card, dataset.fingerprint
    history = [
        Turn(
            role="user" if m.type == "human" else "assistant",
            content=m.text,
            sql=m.additional_kwargs.get("sql") or (),
        )
        for m in (state.get("messages") or [])[: state.get("asked") or 0][-40:]
        if m.type in {"human", "ai"}
    ]
    if not history:
        history = _earlier_question(card.dataset, run)
    # A mode that brings its own steps asks no model to read the question: it costs a fraction of the tokens.
    requested = again or state.get("mode")
    brings_steps = parse_mode(requested) in {"revalidate", "re-run"}
    analyst = builtin_for(services) if brings_steps else analyst_for(run)
    request = memory_request(question)
    intent = Intent(question=question) if request else analyst.understand(question, card, history=history)
    rules = analyst.transcript([Turn(role="user", content=question)], card) if intent.statements and intent.asks else []
    return {
        **fresh_keys(),
        "session_id": run.thread_id or state.get("session_id") or uuid.uuid4().hex,
        "run_id": uuid.uuid4().hex,
        "question": question,
        "dataset": key,
        "requested": requested,
        "mode": None,
        "messages": messages,
        "asked": len(state.get("messages") or []) + len(messages),
        "request": request.model_dump(mode="json") if request else None,
        "intent": intent.model_dump(mode="json"),
        "stated": [
            {"slot": n.subject, "directive": n.directive, "statement": n.statement, "withdraws": n.withdraws}
            for n in rules
        ],
        "data_source": card.dataset,
        "fingerprint": fingerprint.model_dump(mode="json"),
        "shape": {"rows": card.rows, "columns": len(card.columns), "notes": list(card.notes)},
    }


def _once_more(state: State, said: str) -> Mode | None:
    """Return the mode in which the last question is asked again: a message that is nothing but another mode's name.

    What names the mode that was just chosen at the gate is that answer once more, and no question.
    """
    open_to_it = state.get("plan") and _last_question(state) and not state.get("mode")
    chosen = mode_worded(said) if open_to_it else None
    return None if chosen == state.get("chosen_mode") and state.get("mode_source") == "gate" else chosen


def _last_question(state: State) -> str:
    """Return the question of the last turn as it was read, on its own feet where it was a follow-up."""
    intent = state.get("intent") or {}
    return str(intent.get("standalone") or intent.get("question") or "")


def _newest(state: State) -> tuple[str, list[AnyMessage]]:
    """Return the newest question and the messages to append: none where it arrived as a chat message already."""
    messages = state.get("messages") or []
    if messages and messages[-1].type == "human" and len(messages) > (state.get("asked") or 0):
        return messages[-1].text, []
    question = state.get("question") or ""
    if not isinstance(question, str):
        raise DatasetError(f"the question is {question!r:.80}, but words are expected")
    return question, [HumanMessage(content=question, id=uuid.uuid4().hex)]


def _earlier_question(source: str, run: Run) -> list[Turn]:
    """Return the question of the principal's last session on this dataset, which a follow-up may lean on."""
    memory, principal = run.services.memory, run.services.principal
    stored = memory.latest_artifact(principal, kind="battery", dataset=source)
    return [Turn(role="user", content=stored.content["question"])] if stored else []
