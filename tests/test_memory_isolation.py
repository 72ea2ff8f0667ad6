"""No unit of another tenant or person ever leaves: random worlds, on SQLite and, with the conditions taken out of the
application's queries, on PostgreSQL, where the server keeps tenants apart."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import true

from memory import Memory, MemoryUnit, NewUnit, Principal, UnknownMemory, open_memory, store
from memory.index import pgvector
from memory.lifecycle import changes, forgetting, transfer
from memory.recall import recollection, standing
from memory_worlds import NOW, HashedWords

WORLDS, PRINCIPALS, UNITS_EACH, QUERIES_EACH, GUESSES_EACH = 10, 12, 60, 4, 25
WORDS = ["revenue", "region", "north", "south", "late", "weekly", "ticket", "churn", "units", "price", "gap", "month"]
TYPES = ("finding", "data_quality", "user_preference", "domain_pattern")
names = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8).filter(str.strip)
near_names = st.sampled_from(["a", "A", "a ", "ab", 'a","', '","a', "", "a%", "_", "a\\", "á"]).filter(str.strip)
principals = st.builds(Principal, names | near_names, names | near_names)
checked = 0


def unit(chance: random.Random, mark: str, number: int) -> NewUnit:
    memory_type = chance.choice(TYPES)
    text = " ".join(chance.sample(WORDS, 5))
    return NewUnit(
        memory_type=memory_type,
        summary=f"{text} {mark}",
        label="confirmatory" if memory_type == "finding" else None,
        claim={"subject": {"metric": f"{mark} {number}"}, "value": {"number": number}},
        data_source=chance.choice(["sales", "visits", None]),
        ttl_days=chance.choice([None, 1]),
        unit_key=f"{mark} {number}",
    )


def may_see(principal: Principal, unit: MemoryUnit) -> bool:
    return unit.org_id == principal.org_id and (unit.scope == "org" or unit.owner_sub == principal.owner_sub)


def check_world(opened: Memory, people: list[Principal], chance: random.Random, units_each: int) -> None:
    """Everybody writes, then everybody reads by every path and guesses the ids of all others."""
    global checked
    ids: dict[str, Principal] = {}
    for number, person in enumerate(people):
        units = [unit(chance, f"mark{number}", n) for n in range(units_each)]
        run_id = f"{number} of {len(opened.events(person))}"
        outcomes = opened.remember(person, units, run_id=run_id, session_id="s")
        ids |= {outcome.memory_id: person for outcome in outcomes if outcome.memory_id}
        opened.save_artifact(
            person, kind="report", dataset="sales", session_id="s", run_id=run_id, content={"n": number}
        )
        checked += 1 + len(units)
    for number, person in enumerate(people):
        seen: list[MemoryUnit] = [*opened.list(person, status=None), *opened.prior_findings(person, dataset="sales")]
        seen += [MemoryUnit.model_validate({k: v for k, v in e.items() if k != "sessions"})
                 for e in opened.export(person)["units"]]  # fmt: skip
        for _ in range(QUERIES_EACH):
            text = " ".join(chance.sample(WORDS, 3)) + f" mark{chance.randrange(len(people))}"
            seen += [found.unit for found in opened.search(person, text, dataset=chance.choice(["sales", None]))]
            recall = opened.recall(person, dataset="sales", query=text)
            assert recall.degraded is None
            for bucket in (recall.findings, recall.data_quality, recall.preferences, recall.patterns):
                seen += [found.unit for found in bucket]
            checked += 2
        assert [u for u in seen if not may_see(person, u)] == []
        assert opened.latest_artifact(person, kind="report", dataset="sales").content == {"n": number}  # type: ignore[union-attr]
        own = {u.memory_id for u in seen}
        others = sorted(set(ids) - own)
        guessed = chance.sample(others, min(GUESSES_EACH, len(others)))
        assert opened.resolve(person, guessed, run_id="x", reason="x") == []
        for memory_id in guessed:
            with pytest.raises(UnknownMemory):
                opened.get(person, memory_id)
            assert opened.events(person, memory_id) == []
            checked += 1
        for event in opened.events(person):
            # What others did is told only of units that the org shares.
            writer = ids.get(event.memory_id or "", person)
            assert event.owner_sub == person.owner_sub or (event.memory_id and writer.org_id == person.org_id)


worlds = given(
    people=st.lists(principals, min_size=PRINCIPALS, max_size=PRINCIPALS, unique=True), seed=st.integers(0, 2**32)
)
in_turn = settings(
    phases=[Phase.generate], max_examples=WORLDS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("worlds")


@pytest.mark.slow
def test_nothing_leaves_in_ten_thousand_random_cases(folder: Path) -> None:
    global checked
    checked = 0
    with open_memory(folder / "home", clock=lambda: NOW, embedder=HashedWords()) as opened:

        @in_turn
        @worlds
        def any_world(people: list[Principal], seed: int) -> None:
            check_world(opened, people, random.Random(seed), UNITS_EACH)

        any_world()
    assert checked >= 10_000


@pytest.fixture
def without_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the tenant out of the application's own queries, in the ledger and in the index."""
    for module in (forgetting, changes, recollection, standing, store, transfer):
        monkeypatch.setattr(module, "visible", lambda _principal: true())
    bare = pgvector._CANDIDATES.replace("org_id = :org_id AND scope_owner = :scope_owner AND ", "")
    assert bare != pgvector._CANDIDATES
    monkeypatch.setattr(pgvector, "_CANDIDATES", bare)


@pytest.mark.slow
def test_the_server_holds_where_the_application_forgets_its_conditions(
    folder: Path, database: str, without_conditions: None
) -> None:
    @settings(in_turn, max_examples=1)
    @worlds
    def any_world(people: list[Principal], seed: int) -> None:
        chance = random.Random(seed)
        with open_memory(folder / "pg", clock=lambda: NOW, embedder=HashedWords(), database_url=database) as opened:
            check_world(opened, people, chance, 10)
            for person in people:
                opened.forget(person, everything=True)
            assert [u for person in people for u in opened.list(person, status=None)] == []

    any_world()


def test_without_the_conditions_sqlite_would_tell_everything(folder: Path, without_conditions: None) -> None:
    """The test above means something only if the conditions that it takes out are those that keep people apart."""
    ana, eve = Principal("acme", "ana"), Principal("evil", "eve")
    with open_memory(folder / "bare", clock=lambda: NOW, embedder=HashedWords()) as opened:
        opened.remember(ana, [unit(random.Random(1), "mark", 1)], run_id="r", session_id="s")
        assert len(opened.list(eve)) == 1
