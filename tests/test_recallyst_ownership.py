"""Sessions belong to who began them, and forgetting leaves nothing behind."""

from collections.abc import Callable
from pathlib import Path

import pytest

from datasets.samples import sample_path
from recallyst import Recallyst, UserError

ORDERS = sample_path("shop_orders")


def _bytes(home: Path) -> bytes:
    kept = [f for f in home.rglob("*") if f.is_file() and "cache" not in f.parts]
    return b"".join(f.read_bytes() for f in kept)


def test_a_session_of_somebody_else_is_not_there(asker: Callable[..., Recallyst]) -> None:
    session = asker().ask(ORDERS, "Total revenue by region").session_id
    for stranger in (asker(user="ben"), asker(org="other")):
        with pytest.raises(UserError, match="no session"):
            stranger.resume(session, mode="fresh")
        with pytest.raises(UserError, match="no session"):
            stranger.ask(ORDERS, "And by channel?", session=session)
        with pytest.raises(UserError, match="no session"):
            stranger.session(session)


def test_forgetting_everything_leaves_no_byte_of_what_was_said(asker: Callable[..., Recallyst]) -> None:
    ana = asker()
    question = "Total revenue by region, quizzaciously put"
    turn = ana.ask(ORDERS, question)
    other = asker(user="ben").ask(ORDERS, "Total units by channel, please")
    home = ana.settings.home
    said = turn.findings[0].statement
    assert b"quizzaciously" in _bytes(home)
    assert ana.forget(everything=True) >= 3
    ana.close()
    left = _bytes(home)
    assert b"quizzaciously" not in left
    assert ana_statement_gone(left, said)
    ben = asker(user="ben")
    assert list((home / "cache").glob("*/card.json")), "ben's session is about the same data"
    assert ben.session(other.session_id).answer == other.answer


def test_forgetting_takes_the_parsed_copy_of_data_that_nobody_else_asked_about(
    asker: Callable[..., Recallyst], tmp_path: Path
) -> None:
    small = tmp_path / "small.csv"
    small.write_text("name,quizzaciousness\n" + "\n".join(f"n{i},{-999 if i % 9 == 0 else i % 7}" for i in range(90)))
    ana = asker()
    ana.ask(small, "average quizzaciousness")
    ana.ask(ORDERS, "Total units")
    small.write_text(small.read_text() + "\nn99,3")
    ana.ask(small, "average quizzaciousness", mode="fresh")
    assert b"quizzaciousness holds -999" in _bytes(ana.settings.home)
    ana.forget(dataset="small")
    left = list((ana.settings.home / "cache").glob("*/card.json"))
    assert len(left) == 1
    assert b"quizzaciousness" not in _bytes(ana.settings.home)
    assert small.exists()


def ana_statement_gone(left: bytes, statement: str) -> bool:
    """Whether no whole statement is found; words of the question stand in nobody else's session."""
    return statement.encode() not in left


def test_forgetting_a_unit_takes_the_sessions_that_hold_it(asker: Callable[..., Recallyst]) -> None:
    recallyst = asker()
    turn = recallyst.ask(ORDERS, "Total revenue by region")
    unit = next(f.memory_id for f in turn.findings if f.memory_id)
    assert recallyst.forget(memory_id=unit) >= 1
    with pytest.raises(UserError, match="no session"):
        recallyst.session(turn.session_id)


def test_forgetting_a_dataset_leaves_the_others(asker: Callable[..., Recallyst], tmp_path: Path) -> None:
    small = tmp_path / "small.csv"
    small.write_text("name,score\n" + "\n".join(f"n{i},{i % 7}" for i in range(40)) + "\n")
    recallyst = asker()
    kept = recallyst.ask(small, "average score")
    gone = recallyst.ask(ORDERS, "Total revenue")
    recallyst.forget(dataset=gone.dataset.key)
    assert recallyst.session(kept.session_id).answer == kept.answer
    assert recallyst.services.memory.list(recallyst.services.principal, dataset=gone.dataset.key) == []
    assert recallyst.services.memory.list(recallyst.services.principal, dataset=kept.dataset.key)
