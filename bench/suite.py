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

    def has(self, name: str) -> bool:
        """Whether the run was part of the rounds at all."""
        return name in self._printed

    def ran(self, name: str) -> bool:
        """Whether it was, and lacked nothing."""
        return self.has(name) and self.missing(name) is None

    def missing(self, name: str) -> str | None:
        """What a run lacked; None when it lacked nothing."""
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

    def last(self, name: str, *path: str):
        """A value that is told beside the figures."""
        return self.all(name, *path)[-1]

    def one(self, name: str, *path: str):
        """A value that must not depend on the round."""
        values = self.all(name, *path)
        if any(value != values[0] for value in values):
            raise SystemExit(f"bench: {name}: {'.'.join(path)} differs from round to round: {values}")
        return values[0]


def row(case: str, unit: str, carom: float | None, peer: float | None = None, peer_name: str | None = None,
        at_least: float | None = None, threads: int = 1, note: str = "", more: bool = False) -> dict:
    """One figure beside a peer's; less is better, or more. The ratio is how many times better carom is. A case that
    begins "title: " stands in the table with that title. carom is None when something was missing."""
    ratio = None
    if carom is not None and peer is not None:
        ratio = carom / peer if more else peer / carom if carom else 1.0
        assert math.isfinite(ratio), (case, carom, peer)
    return {"case": case, "unit": unit, "carom": carom, "peer": peer, "peer_name": peer_name, "ratio": ratio,
            "at_least": at_least, "threads": threads, "note": note}


def titled(rows: list[dict]) -> list[tuple[str, list[dict]]]:
    """Rows by the titles of their tables, in order; their cases without the titles."""
    tables: dict[str, list[dict]] = {}
    for row in rows:
        title, colon, case = row["case"].partition(": ")
        tables.setdefault(title if colon else "", []).append(row | {"case": case} if colon else row)
    return list(tables.items())


def below_bar(row: dict) -> bool:
    return row["at_least"] is not None and (row["ratio"] is None or row["ratio"] < row["at_least"])


def number(value: float | None) -> str:
    """Three significant digits, without exponents; whole numbers whole."""
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
