"""What tests of loading ask of an open dataset."""

from collections.abc import Callable
from typing import Any

from datasets import Dataset

Load = Callable[..., Dataset]


def rows(dataset: Dataset, sql: str) -> list[tuple[Any, ...]]:
    view = dataset.view()
    try:
        return view.query(sql).rows
    finally:
        view.close()


def one(dataset: Dataset, sql: str) -> Any:
    return rows(dataset, sql)[0][0]


def types(dataset: Dataset) -> dict[str, str]:
    return {c.name: c.sql_type for c in dataset.card.columns}


def roles(dataset: Dataset) -> dict[str, str]:
    return {c.name: c.role for c in dataset.card.columns}


def said(dataset: Dataset) -> str:
    """The load report as one text."""
    return "\n".join(dataset.card.notes)
