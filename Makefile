# One virtual environment, three stamps: what the product needs, what its server and what its developers need besides.
PYTHON ?= python3
BIN := .venv/bin
DATA ?= ../shared
# Other memory layers to time beside ours, each with the interpreter of its environment: PEERS="mem0=path/to/python".
PEERS ?=

.PHONY: demo serve test check bench load screenshots format clean

demo: .venv/runtime          ## two sessions on a sample dataset, then a colleague's
	$(BIN)/recallyst demo

serve: .venv/server          ## the page, for you alone on this machine
	$(BIN)/recallyst serve --dev

test: .venv/dev              ## all tests, several files at a time
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

check: .venv/dev             ## format, lint, types, import layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/dev             ## figures on labelled data; DATA is the folder that holds insightbench/ and dabench/
	$(BIN)/python benchmarks/detectors.py
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/fuzz_loading.py
	$(BIN)/python benchmarks/world.py --out out/world --play
	$(BIN)/python benchmarks/insightbench.py --data $(DATA)/insightbench --out out/insightbench
	$(BIN)/python -m benchmarks.recomputing --data $(DATA)/insightbench --found out/insightbench
	$(BIN)/python benchmarks/dabench.py --data $(DATA)/dabench --out out/dabench
	$(BIN)/python benchmarks/transcripts.py --data $(DATA)/data/transcripts.jsonl --out out/transcripts.jsonl
	$(BIN)/python -m benchmarks.retrieval
	$(BIN)/python -m benchmarks.memory_speed --peers langgraph-memory=$(BIN)/python $(PEERS)
	$(BIN)/python benchmarks/modes.py --data $(DATA)/data/mode_utterances.jsonl --out out/modes.jsonl

load: .venv/dev              ## twenty people chat for three minutes on one server
	$(BIN)/python benchmarks/concurrent_chats.py

screenshots: .venv/dev       ## pictures of the page, in out/screenshots
	$(BIN)/python benchmarks/screenshots.py

format: .venv/dev            ## put the code in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/runtime: .venv/bin/python pyproject.toml constraints.txt
	@echo "Installing what recallyst needs into .venv (a minute or two, once) ..."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

.venv/server: .venv/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[server]"
	touch $@

.venv/dev: .venv/runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf .venv out
