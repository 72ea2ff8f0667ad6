"""Names stand for files, a file is parsed once, and a parsed copy is there whole or not at all."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

import datasets
from datasets import Catalogue, DatasetError, Overrides
from datasets.loading import content_hash, source
from datasets.store import KEPT_COPIES

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    file = tmp_path / "Sales Report (2025).v2.csv"
    file.write_text("sold_on,shipped_on,amount\n2025-01-01,2025-01-05,10\n2025-01-02,2025-01-09,20\n")
    return file


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(tmp_path / "home", allow_paths=True)


def copies(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "home" / "cache").glob("*/data.duckdb"))


def test_the_package_is_ours_and_exports_its_face() -> None:
    assert Path(datasets.__file__).parent == Path(__file__).parents[1] / "datasets"
    assert all(hasattr(datasets, name) for name in datasets.__all__)
    assert sorted(datasets.__all__) == [
        "AnalysisView", "Catalogue", "Dataset", "DatasetError", "Directive", "Overrides", "SchemaCard", "Snapshot",
    ]  # fmt: skip


def test_add_list_open_remove(catalogue: Catalogue, sales: Path, tmp_path: Path) -> None:
    entry = catalogue.add(sales, key="sales", description="what was sold")
    assert entry.path == sales
    again = Catalogue(tmp_path / "home", allow_paths=False)
    assert [e.key for e in again.list() if e.description == "what was sold"] == ["sales"]
    with again.open("sales", now=NOW) as dataset:
        assert (dataset.key, dataset.card.dataset, dataset.card.rows) == ("sales", "sales", 2)
        assert dataset.fingerprint.newest_event == "2025-01-02T00:00:00"
        assert dataset.fingerprint.rows == 2
    again.remove("sales")
    with pytest.raises(DatasetError, match="no dataset 'sales'"):
        again.open("sales", now=NOW)
    assert sales.exists()


def test_the_key_of_a_path(catalogue: Catalogue, sales: Path) -> None:
    assert catalogue.open(str(sales), now=NOW).key == "sales-report-2025-v2"
    catalogue.add(sales, key="sold")
    assert catalogue.open(str(sales), now=NOW).key == "sold"
    assert catalogue.add(sales).key == "sales-report-2025-v2"


def test_paths_are_refused_where_they_are_not_allowed(sales: Path, tmp_path: Path) -> None:
    closed = Catalogue(tmp_path / "home", allow_paths=False)
    for name in (str(sales), "../sales.csv", "/etc/passwd", ""):
        with pytest.raises(DatasetError, match="in the catalogue"):
            closed.open(name, now=NOW)


@pytest.mark.parametrize("key", ["", "Has Space", "../up", "a/b", ".hidden", "x" * 101])
def test_unusable_keys_leave_the_catalogue_as_it_was(catalogue: Catalogue, sales: Path, key: str) -> None:
    before = catalogue.list()
    with pytest.raises(DatasetError, match="cannot be a dataset key"):
        catalogue.add(sales, key=key)
    with pytest.raises(DatasetError, match="no file"):
        catalogue.add(sales.with_name("none.csv"))
    assert catalogue.list() == before


def test_a_damaged_catalogue_is_named(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "catalogue.json").write_text("{")
    with pytest.raises(DatasetError, match="repair or remove it"):
        catalogue.list()


def test_the_catalogue_may_name_the_time_column(catalogue: Catalogue, sales: Path) -> None:
    catalogue.add(sales, key="by-shipping", time_column="shipped_on")
    with catalogue.open("by-shipping", now=NOW) as dataset:
        assert dataset.card.time_column == "shipped_on"
        assert dataset.view().newest == datetime(2025, 1, 9)
    catalogue.add(sales, key="wrong", time_column="amount")
    with catalogue.open("wrong", now=NOW) as dataset:
        assert dataset.card.time_column == "sold_on"
        assert any("'amount'" in note for note in dataset.card.notes)


AMBIGUOUS = "ref;day;paid\nA;03/04/2024;1,234\nB;05/06/2024;2,500\nC;01/02/2024;7,125\n"


def test_what_the_catalogue_settles_is_followed(catalogue: Catalogue, tmp_path: Path) -> None:
    file = tmp_path / "paid.csv"
    file.write_text(AMBIGUOUS)
    plain = catalogue.open(str(file), now=NOW)
    assert plain.card.ambiguous_dates == ("day",)
    assert "cannot be known" in plain.card.doubts[0]
    assert plain.view().query("SELECT sum(paid), max(day) FROM analysis").rows == [(10_859, date(2024, 6, 5))]
    settled = Overrides(date_order="month first", decimal="comma", as_text=("ref",), delimiter=";")
    catalogue.add(file, key="paid", overrides=settled)
    again = Catalogue(tmp_path / "home", allow_paths=True)
    with again.open(str(file), now=NOW) as dataset:
        assert dataset.card.ambiguous_dates == ()
        assert dataset.card.doubts == ()
        assert dataset.view().query("SELECT sum(paid), max(day) FROM analysis").rows == [(10.859, date(2024, 5, 6))]
        assert dataset.fingerprint.content_hash != plain.fingerprint.content_hash
        assert again.open("paid", now=NOW, content_hash=dataset.fingerprint.content_hash).card == dataset.card
    assert catalogue.entry("paid").overrides == settled


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (Overrides(table="Sheet9"), "no table 'Sheet9'"),
        (Overrides(encoding="klingon"), "no encoding 'klingon'"),
        (Overrides(header_line=99), "header cannot be record 99"),
        (Overrides(as_text=("nope",)), "keeps 'nope' as text"),
    ],
)
def test_what_cannot_be_followed_is_said(catalogue: Catalogue, sales: Path, overrides: Overrides, message: str) -> None:
    catalogue.add(sales, key="bad", overrides=overrides)
    with pytest.raises(DatasetError, match=message):
        catalogue.open("bad", now=NOW)


def test_a_header_line_and_a_table_are_chosen(catalogue: Catalogue, tmp_path: Path) -> None:
    file = tmp_path / "report.csv"
    file.write_text("x,y\n1,2\nid,amount\n7,10\n8,20\n")
    catalogue.add(file, key="report", overrides=Overrides(header_line=3))
    assert catalogue.open("report", now=NOW).view().query("SELECT sum(amount) FROM analysis").rows == [(30,)]
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "sales.csv").write_text("id,amount\n1,10\n2,20\n3,30\n")
    (folder / "targets.csv").write_text("month,target\n1,5\n2,6\n")
    catalogue.add(folder, key="many", overrides=Overrides(table="targets"))
    assert catalogue.open("many", now=NOW).view().query("SELECT sum(target) FROM analysis").rows == [(11,)]


def test_a_file_is_parsed_once(catalogue: Catalogue, sales: Path, tmp_path: Path) -> None:
    first = catalogue.open(str(sales), now=NOW)
    (copy,) = copies(tmp_path)
    written = copy.stat().st_mtime_ns
    renamed = sales.with_name("other.csv")
    sales.rename(renamed)
    second = catalogue.open(str(renamed), now=NOW)
    assert second.fingerprint == first.fingerprint
    assert copies(tmp_path) == [copy]
    assert copy.stat().st_mtime_ns == written
    renamed.write_text("sold_on,amount\n2025-01-01,11\n")
    third = catalogue.open(str(renamed), now=NOW)
    assert third.fingerprint.content_hash != first.fingerprint.content_hash
    assert third.fingerprint.schema_hash != first.fingerprint.schema_hash
    assert first.view().query("SELECT sum(amount) FROM analysis").rows == [(30,)]


def test_a_file_is_hashed_once_and_again_when_it_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(source, "_known_hashes", {})
    file = tmp_path / "a.csv"
    file.write_text("x\n1\n")
    assert content_hash(file) == content_hash(file)
    assert source._known_hashes == {}, "a file of this moment may change without its times telling so"
    monkeypatch.setattr(source, "_SETTLED_NS", 0)
    time.sleep(0.02)
    first, seen = content_hash(file), file.stat()
    assert list(source._known_hashes.values()) == [first]
    with monkeypatch.context() as unread:
        unread.setattr(source, "_CHUNK", None)
        assert content_hash(file) == first
    file.write_text("x\n2\n")
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert content_hash(file) == hashlib.blake2b(b"x\n2\n", digest_size=16).hexdigest() != first


def test_a_damaged_copy_is_made_again(catalogue: Catalogue, sales: Path, tmp_path: Path) -> None:
    catalogue.open(str(sales), now=NOW)
    (copy,) = copies(tmp_path)
    copy.write_bytes(b"half")
    assert catalogue.open(str(sales), now=NOW).view().query("SELECT sum(amount) FROM analysis").rows == [(30,)]
    sound = bytearray(copy.read_bytes())
    sound[len(sound) // 2 : len(sound) // 2 + 4096] = bytes(4096)
    copy.write_bytes(sound)
    assert catalogue.open(str(sales), now=NOW).view().query("SELECT sum(amount) FROM analysis").rows == [(30,)]
    (copy.parent / "card.json").write_text("{")
    assert catalogue.open(str(sales), now=NOW).view().query("SELECT sum(amount) FROM analysis").rows == [(30,)]


def test_old_copies_are_dropped_and_the_newest_kept(catalogue: Catalogue, tmp_path: Path) -> None:
    for i in range(KEPT_COPIES + 3):
        file = tmp_path / f"f{i}.csv"
        file.write_text(f"a,b\n{i},2\n")
        catalogue.open(str(file), now=NOW + timedelta(minutes=i))
    assert len(copies(tmp_path)) == KEPT_COPIES
    before = {p.stat().st_mtime_ns for p in copies(tmp_path)}
    catalogue.open(str(tmp_path / f"f{KEPT_COPIES + 2}.csv"), now=NOW + timedelta(hours=2))
    assert {p.stat().st_mtime_ns for p in copies(tmp_path)} == before


def test_a_file_without_data_leaves_nothing_behind(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("\n\n")
    with pytest.raises(DatasetError, match="no data"):
        catalogue.open(str(tmp_path / "empty.csv"), now=NOW)
    assert not list((tmp_path / "home" / "cache").iterdir())


def test_threads_that_open_the_same_new_file_agree(catalogue: Catalogue, sales: Path, tmp_path: Path) -> None:
    seen: list[int] = []

    def open_it() -> None:
        with catalogue.open(str(sales), now=NOW) as dataset:
            seen.append(dataset.view().query("SELECT sum(amount) FROM analysis").rows[0][0])

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [30] * 6
    assert len(copies(tmp_path)) == 1
    assert [p.name for p in (tmp_path / "home" / "cache").iterdir()] == [copies(tmp_path)[0].parent.name]


OPEN_BIG = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from datasets import Catalogue
print("ready", flush=True)
dataset = Catalogue(Path(sys.argv[1]), allow_paths=True).open(sys.argv[2], now=datetime(2026, 3, 2, tzinfo=UTC))
print(dataset.view().query("SELECT sum(b) FROM analysis").rows[0][0], flush=True)
"""


def _opener(home: Path, file: Path) -> subprocess.Popen[str]:
    root = Path(__file__).parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", OPEN_BIG, str(home), str(file)], stdout=subprocess.PIPE, text=True, cwd=root
    )


def test_processes_at_once_and_one_that_is_killed(tmp_path: Path) -> None:
    file, home = tmp_path / "big.csv", tmp_path / "home"
    file.write_text("a,b\n" + "".join(f"text {i},{i}\n" for i in range(120_000)))
    expected = str(sum(range(120_000)))
    with _opener(home, file) as killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        deadline = time.monotonic() + 20
        while not list((home / "cache").glob(".work-*/ready/data.duckdb")) and time.monotonic() < deadline:
            time.sleep(0.002)
        os.kill(killed.pid, signal.SIGKILL)
        killed.communicate()
    assert not copies(tmp_path) or (copies(tmp_path)[0].parent / "card.json").exists()
    openers = [_opener(home, file) for _ in range(2)]
    answers = []
    for opener in openers:
        with opener:
            answers.append(opener.communicate(timeout=60)[0].split()[-1])
    assert answers == [expected] * 2
    assert len(copies(tmp_path)) == 1


def test_sentences_name_a_dataset_as_people_call_it(catalogue: Catalogue, sales: Path) -> None:
    catalogue.add(sales, key="sales.631ac9", title="sales.csv")
    with catalogue.open("sales.631ac9", now=NOW) as dataset:
        assert (dataset.key, dataset.card.called) == ("sales.631ac9", "sales.csv")
        with pytest.raises(DatasetError, match=r"no column 'x' in sales\.csv"):
            dataset.card.column("x")
