"""What the suites are written with: runs of programs, their results, and rows of the table."""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Run:
    """One process of a round. It prints one JSON object, as the last line of its output."""

    command: list[str]
    env: dict[str, str] = dataclasses.field(default_factory=dict)  # added to the environment


class Results:
    """What all rounds printed, by the name of the run."""

    def __init__(self):
        self._printed: dict[str, list[dict]] = {}

    def add(self, name: str, printed: dict):
        self._printed.setdefault(name, []).append(printed)

    def missing(self, name: str) -> str | None:
        """Why a peer did not run; None when it did."""
        return next((printed["missing"] for printed in self._printed[name] if "missing" in printed), None)

    def all(self, name: str, *path: str) -> list:
        """A value of every round; `path` leads into nested objects."""
        values = []
        for printed in self._printed[name]:
            for key in path:
                printed = printed[key]
            values.append(printed)
        return values

    def best(self, name: str, *path: str) -> float:
        """The smallest value of all rounds: what disturbs a run makes it slower, never faster."""
        return min(self.all(name, *path))

    def one(self, name: str, *path: str):
        """A value that must not depend on the round."""
        values = self.all(name, *path)
        if any(value != values[0] for value in values):
            raise SystemExit(f"bench: {name}: {'.'.join(path)} differs from round to round: {values}")
        return values[0]


def row(case: str, unit: str, carom: float, peer: float | None = None, peer_name: str | None = None,
        at_least: float | None = None, threads: int = 1, note: str = "") -> dict:
    """One figure, of which less is better, beside a peer's. The ratio is how many times better carom is."""
    ratio = None
    if peer is not None:
        ratio = peer / carom if carom else 1.0
        assert math.isfinite(ratio), (case, carom, peer)
    return {"case": case, "unit": unit, "carom": carom, "peer": peer, "peer_name": peer_name, "ratio": ratio,
            "at_least": at_least, "threads": threads, "note": note}


def below_bar(row: dict) -> bool:
    return row["at_least"] is not None and (row["ratio"] is None or row["ratio"] < row["at_least"])


def number(value: float | None) -> str:
    """Three significant digits, without exponents."""
    if value is None:
        return ""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
