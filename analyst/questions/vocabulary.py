"""Nouns of the language of questions: they name no column and no condition by themselves."""

import re

PLAIN = frozenset(
    re.findall(
        r"\w+",
        "accordance addition amount analysis answer approach association attribute average axis base basis best "
        "better bottom case category cause change chart class column combination common comparison context "
        "contrast correlation count current data dataset date day decimal decline decrease detail development "
        "difference different digit distribution dollar driver drop effect entry eur euro everyone example fact "
        "factor fall feature few fewer field figure file finding first format fraction gap general graph group "
        "growth half high highest histogram hour impact important increase individual influence insight item kind "
        "last least less level line list long lot low lowest majority man many maximum mean median men method "
        "minimum minority minute mode money month more most much next number observation old one order other "
        "outlier overall overview pair part particular pattern people percent percentage period person place plot "
        "point population position pound practice previous proportion quarter question range rank ranking rate "
        "ratio reason record regard relation relationship report respect rest result rise row same sample scale "
        "second segment set several share short significance significant size someone sort spread subset sum "
        "summary table term terms test thing third time today top total trend type typical unit unusual usd usual "
        "value variable variation way week whole woman women worse worst year young ",
    )
)
MEASURING = frozenset({"scale", "format", "form", "unit", "order", "term", "test", "value", "manner", "way"})
"""Nouns before which a word says how something is written or measured: "in logarithmic scale"."""
TOOLS = re.compile(
    r"\b(?:python|pandas|numpy|scipy|scikit|sklearn|excel|sql|spark|library|librar|module|package|algorithm|regressor"
    r"|classifier|model|method|test|forest|function|framework)\b",
    re.I,
)
"""Names of software and of methods, and the nouns beside such a name."""
