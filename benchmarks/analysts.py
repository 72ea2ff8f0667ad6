"""The analyst that a benchmark measures: the built-in one, or the model of the environment with it behind."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from analyst import Analyst, BuiltinAnalyst
from analyst.model.analyst import ModelAnalyst
from graph.settings import read_settings
from memory.embedding import open_embedder
from prompts import Meter, ModelSettings, open_model


@dataclass
class Measured:
    """Hands out an analyst an item, each with a budget of its own, and adds up what a model did."""

    builtin: BuiltinAnalyst
    settings: ModelSettings
    chat: Any = None
    meters: list[Meter] = field(default_factory=list)

    def for_item(self) -> Analyst:
        """The analyst of the next item."""
        if self.chat is None:
            return self.builtin
        self.meters.append(Meter(self.settings))
        return ModelAnalyst(self.chat, self.builtin, self.meters[-1])

    def tell(self, stream: TextIO) -> None:
        """Say what the model did; nothing where there is none."""
        if self.chat is None:
            return
        total: Counter[str] = Counter()
        for meter in self.meters:
            total.update({k: v for k, v in meter.usage.items() if isinstance(v, int)})
        warned = Counter(w.split(":")[0] for m in self.meters for w in m.warnings)
        stream.write(f"{self.settings.name}: {dict(total)}; {dict(warned)}\n")


def analyst_from(*, with_embedder: bool, with_model: bool) -> Measured:
    """Open the analyst.

    :raises SystemExit: when a model is wanted and the environment names none.
    """
    settings = read_settings().model
    chat = open_model(settings) if with_model else None
    if with_model and chat is None:
        raise SystemExit("no model: set RECALLYST_MODEL, and OPENAI_API_KEY or OPENAI_BASE_URL")
    return Measured(BuiltinAnalyst(open_embedder() if with_embedder else None), settings, chat)


def predict(doc: str | None, answer: Callable[[dict[str, Any], Analyst], dict[str, Any]]) -> None:
    """Read labelled items and write one answer a line, as the options of the command line say.

    :raises SystemExit: for options that do not fit, or a wanted model that the environment does not name.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--model", action="store_true")
    options = parser.parse_args()
    measured = analyst_from(with_embedder=not options.no_embedder, with_model=options.model)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w", encoding="utf-8") as out:
        for line in options.data.read_text("utf-8-sig").splitlines():
            if line.strip():
                row = answer(json.loads(line), measured.for_item())
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
    measured.tell(sys.stderr)
