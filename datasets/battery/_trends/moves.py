"""A series without a trend whose newest periods lie on another level than the ones known before."""

from __future__ import annotations

import math
from datetime import date, timedelta

import numpy as np
from scipy import stats

from datasets.battery._rows.by_period import Series
from datasets.battery._wording.phrases import capital, p_text
from datasets.battery._wording.scope import Scope
from datasets.evidence import Candidate, Claim, ClaimValue
from datasets.plain import counted

_FEWEST_KNOWN, _FEWEST_NEW = 8, 2
_ALPHA = 0.01
_LEAST_SHARE_0_1 = 0.05


def moved_candidate(series: Series, scope: Scope, known_until: date, flat: Candidate) -> Candidate | None:
    """Say that the level moved after a day; None where the newer periods lie where the known ones lay.

    The mean of the newer periods is held against the prediction interval of the known ones. It has moved where that
    is left at 1 %, by a twentieth of the level or more, and no newer period lies within the range of the known ones.
    """
    known = [s for s in series.usable if s.period.end.date() <= known_until + timedelta(days=1)]
    newer = [s for s in series.usable if s.period.start.date() > known_until]
    if len(known) < _FEWEST_KNOWN or len(newer) < _FEWEST_NEW:
        return None
    before, after = (np.array([series.level(s) for s in spots]) for spots in (known, newer))
    change, mean = float(after.mean() - before.mean()), float(before.mean())
    beyond = float(after.min()) > float(before.max()) or float(after.max()) < float(before.min())
    if not beyond or abs(change) < _LEAST_SHARE_0_1 * abs(mean):
        return None
    error = float(before.std(ddof=1)) * math.sqrt(1 / len(before) + 1 / len(after))
    p = 2 * float(stats.t.sf(abs(change) / error, len(before) - 1)) if error else 0.0
    if p > _ALPHA:
        return None
    half = float(stats.t.ppf(0.975, len(before) - 1)) * error
    then, now = (scope.text(float(np.mean([float(s.value) for s in spots]))) for spots in (known, newer))
    grain, first = series.calendar.grain, known_until + timedelta(days=1)
    way = "higher" if change > 0 else "lower"
    value = ClaimValue(
        number=change,
        unit=flat.claim.value.unit,
        direction="up" if change > 0 else "down",
        text=f"level since {first.isoformat()}",
        low=change - half,
        high=change + half,
    )
    return flat.model_copy(
        update={
            "claim": Claim(subject=flat.claim.subject, value=value),
            "statement": (
                f"{capital(f'the {scope.words}')} moved to a {way} level: {now} a {grain} on average in the "
                f"{counted(len(newer), f'complete {grain}')} since {first.isoformat()}, against {then} in the "
                f"{len(known)} before ({p_text(p)})."
            ),
            "test": "prediction t",
            "p_value": p,
            "null": False,
            "interest_0_1": 0.8,
        }
    )
