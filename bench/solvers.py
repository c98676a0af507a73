"""The suite `solvers`: piles of bodies in one world, against Bullet and ODE; quadrupeds and cloth in many worlds,
against Newton on its CPU device; and how the time of a pile grows with its bodies."""

import os
import pathlib
import sys

from suite import Results, Run, row

HERE = pathlib.Path(__file__).resolve().parent
CAROM, NEWTON = str(HERE / "solvers_carom.py"), str(HERE / "peers" / "newton_solvers.py")
PACKAGES = ["newton"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out
QUICK = os.environ.get("CAROM_BENCH_QUICK") == "1"

ABOUT = """Solvers, chosen by name, against those that others wrote; a solver that carom does not have has no rows.

Piles: bodies of 1 m in one world, friction 0.5, steps of 1/60 s, nothing sleeps. Each engine lets them settle on its
own, from the same start. Bullet makes 10 iterations in float, ODE's `dWorldQuickStep` 20 in double, both as they come;
the time is that of a whole step with its search for contacts. Depth is how far bodies overlap after the measured steps,
mean of all contacts and greatest, found by carom's pipeline for each engine; drift is how far bodies have moved in
these steps, mean and greatest. Debian builds Bullet without threads. A wall of 100 rows is more than Bullet holds up
with its iterations: it is measured while it still stands.

Many worlds: the same scene, masses, gains, material and step on both sides, with the search for contacts in every step.
Newton replays a graph of its steps, without adjoints, on the one thread that its CPU device has. Where it simulates
fewer worlds than carom, the notes say so: the work for a world is the same.

Left out: `Simulation.set_active`, against a step of all worlds; what is left out shares no cost but that of looking for
what was written to its state."""

THREADS = [threads for threads in (1, 2) if threads <= (os.cpu_count() or 1)]
MOST = max(THREADS)

# Scene: settling steps, measured steps, threads of carom, bar by peer.
PILES = {
    "spheres:1000": (600, 120, [1], {"bullet": 1.5, "ode": 2}),
    "boxes:1000": (600, 120, [1], {"bullet": 1.5, "ode": 2}),
    "pyramid:100": (12, 48, THREADS, {"bullet": 1.5}),
}
TITLES = {"spheres:1000": "1,000 spheres in a bin", "boxes:1000": "1,000 boxes in a bin",
          "pyramid:100": "wall of 5,050 boxes"}
# Those that can hold a large world, and their options; bars are those of the first one.
# Bodies of 1 m that fall into each other are pushed apart faster than a robot would like.
PILE_SOLVERS: dict[str, dict[str, float]] = {"xpbd": {"push_speed": 3}, "mujoco": {}}
PEERS = {"bullet": "Bullet", "ode": "ODE"}
GROWTH = {kind: [125, 1000] if QUICK else [125, 1000, 8000] for kind in ("spheres", "boxes")}
GROWTH_STEPS = (540, 48)
GROWTH_SOLVER = "xpbd"

# Scene and solver: worlds of carom and of Newton, threads of carom, bar with all threads.
QUADRUPEDS = 256 if QUICK else 4096
WORLDS = {
    ("quadruped", "xpbd"): (QUADRUPEDS, QUADRUPEDS, THREADS, 10),
    ("quadruped", "semi_implicit"): (QUADRUPEDS, QUADRUPEDS, THREADS, 6),
    ("quadruped", "featherstone"): (QUADRUPEDS, 64, THREADS, 200),
    ("cloth", "xpbd"): (4 if QUICK else 1024, 4, [MOST], 5),
}
# Scene, solver, worlds: how much every EVERYth of them costs when the others are left out, against a step of all.
LEFT_OUT = [("quadruped", solver, QUADRUPEDS) for solver in ("mujoco", "xpbd", "semi_implicit", "featherstone")]
EVERY = 16
WORLD_TITLES = {"quadruped": "quadrupeds", "cloth": "cloths over a sphere"}


# -- Runs

def pile_name(engine: str, scene: str, threads: int = 1) -> str:
    return f"pile {engine} {scene} {threads}t"


def worlds_name(side: str, scene: str, solver: str, threads: int = 1) -> str:
    return f"{side} {scene} {solver} {threads}t"


def left_out_name(which: str, scene: str, solver: str) -> str:
    return f"left_out {which} {scene} {solver}"


def pile_steps(scene: str) -> tuple[int, int]:
    settle, steps = PILES[scene][:2] if scene in PILES else GROWTH_STEPS
    return (settle // 20, steps // 4) if QUICK else (settle, steps)


def growth_scenes() -> list[str]:
    return [f"{kind}:{count}" for kind, counts in GROWTH.items() for count in counts]


def runs(programs: pathlib.Path) -> dict[str, Run]:
    result = {}

    def pile(engine: str, scene: str, threads: int = 1):
        options = [f"{key}={value}" for key, value in PILE_SOLVERS.get(engine, {}).items()]
        command = [programs / "carom_bench_solvers_pile", engine, scene, threads, *pile_steps(scene), *options]
        result[pile_name(engine, scene, threads)] = Run(list(map(str, command)))

    for scene, (_, _, threads, bars) in PILES.items():
        for count in threads:
            for solver in PILE_SOLVERS:
                pile(solver, scene, count)
        for peer in bars:
            pile(peer, scene)
    for scene in growth_scenes():
        for engine in (GROWTH_SOLVER, "bullet"):
            if pile_name(engine, scene) not in result:
                pile(engine, scene)
    for (scene, solver), (own, theirs, threads, _) in WORLDS.items():
        for count in threads:
            command = [sys.executable, CAROM, scene, solver, own, count]
            result[worlds_name("carom", scene, solver, count)] = Run(list(map(str, command)))
        command = [sys.executable, NEWTON, scene, solver, theirs]
        result[worlds_name("newton", scene, solver)] = Run(list(map(str, command)))
    for scene, solver, worlds in LEFT_OUT:
        for name, every in (("all", 1), ("some", EVERY)):
            command = [sys.executable, CAROM, scene, solver, worlds, 1, "cpu", every]
            result[left_out_name(name, scene, solver)] = Run(list(map(str, command)))
    return result


# -- Rows

def rows(results: Results, names: list[str]) -> list[dict]:
    piles = [line for solver in PILE_SOLVERS for scene in PILES for line in pile_rows(results, solver, scene)]
    worlds = [line for scene, solver in WORLDS for line in worlds_rows(results, scene, solver)]
    left_out = [line for scene, solver, worlds in LEFT_OUT for line in left_out_rows(results, scene, solver, worlds)]
    return piles + growth_rows(results) + worlds + left_out


def pile_rows(results: Results, solver: str, scene: str) -> list[dict]:
    """A row for each peer and number of threads; peers alone when carom lacks the solver that has bars."""
    table = []
    _, _, threads, bars = PILES[scene]
    has_bars = solver == next(iter(PILE_SOLVERS))
    for count in threads:
        own = pile_name(solver, scene, count)
        for peer, bar in bars.items():
            theirs = pile_name(peer, scene)
            if results.has(own) and results.ran(own):
                table.append(row(f"piles, {solver}: {TITLES[scene]}", "ms", step_ms(results, own),
                                 step_ms(results, theirs), peer_words(results, theirs, PEERS[peer]),
                                 bar if has_bars and results.has(theirs) else None, count,
                                 pile_note(results, own, theirs)))
            elif has_bars and count == 1 and results.has(theirs) and results.ran(theirs):
                table.append(row(f"piles, peers alone: {TITLES[scene]}", "ms", None, step_ms(results, theirs),
                                 peer_words(results, theirs, PEERS[peer]), note=told(results, theirs)))
    return table


def step_ms(results: Results, run: str) -> float | None:
    return results.best(run, "step_s") * 1e3 if results.has(run) and results.ran(run) else None


def peer_words(results: Results, run: str, name: str) -> str:
    return results.one(run, "name") if results.has(run) and results.ran(run) else name


def pile_note(results: Results, own: str, theirs: str) -> str:
    if not results.has(theirs):
        return told(results, own)
    return f"{told(results, own)}; peer: {results.missing(theirs) or told(results, theirs)}"


def told(results: Results, run: str) -> str:
    """How good the step is that was measured."""
    def mm(key: str) -> str:
        return f"{results.last(run, key) * 1e3:.3g}"

    seconds = results.last(run, "seconds")
    return (f"contacts {results.last(run, 'contacts'):.0f}, depth {mm('mean_depth')} to {mm('most_depth')} mm, drift "
            f"{mm('mean_drift')} to {mm('most_drift')} mm in {seconds:.2g} s, mean height "
            f"{results.last(run, 'mean_height'):.2f} m")


def growth_rows(results: Results) -> list[dict]:
    table = []
    for kind, counts in GROWTH.items():
        first = {}
        for count in counts:
            own, theirs = (pile_name(engine, f"{kind}:{count}") for engine in (GROWTH_SOLVER, "bullet"))
            figures = {run: step_ms(results, run) / results.last(run, "contacts") * 1e3
                       for run in (own, theirs) if results.has(run) and results.ran(run)}
            if not figures:
                continue
            first = first or {run.split()[1]: ms for run, ms in figures.items()}
            grown = "; ".join(f"{run.split()[1]} {step_ms(results, run):.3g} ms a step, per contact "
                              f"{ms / first[run.split()[1]]:.2f} times that of {counts[0]} bodies"
                              for run, ms in figures.items() if run.split()[1] in first)
            table.append(row(f"growth, time for 1,000 contacts: {count} {kind}", "ms", figures.get(own),
                             figures.get(theirs), peer_words(results, theirs, "Bullet"), note=grown))
    return table


def worlds_rows(results: Results, scene: str, solver: str) -> list[dict]:
    """Nothing when carom lacks the solver."""
    own_worlds, their_worlds, threads, bar = WORLDS[scene, solver]
    theirs = worlds_name("newton", scene, solver)
    table = []
    for count in threads:
        own = worlds_name("carom", scene, solver, count)
        if not results.has(own) or not results.ran(own):
            continue
        peer = results.has(theirs) and results.ran(theirs)
        note = world_words(results, own)
        if results.has(theirs):
            note += f"; Newton: {world_words(results, theirs) if peer else results.missing(theirs)}"
        if their_worlds != own_worlds:
            note += f"; Newton simulates {their_worlds} worlds"
        table.append(row(f"{scene}: {solver}, {own_worlds} {WORLD_TITLES[scene]}", "steps/s",
                         1 / results.best(own, "world_step_s"),
                         1 / results.best(theirs, "world_step_s") if peer else None,
                         f"Newton {results.one(theirs, 'version')}, CPU graph" if peer else "Newton, CPU graph",
                         bar if count == MOST and results.has(theirs) else None, count, note, more=True))
    return table


def left_out_rows(results: Results, scene: str, solver: str, worlds: int) -> list[dict]:
    """The time of a call's step, with all worlds and with every EVERYth."""
    whole, part = (left_out_name(which, scene, solver) for which in ("all", "some"))
    if not all(results.has(run) and results.ran(run) for run in (whole, part)):
        return []
    of_all, of_some = (results.best(run, "world_step_s") * worlds for run in (whole, part))
    each = (of_some - of_all / EVERY) / (of_all * (1 - 1 / EVERY))
    return [row(f"left out: {scene}, {solver}, every {EVERY}th of {worlds} worlds takes part", "ms", of_some * 1e3,
                of_all * 1e3, "all take part", None, 1,
                f"a world that is left out takes {100 * each:.1f} % of the time of one that takes part")]


def world_words(results: Results, run: str) -> str:
    words = [f"contacts {results.last(run, 'contacts'):.2f}"]
    for key, value in results.last(run, "summary").items():
        name, unit = key.split(", ")
        words.append(f"{name} {value:.3g} {unit}")
    return ", ".join(words)
