"""Which whole, which part of the rows, which aggregate and which end a sentence gives a true number to."""

import pytest

from analyst.grounding.sentences import ungrounded
from analyst.protocol import LabelledFinding
from datasets.evidence import Candidate, Claim, ClaimValue, Subject
from datasets.schema import Column, SchemaCard
from datasets.steps import Step

Row = dict[str, object]


def found(
    statement: str, subject: dict[str, object], value: dict[str, object], *table: Row, **more: object
) -> LabelledFinding:
    """A finding that a step came upon, with what matters of its evidence."""
    claim = Claim(subject=Subject.model_validate(subject), value=ClaimValue.model_validate(value))
    candidate = Candidate(claim=claim, statement=statement, n=1465, table=list(table), **more)
    return LabelledFinding(step=Step(kind="compare"), candidate=candidate, label="exploratory", confidence=0.7)


RATE = found(
    "trial has by far the highest share with complained = 1: 24.7% (38 of 154) against 6% (22 of 368) in gold and 5.5% "
    "(52 of 943) in silver; 7.6% overall (chi-square p < 0.001).",
    {"relation": "difference", "metric": "share(complained in [1])", "dimension": "membership"},
    {"number": 19.03, "unit": "percentage points", "direction": "higher", "text": "trial"},
    {"membership": "trial", "share(complained in [1])": 0.24675, "n": 154},
    {"membership": "gold", "share(complained in [1])": 0.05978, "n": 368},
    {"membership": "silver", "share(complained in [1])": 0.05514, "n": 943},
    p_value=0.0001,
)
JOINT = found(
    "Harbour and Old Town account for 1,054 of 1,465 rows (71.9%) (617 and 437); no other club has more than 267.",
    {"relation": "share", "metric": "count(*)", "dimension": "club"},
    {"number": 0.71945, "unit": "share", "direction": "higher", "text": "Harbour and Old Town"},
    {"club": "Harbour", "number of rows": 617, "share": 0.42116, "n": 617},
    {"club": "Old Town", "number of rows": 437, "share": 0.29829, "n": 437},
    {"club": "Campus", "number of rows": 267, "share": 0.18225, "n": 267},
)
COMMON = found(
    "silver is by far the most common membership: 943 of 1,465 rows (64.4%), 2.6 times as many as the next, gold "
    "(368); the other 2 memberships have 154 to 368.",
    {"relation": "share", "metric": "count(*)", "dimension": "membership"},
    {"number": 0.64369, "unit": "share", "direction": "higher", "text": "silver"},
    {"membership": "silver", "number of rows": 943, "share": 0.64369, "n": 943},
    {"membership": "gold", "number of rows": 368, "share": 0.25119, "n": 368},
    {"membership": "trial", "number of rows": 154, "share": 0.10512, "n": 154},
)
ENDS = found(
    "spend grows with minutes: correlation r = 0.387 (p < 0.0001; n = 1,465), a moderate relation. Above 70 minutes it "
    "averages 17.69, up to 40 minutes 12.84.",
    {"relation": "correlation", "against": "spend", "column": "minutes"},
    {"number": 0.387, "unit": "pearson_r", "direction": "positive"},
    p_value=0.0001,
)
SMOKERS = found(
    "southeast has the highest average charges where smoker is yes: 34,845, followed by southwest (32,269.06); "
    "northeast has the lowest (29,673.54); 32,050.23 overall (Welch ANOVA p = 0.023).",
    {"relation": "difference", "metric": "mean(charges)", "dimension": "region", "filters": "smoker eq [yes]"},
    {"number": 4184.5, "direction": "higher", "text": "southeast"},
    {"region": "southeast", "mean(charges)": 34844.997, "n": 91},
    {"region": "southwest", "mean(charges)": 32269.06, "n": 58},
    {"region": "northeast", "mean(charges)": 29673.54, "n": 67},
    p_value=0.023,
)
SEXES = found(
    "male has a higher average charges than female: 13,956.75 against 12,569.58; the difference is 1,387.17 (95% CI "
    "91.86 to 2,682.49) (Welch t p = 0.036).",
    {"relation": "difference", "metric": "mean(charges)", "dimension": "sex"},
    {"number": 1387.17, "direction": "higher", "text": "male", "low": 91.86, "high": 2682.49},
    {"sex": "male", "mean(charges)": 13956.75, "n": 676},
    {"sex": "female", "mean(charges)": 12569.58, "n": 662},
    p_value=0.036,
)
FARES = found(
    "Fare has 108 outliers among 715 values (15.1%) by the robust rule (3.5 MADs from the median): all above 58.53. "
    "They range from 59.40 to 512.33, with mean 127.24 and median 90. The mean is 34.65 with them and 18.17 without.",
    {"relation": "outliers", "column": "Fare"}, {"number": 108.0},
)  # fmt: skip
EVEN = found(
    "Rows by department: HR 138 (23.4%), Finance 126 (21.3%) and IT 103 (17.4%) of 591; none stands out (p = 0.13).",
    {"relation": "evenness", "metric": "count(*)", "dimension": "department"},
    {"number": 0.234, "unit": "share", "text": "HR"},
    {"department": "HR", "number of rows": 138, "share": 0.2335, "n": 138},
    {"department": "Finance", "number of rows": 126, "share": 0.2132, "n": 126},
    {"department": "IT", "number of rows": 103, "share": 0.1743, "n": 103},
    p_value=0.13,
)
WITHIN = found(
    "All 76 rows where manager is Ed Gompf have department IT.",
    {
        "relation": "association",
        "metric": "count(*)",
        "dimension": "manager",
        "segment": "Ed Gompf",
        "against": "department",
    },
    {"number": 1.0, "unit": "share", "text": "IT"},
    {"manager": "Ed Gompf", "department": "IT", "rows": 76},
)
CARD = SchemaCard(
    dataset="mixed", rows=1465,
    columns=(
        Column(name="sex", sql_type="VARCHAR", role="dimension", rows=9, nulls=0, distinct=2,
               values=("male", "female")),
        Column(name="smoker", sql_type="VARCHAR", role="dimension", rows=9, nulls=0, distinct=2, values=("no", "yes")),
        Column(name="membership", sql_type="VARCHAR", role="dimension", rows=9, nulls=0, distinct=3,
               values=("silver", "gold", "trial")),
    ),
)  # fmt: skip
STANDS = [
    ("trial members complain most often, in 24.7% of their visits, against 6% for gold.", RATE),
    ("Harbour and Old Town together account for 71.9% of all rows.", JOINT),
    ("silver is the most common membership with 943 of 1,465 rows, 2.6 times as many as gold.", COMMON),
    ("Most members, 64.4%, are silver.", COMMON),
    ("Visits above 70 minutes average 17.69 in spend, those up to 40 minutes 12.84: a moderate relation.", ENDS),
    ("Among smokers, southeast has the highest average charges at 34,845.", SMOKERS),
    ("Men are charged 13,956.75 on average, women 12,569.58.", SEXES),
    ("Without the outliers the mean fare is 18.17 instead of 34.65.", FARES),
    ("HR has 138 of 591 rows, but none of the departments stands out.", EVEN),
    ("All 76 rows of Ed Gompf are in department IT.", WITHIN),
]
FALLS = [
    ("24.7% of all complaints come from trial members.", RATE, "another whole"),
    ("38 of 154 complaints are from trial members.", RATE, "another whole"),
    ("gold has a share of 7.6%.", RATE, "all rows"),
    ("71.9% of Harbour's rows are in Old Town.", JOINT, "another whole"),
    ("Harbour has 1,054 of 1,465 rows.", JOINT, "together"),
    ("617 of 437 rows are from Harbour.", JOINT, "no part"),
    ("silver is 2.6 times as common as trial.", COMMON, "gold"),
    ("silver is 2.6 times as common as the others together.", COMMON, "gold"),
    ("Most members, 368 of 1,465, are gold.", COMMON, "more than half"),
    ("trial has the second highest number of rows, 154.", COMMON, "second highest"),
    ("Above 70 minutes spend averages 12.84.", ENDS, "other end"),
    ("spend is 17.69 on average.", ENDS, "one end"),
    ("spend and minutes have a strong relation (r = 0.387).", ENDS, "strong"),
    ("Longer visits make people spend more (r = 0.387).", ENDS, "cause"),
    ("Among non-smokers, southeast has the highest average charges, 34,845.", SMOKERS, "smoker no"),
    ("southeast has the highest average charges, 34,845.", SMOKERS, "part of the rows"),
    ("Men are charged 1,387.17 on average.", SEXES, "a change"),
    ("Women are charged 13,956.75 on average, men 12,569.58.", SEXES, "another group"),
    ("Men are charged 13,956.75 in total.", SEXES, "no total"),
    ("The median fare is 90.", FARES, "outliers"),
    ("Without the outliers the mean fare is 34.65.", FARES, "with the outliers"),
    ("15.1% of the fares are exactly 58.53.", FARES, "limit"),
    ("HR clearly has the most rows, 138.", EVEN, "clearly"),
    ("All rows of department IT belong to Ed Gompf.", WITHIN, "other way round"),
]


@pytest.mark.parametrize(("sentence", "finding"), STANDS)
def test_a_number_stands_with_its_own_whole(sentence: str, finding: LabelledFinding) -> None:
    assert ungrounded(sentence, [finding], CARD) is None


@pytest.mark.parametrize(("sentence", "finding", "why"), FALLS)
def test_a_number_falls_with_another(sentence: str, finding: LabelledFinding, why: str) -> None:
    reason = ungrounded(sentence, [finding], CARD)
    assert reason is not None
    assert why in reason
