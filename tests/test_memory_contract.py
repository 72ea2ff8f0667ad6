"""The contract of the package: exports, the model file, the layers, versions of the ledger."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import memory
from memory import MemoryError, NewUnit, Principal, open_memory  # noqa: A004
from memory.embedding import KnownTexts, Vectors, open_embedder
from memory.ledger.schema import VERSION


def now() -> datetime:
    return datetime(2026, 3, 1, tzinfo=UTC)


def test_the_package_exports_what_it_says() -> None:
    public = {
        name for name, value in vars(memory).items() if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert public == set(memory.__all__)
    assert len(memory.__all__) <= 8


def test_opening_creates_a_ledger_and_loads_no_model(tmp_path: Path) -> None:
    with open_memory(tmp_path / "a" / "home", clock=now) as opened:
        assert opened.list(Principal("o", "u")) == []
        assert not (tmp_path / "a" / "home" / "index").exists()
        assert opened.embedder.dimensions == 384


def test_embeddings_have_unit_length_and_the_order_of_the_texts() -> None:
    embedder = open_embedder()
    texts = [f"Sentence {'long ' * (n % 7)}{n}" for n in range(40)]
    rows = embedder.embed(texts)
    assert rows.shape == (40, 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    # The model computes in 8 bit, so that padding moves a vector a little; it stays far nearer than any other text.
    alone = np.vstack([embedder.embed([text]) for text in texts])
    assert np.array_equal((alone @ rows.T).argmax(axis=1), np.arange(40))
    assert embedder.embed([]).shape == (0, 384)
    assert float(embedder.embed(["revenue"])[0] @ embedder.embed(["income"])[0]) > 0.5


class Counting:
    """An embedder that tells which texts it was asked for."""

    name, dimensions = "counting", 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


def test_a_text_is_embedded_once_until_it_is_forgotten() -> None:
    model = Counting()
    known = KnownTexts(model)
    known.learn({"abc": np.array([3, 1], dtype=np.float32)})
    assert known.embed(["a", "abc", "a", "ab"])[:, 0].tolist() == [1, 3, 1, 2]
    assert known.embed(["ab", "a"])[:, 0].tolist() == [2, 1]
    assert model.asked == ["a", "ab"]
    assert known.embed([]).shape == (0, 2)
    known.forget()
    known.embed(["abc"])
    assert model.asked == ["a", "ab", "abc"]


def test_texts_beyond_the_limit_are_cut_and_blank_ones_survive() -> None:
    rows = open_embedder().embed(["word " * 5000, ""])
    assert np.isfinite(rows).all()


def test_a_ledger_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    with open_memory(tmp_path, clock=now) as opened:
        unit = NewUnit(memory_type="user_preference", summary="Two decimals.")
        opened.remember(Principal("o", "u"), [unit], run_id="r", session_id="s")
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("UPDATE schema_version SET version = ?", (VERSION + 1,))
    connection.commit()
    connection.close()
    with pytest.raises(MemoryError, match="newer version"):
        open_memory(tmp_path, clock=now)


@pytest.mark.parametrize(
    ("url", "message"),
    [("mysql://localhost/x", "SQLite or PostgreSQL"), ("nonsense", "not a database URL")],
)
def test_a_database_that_it_cannot_use_is_refused_with_a_sentence(tmp_path: Path, url: str, message: str) -> None:
    with pytest.raises(MemoryError, match=message):
        open_memory(tmp_path, clock=now, database_url=url)


def test_a_file_that_is_no_ledger_is_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(MemoryError, match="cannot be read: file is not a database"):
        open_memory(tmp_path, clock=now)


def test_a_ledger_can_be_put_elsewhere(tmp_path: Path) -> None:
    with open_memory(tmp_path / "home", clock=now, database_url=f"sqlite:///{tmp_path / 'elsewhere.db'}") as opened:
        assert opened.list(Principal("o", "u")) == []
    assert (tmp_path / "elsewhere.db").exists()


def test_what_is_no_unit_is_refused_with_a_sentence(tmp_path: Path) -> None:
    wish = {"memory_type": "user_preference", "summary": "Two decimals."}
    with open_memory(tmp_path, clock=now) as opened:
        given: Any
        for given in ([wish], NewUnit.model_validate(wish), "Two decimals."):
            with pytest.raises(MemoryError, match=r"list of NewUnit; got .+Two decimals"):
                opened.remember(Principal("o", "u"), given, run_id="r", session_id="s")
        assert opened.list(Principal("o", "u")) == []
