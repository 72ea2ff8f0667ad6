"""What a survival step says."""

from datasets.battery._statistics.survival import Curve
from datasets.battery._survival.params import SurvivalParams
from datasets.battery._survival.reading import Observed
from datasets.battery._wording.phrases import interval_text, percent_text, readable, scope_text
from datasets.battery._wording.words import listed_and, rows_text
from datasets.plain import number_text
from datasets.schema import SchemaCard


class Words:
    """The words of one step: what the rows wait for, and how its times are written."""

    def __init__(self, params: SurvivalParams, card: SchemaCard, seen: Observed) -> None:
        self._params, self._seen = params, seen
        self._scope = scope_text(params.filters, params.window)
        self.unit = seen.unit or ""
        self._of = "" if params.start else str(params.duration)

    @property
    def reach(self) -> str:
        """What happens: "reach closed_at", "have Churn Yes"."""
        event = self._params.event
        return f"reach {self._params.end}" if event is None else f"have {event.words.replace(' is ', ' ', 1)}"

    @property
    def title(self) -> str:
        """Of the chart."""
        by = f" by {self._params.by}" if self._params.by else ""
        return f"Share that does not yet {self.reach}{by}{self._scope}"

    @property
    def x_title(self) -> str:
        """Of the time axis."""
        return f"{self.unit} since {self._params.start}" if self._params.start else self._of

    @property
    def takes_longest(self) -> str:
        """How a sentence on the slowest group begins."""
        return f"It takes longest to {self.reach}{self._scope}"

    @property
    def _since(self) -> str:
        return f" of {self._params.start or self._params.duration}" if self.unit else ""

    def time(self, value: float) -> str:
        """ "30 days", "1 day", or "tenure 12" where no unit is known."""
        number = number_text(readable(value))
        if not self.unit:
            return f"{self._of} {number}"
        return f"{number} {self.unit[:-1] if value == 1 else self.unit}"

    def axis(self, value: float) -> str:
        """A time on the axis of the chart."""
        return f"{value:.6g}"

    def halves(self, curve: Curve) -> str:
        """The first sentence: after how long half are there."""
        rows, (median, low, high) = rows_text(curve.n), curve.median()
        if median is None:
            return f"Fewer than half of {rows}{self._scope} {self.reach} in the time observed: {self.longest(curve)}."
        within = f"{self.time(median)}{self._since}{self._between(low, high)}"
        return f"Half of {rows}{self._scope} {self.reach} within {within}."

    def half(self, curve: Curve) -> str:
        """The sentence on half of them, after one on shares."""
        median, low, high = curve.median()
        return "" if median is None else f" Half are there within {self.time(median)}{self._between(low, high)}."

    def shares(self, curve: Curve, times: list[float]) -> str:
        """The shares that have not got there at the times asked for."""
        said = []
        for at in times:
            share, low, high = curve.share_at(at) or (0.0, 0.0, 0.0)
            ends = interval_text(percent_text(low), percent_text(high))
            said.append(f"{percent_text(share)} ({ends}) {self._then(at)}")
        return f"Of {rows_text(curve.n)}{self._scope}, {listed_and(said)} do not yet {self.reach}."

    def _then(self, at: float) -> str:
        if self._params.start:
            return f"{self.time(at)} after {self._params.start}"
        return f"after {self.time(at)} of {self._of}" if self.unit else f"at {self.time(at)}"

    def shares_then(self, curve: Curve, times: list[float]) -> str:
        """The shares that wait at a few round times."""
        told = [(at, found[0]) for at in times if (found := curve.share_at(at))]
        if not told:
            return ""
        listed = listed_and([f"{percent_text(share)} after {self.time(at)}" for at, share in told])
        return f" Not there yet are {listed}."

    def waiting(self, curve: Curve) -> str:
        """The sentence on those that are cut off."""
        waiting = curve.n - curve.ended
        if not waiting:
            return ""
        until = f" at {self._seen.until:%Y-%m-%d}, where the data end" if self._seen.until else " when last seen"
        verb = "was" if waiting == 1 else "were"
        return f" {waiting:,} {verb} still waiting{until}, and count as long as they were seen (Kaplan-Meier)."

    def longest(self, curve: Curve) -> str:
        """What is known at the end of the time observed."""
        at = float(curve.times[-1])
        share = (curve.share_at(at) or (1.0,))[0]
        return f"{percent_text(share)} do not after {self.time(at)}, the longest time seen"

    def median_of(self, name: str, curve: Curve) -> str:
        """One group in a list: "23 days (95% interval 16 to 30) in A (n = 20)"."""
        median, low, high = curve.median()
        if median is None:
            return f"more than the {self.time(float(curve.times[-1]))} observed in {name} (n = {curve.n:,})"
        return f"{self.time(median)}{self._between(low, high)} in {name} (n = {curve.n:,})"

    def caveats(self, curve: Curve) -> list[str]:
        """What a reader has to know of how it was counted."""
        said = []
        waiting, mean = curve.n - curve.ended, self._seen.mean_ended
        if waiting and mean is not None:
            said.append(
                f"the mean over the {curve.ended:,} that are there, {self.time(round(mean, 2))}, leaves out the"
                f" {waiting:,} that still wait and is too short as an answer"
            )
            said.append("supposes that those still waiting are like the others")
        if self._seen.backwards:
            said.append(f"{rows_text(self._seen.backwards)} that end before they start are left out")
        if self._params.duration and self._params.unit and not self._seen.unit_known:
            said.append(f"{self._of} says no unit and is read in {self._params.unit}")
        return said

    def left_out(self, groups: int) -> list[str]:
        """A caveat on groups that are not compared."""
        return (
            [f"{groups} groups of {self._params.by} are left out: too few rows, or not the largest"] if groups else []
        )

    def _between(self, low: float | None, high: float | None) -> str:
        if low is None:
            return ""
        if high is None:
            return f" (95% interval from {number_text(readable(low))} on)"
        return f" (95% interval {number_text(readable(low))} to {number_text(readable(high))})"
