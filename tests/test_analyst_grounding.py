"""A sentence stands only on the evidence it cites: numbers, units, groups, times, directions, doubt."""

import pytest

from analyst.grounding.numbers import numbers_in
from analyst.grounding.sentences import numbers_not_in, ungrounded
from analyst.protocol import LabelledFinding
from datasets.evidence import Candidate, Claim, ClaimValue, Direction, Effect, Relation, Subject
from datasets.schema import Column, SchemaCard
from datasets.steps import Step


def found(
    statement: str, relation: Relation = "value", *, number: float | None = None, unit: str | None = None,
    direction: Direction | None = None, text: str | None = None, p_value: float | None = None, null: bool = False,
    n: int = 8382, table: list[dict[str, object]] | None = None, effect: Effect | None = None,
    low: float | None = None, high: float | None = None,
) -> LabelledFinding:  # fmt: skip
    """A finding with the evidence that matters for a sentence."""
    value = ClaimValue(number=number, unit=unit, direction=direction, text=text, low=low, high=high)
    candidate = Candidate(
        claim=Claim(subject=Subject(relation=relation, metric="sum(revenue)"), value=value),
        statement=statement, n=n, p_value=p_value, test="a test" if p_value is not None else None, null=null,
        table=table or [], effect=effect,
    )  # fmt: skip
    return LabelledFinding(step=Step(kind="answer"), candidate=candidate, label="exploratory", confidence=0.7)


REGIONS = found(
    "North has the highest total revenue: 354,231.37 (27.6% of the total), followed by West (279,016.74); "
    "the lowest is Central (146,472.85).",
    "extreme", number=354231.37, direction="higher", text="North",
    table=[
        {"region": "North", "total revenue": 354231.37, "share": 0.27557, "n": 2198},
        {"region": "West", "total revenue": 279016.74, "share": 0.21706, "n": 1870},
        {"region": "Central", "total revenue": 146472.85, "share": 0.11395, "n": 950},
    ],
)  # fmt: skip
CHANGE = found(
    "The total revenue per day is 2,799.16 in Q3 2025 against 3,013.66 in Q2 2025: -7.1%; no more than chance explains "
    "(95% CI -17.5% to +4%, p = 0.23).",
    "period_change", number=-7.1175, unit="%", direction="flat", p_value=0.2337, n=3535, low=-17.486, high=3.967,
)  # fmt: skip
PARTS = found(
    "By region, the change of -214.50 comes from West -190.60 (88.9%) and East -42.40 (19.8%), against North +47.11.",
    "contribution", number=-190.599, direction="down", text="West",
    table=[
        {"segment": "West", "before": 61245.17, "after": 44383.08, "contribution": -190.599, "share_of_change": 0.8886},
        {"segment": "East", "before": 50120.0, "after": 46300.0, "contribution": -42.4, "share_of_change": 0.1977},
        {"segment": "North", "before": 73551.38, "after": 78694.18, "contribution": 47.11, "share_of_change": -0.22},
    ],
)  # fmt: skip
TREND = found(
    "The total revenue rises: +3.2% a month (Mann-Kendall p < 0.001).",
    "trend", number=3.2, unit="%", direction="up", p_value=0.0002,
)  # fmt: skip
ALL = [REGIONS, CHANGE, PARTS, TREND]
CARD = SchemaCard(
    dataset="shop", rows=9,
    columns=(Column(name="region", sql_type="VARCHAR", role="dimension", rows=9, nulls=0, distinct=4,
                    values=("North", "West", "Central", "South")),),
)  # fmt: skip

STANDS = [
    ("North leads with 354,231 in total revenue, 27.6% of all.", REGIONS),
    ("North leads with about 354 thousand, roughly 28% of the total.", REGIONS),
    ("North leads with 0.35 million.", REGIONS),
    ("North made more than 350,000; Central is the lowest with 146,473.", REGIONS),
    ("West follows with 279,017 from 1,870 rows.", REGIONS),
    ("Revenue per day fell by 7.1% in Q3 2025, but that may be chance (p = 0.23).", CHANGE),
    ("From Q2 2025 to Q3 2025 there is no significant change in revenue.", CHANGE),
    ("The 95% interval runs from -17.5% to +4%.", CHANGE),
    ("West fell by 190.60, which is 89% of the change.", PARTS),
    ("West lost 190.60 while North gained 47.11.", PARTS),
    ("Revenue is growing by 3.2% a month, and the trend is significant.", TREND),
    ("Revenue did not fall.", TREND),
]
FALLS = [
    ("North leads with 364,231 in total revenue.", REGIONS, "364,231"),
    ("North leads with 27.6 in total revenue.", REGIONS, "27.6"),
    ("North leads with $354,231.", REGIONS, "unit"),
    ("North made twice as much as the rest.", REGIONS, "twice"),
    ("North made twelve percent of all revenue.", REGIONS, "twelve percent"),
    ("South leads with 354,231 in total revenue.", REGIONS, "South"),
    ("Central has the highest total revenue.", REGIONS, "highest"),
    ("North is the lowest with 354,231.", REGIONS, "lowest"),
    ("West follows with 146,473.", REGIONS, "another group"),
    ("North leads since 2019.", REGIONS, "2019"),
    ("North leads because of better staff.", REGIONS, "cause"),
    ("Revenue per day rose by 7.1% in Q3 2025, perhaps by chance.", CHANGE, "rose"),
    ("Revenue per day fell by 7.1% in Q3 2025.", CHANGE, "doubt"),
    ("Revenue fell significantly in Q3 2025.", CHANGE, "certainty"),
    ("Revenue fell by 7.1 in Q3 2025, maybe by chance.", CHANGE, "7.1"),
    ("West rose by 190.60.", PARTS, "rose"),
    ("West lost 47.11 and North gained 190.60.", PARTS, "another group"),
    ("Revenue is falling by 3.2% a month.", TREND, "falling"),
    ("Revenue is stable.", TREND, "stable"),
    ("Revenue did not rise.", TREND, "denied"),
    ("Revenue rises by 3.2% a month since May 2024.", TREND, "May 2024"),
    ("Revenue grew by 3.2% a month, 5.1% in all.", TREND, "5.1%"),
]


@pytest.mark.parametrize(("sentence", "finding"), STANDS)
def test_a_faithful_sentence_stands(sentence: str, finding: LabelledFinding) -> None:
    assert ungrounded(sentence, [finding], CARD) is None


@pytest.mark.parametrize(("sentence", "finding", "why"), FALLS)
def test_a_sentence_that_says_more_falls(sentence: str, finding: LabelledFinding, why: str) -> None:
    reason = ungrounded(sentence, [finding], CARD)
    assert reason is not None
    assert why in reason


def test_a_number_of_another_finding_does_not_count() -> None:
    assert ungrounded("North leads with 2,799.16.", [REGIONS], CARD) is not None
    assert ungrounded("North leads, and it cites nothing.", [], CARD) == "it cites no finding"


@pytest.mark.parametrize("finding", ALL)
def test_the_code_can_cite_itself(finding: LabelledFinding) -> None:
    assert ungrounded(finding.candidate.statement, [finding], CARD) is None
    assert numbers_not_in(finding.candidate.statement, [finding]) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,234.5 and 12% of $3.5k", [1234.5, 12, 3500]),
        ("twenty-one, half, two thirds, a quarter of all", [21, 50, 66.67, 25]),
        ("doubled to 1.2 million", [2, 1_200_000]),
        ("p < 0.001, 3e-5", [0.001, 0.00003]),
        ("web1 and Q3", []),
        ("354\u202f231 rows", [354231]),
    ],
)
def test_numbers_are_read_as_sentences_write_them(text: str, values: list[float]) -> None:
    assert [s.value for s in numbers_in(text)] == pytest.approx(values, abs=0.01)
