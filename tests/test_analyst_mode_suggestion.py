"""The mode suggestion: right on plain cases, calibrated, robust, and usable without an embedder."""

import json
from pathlib import Path

import numpy as np
import pytest

from analyst.builtin import BuiltinAnalyst
from analyst.heads import hashed, load_head
from analyst.modes.denied import weighed, without_denied
from analyst.modes.features import overlap
from analyst.modes.suggestion import suggest_mode
from analyst.priors.ground import new_ground
from analyst.protocol import Ask, Intent, Known, Mode, Suggestion
from datasets.measures import Measure, Metric
from memory.embedding import open_embedder

PRIOR = (
    "Revenue in North is 18% above South",
    "Average basket is 42.10",
    "Returns peak in January",
    "Express orders are 22% of all orders",
)
DATA = Path(__file__).resolve().parent.parent / "benchmarks" / "data" / "mode_utterances.jsonl"


def suggest(question: str, *, changed: bool = False, with_embedder: bool = True) -> Suggestion:
    return suggest_mode(
        question,
        PRIOR,
        data_changed=changed,
        days_since_last=20,
        embedder=open_embedder() if with_embedder else None,
    )


CASES = [
    ("Start from scratch, the file was restated.", "fresh"),
    ("Forget what we found earlier and look at the orders with open eyes.", "fresh"),
    ("North is ahead, fine. Which products make the difference?", "extend"),
    ("Dig deeper into the express orders: who pays for them?", "extend"),
    ("Does payment method differ between countries?", "extend"),
    ("Is the average basket still 42.10?", "revalidate"),
    ("Does it hold that returns peak in January?", "revalidate"),
    ("Run the same analysis again on the new file, nothing added.", "re-run"),
    ("The monthly report once more, same tables, please.", "re-run"),
]


@pytest.mark.parametrize(("question", "mode"), CASES)
def test_phrasing_and_prior_findings_decide(question: str, mode: str) -> None:
    assert suggest(question).mode == mode
    assert suggest(question, with_embedder=False).mode == mode


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("Don't start from zero, just say whether the average basket is still 42.10.", "revalidate"),
        ("No need to verify the returns. Which products come back?", "extend"),
        ("Please don't repeat the report and don't check single claims, begin afresh with a blank sheet.", "fresh"),
        ("No inventions. The tests of last month on today's file.", "re-run"),
        ("Clean slate. What drives returns?", "fresh"),
        ("What is there that we haven't examined yet?", "extend"),
    ],
)
def test_a_mode_that_is_denied_is_not_the_one_meant(question: str, mode: str) -> None:
    assert suggest(question).mode == mode


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("don't re-run anything, don't check anything, just begin again", "just begin again"),
        ("Not from scratch, please: does it hold?", "please: does it hold?"),
        ("Why don't we start over?", "Why don't we start over?"),
        ("Don't repeat it.", "Don't repeat it."),  # nothing else is said
        ("No new ideas, the same tables.", "No new ideas, the same tables."),
    ],
)
def test_clauses_that_deny_a_mode_are_set_apart(text: str, rest: str) -> None:
    assert without_denied(text) == rest


def test_the_chance_of_a_denied_mode_is_cut() -> None:
    even: dict[Mode, float] = {"fresh": 0.25, "extend": 0.25, "revalidate": 0.25, "re-run": 0.25}
    cut = weighed(even, "Don't re-run anything, please.")
    assert cut["re-run"] < 0.05
    assert sum(cut.values()) == pytest.approx(1.0)
    assert weighed(even, "Re-run it.") == even


def test_a_question_on_new_ground_takes_nothing_as_given() -> None:
    claim = {"subject": {"relation": "extreme", "metric": "mean(charges)", "dimension": "region"}, "value": {}}
    prior = [Known(memory_id="m", memory_type="finding", summary="Southeast has the highest charges", claim=claim)]
    ask = Ask(kind="value", metrics=(Metric(aggregate="median", measure=Measure(kind="column", columns=("bmi",))),))
    other = Intent(
        question="What is the median bmi by smoker?", asks=(ask.model_copy(update={"dimensions": ("smoker",)}),)
    )
    told = BuiltinAnalyst().suggest_mode(other.question, other, prior, data_changed=False, days_since_last=5)
    assert told.reason == "The question is about bmi and smoker, of which nothing is known yet."
    assert (told.mode, 0.6 <= told.confidence <= 0.7) == ("fresh", True)
    onwards = other.model_copy(update={"question": "Ok, next: the median bmi by smoker?"})
    going = BuiltinAnalyst().suggest_mode(onwards.question, onwards, prior, data_changed=False, days_since_last=5)
    assert going.mode == "extend"
    assert "Southeast" not in going.reason
    assert (
        new_ground(other.model_copy(update={"asks": (ask.model_copy(update={"dimensions": ("region",)}),)}), prior)
        == ()
    )


def test_where_the_question_does_not_tell_it_is_said() -> None:
    unsure = suggest("returns by month")
    assert unsure.confidence < 0.6
    assert unsure.reason.startswith("The question does not tell which mode is meant; nearest: ")


def test_clear_questions_are_surer_than_a_bare_word() -> None:
    assert suggest("Please start over from scratch and ignore all earlier findings.").confidence > 0.85
    assert suggest("basket").confidence < suggest("Is the average basket still 42.10?").confidence


def test_reason_names_the_finding_in_question() -> None:
    reason = suggest("Is the average basket still 42.10?", changed=True).reason
    assert "Average basket is 42.10" in reason
    assert "data has changed" in reason
    assert reason.endswith(".")


def test_reason_of_a_re_run_says_whether_there_is_new_data() -> None:
    assert "new data" in suggest("Re-run everything, same steps.", changed=True).reason
    assert "same data" in suggest("Re-run everything, same steps.").reason


def test_nothing_known_means_fresh() -> None:
    s = suggest_mode("Is it still 12%?", [], data_changed=False, days_since_last=None)
    assert (s.mode, s.confidence) == ("fresh", 1.0)


@pytest.mark.parametrize("question", ["", "   ", "?", "🙂", "x" * 20_000, "a\x00b", "１２％ still?", "'; drop"])
def test_odd_questions_get_an_answer(question: str) -> None:
    s = suggest(question)
    assert 0 <= s.confidence <= 1
    assert s.reason


def test_same_question_same_answer() -> None:
    assert suggest("keep going on express") == suggest("keep going on express")


def test_handed_utterances_are_read_by_the_shipped_weights() -> None:
    items = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
    clear = [i for i in items if not i["ambiguous"]][::4]
    hits = [
        suggest_mode(
            i["utterance"],
            i["context"]["prior_findings"],
            data_changed=i["context"]["data_changed"],
            days_since_last=i["context"]["days_since_last"],
        ).mode
        == i["label"]
        for i in clear
    ]
    assert np.mean(hits) > 0.9


def test_overlap_finds_the_nearest_finding_by_words_and_numbers() -> None:
    near = overlap("is 42.10 the average basket", PRIOR, None)
    assert near.nearest == 1
    assert near.numbers == 1.0
    assert overlap("weather in spring", PRIOR, None).nearest is None


def test_hashes_are_stable_and_of_unit_length() -> None:
    v = hashed(["same", "steps", "again"], 64)
    assert np.linalg.norm(v) == pytest.approx(1.0)
    assert np.array_equal(v, hashed(["same", "steps", "again"], 64))
    assert not hashed([], 64).any()


def test_a_head_refuses_features_of_another_length() -> None:
    with pytest.raises(ValueError, match="fitted on"):
        load_head("modes.npz", "plain").probabilities(np.zeros(3))
