"""The suite `spine`: steps of SolverMuJoCo against MuJoCo, in many worlds and in one; by stages; how the time grows
with worlds, bodies and contacts; how long it takes to the first step. What is simulated: spine_protocol.py."""

import os
import pathlib
import sys
import tempfile

import spine_protocol as protocol
from suite import Results, Run, row

HERE = pathlib.Path(__file__).resolve().parent
CAROM, MUJOCO = str(HERE / "spine_carom.py"), str(HERE / "peers" / "mujoco_spine.py")
LARGE = str(HERE / "spine_large.py")
PACKAGES = ["mujoco"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out

ABOUT = f"""Steps of `SolverMuJoCo` against MuJoCo. Both simulate the same model files with the same controls: uniform
over their full range, new every {protocol.HOLD} steps. Self-collision is on and no world is ever reset. After
{protocol.WARM} steps, when bodies lie and move, the same {protocol.WINDOW} steps are measured again and again. MuJoCo's
`rollout` steps {protocol.SAMPLE} of the worlds, with the same work in each step as if there were more. Files that ask
for RK4 are stepped by Euler on both sides, and files that ask for another solver are solved by Newton's method on both
sides; the notes say where. MuJoCo computes in double precision. Notes give means per world and step of carom's side,
with the peer's contacts in brackets. "slots" are the contacts that lanes compute with, padding included, for each
contact that there is; residuals are scaled as the solver's tolerance."""

HUMANOID = "mujoco/humanoid"
# All of Gymnasium's files that can be simulated, once the integrator is Euler.
GYMNASIUM = ["ant", "half_cheetah", "hopper", "humanoid", "humanoidstandup", "inverted_double_pendulum",
             "inverted_pendulum", "reacher", "walker2d", "walker2d_v5"]
UNCOVERED = ["point", "pusher", "pusher_v5", "swimmer"]
THREADS = [threads for threads in (1, 2) if threads <= (os.cpu_count() or 1)]
SIZES = [1024, 8192]
GROWTH_WORLDS = [1, 16, 64, 256, 1024, 4096, 16384]
CHAINS = [5, 10, 20, 50, 100]
BODIES = [1, 2, 4, 8, 16, 32]
SCENE_WORLDS = 1024
MANY = 8192

F32_BARS = {"baseline": 6, "avx2": 8, "avx512": 10}  # by the tier of carom's side
F64_BAR, GYMNASIUM_BAR, SINGLE_BARS = 2.5, 9, {"f64": 1, "f32": 2.5}
SAME_SPEED = 0.02  # f32 keeps two digits in the longest chain, f64 thirteen
START_LIMIT_MS = 100
HUMANOID_FLOP = 1e5  # of a step, about: counted in MuJoCo, whose step does the same

# One world: what it is called, threads of carom's side (MuJoCo steps a world with one), the bar.
LARGE_WORLDS = {"mujoco/100_humanoids": ("100 humanoids, 2,700 degrees of freedom", max(THREADS), 1),
                "spheres:1000": ("1,000 spheres settled in a bin", 1, 2),
                "boxes:1000": ("1,000 boxes settled in a bin", 1, 2)}

_warm = []  # the folder with the states after the warm-up, for all rounds


# -- Runs

def carom_name(subject: str, precision: str, worlds: int, threads: int = 1, lanes: int = 0) -> str:
    return f"carom {subject} {precision} x{worlds} {threads}t" + (" alone" if lanes == 1 else "")


def peer_name(subject: str, threads: int = 1) -> str:
    return f"mujoco {subject} {threads}t"


def large_name(side: str, subject: str) -> str:
    return f"{side} large {subject}"


PEER_ALONE = f"mujoco {HUMANOID} alone"
SHOWN_STAGES = {carom_name(HUMANOID, "f32", MANY): f"f32, {MANY} worlds",
                carom_name(HUMANOID, "f64", SIZES[0]): f"f64, {SIZES[0]} worlds",
                carom_name(HUMANOID, "f32", 1, lanes=1): "f32, one world at a time"}


def runs(programs: pathlib.Path) -> dict[str, Run]:
    _warm.append(tempfile.TemporaryDirectory(prefix="carom-bench-"))
    env, result = {"CAROM_BENCH_WARM": _warm[-1].name}, {}

    def carom(subject, precision, worlds, threads=1, lanes=0):
        name = carom_name(subject, precision, worlds, threads, lanes)
        stages = ["stages"] if name in SHOWN_STAGES else []
        result[name] = Run([sys.executable, CAROM, "step", subject, precision, *map(str, (worlds, threads, lanes)),
                            *stages], env)

    def mujoco(subject, threads=1):
        result[peer_name(subject, threads)] = Run([sys.executable, MUJOCO, "rollout", subject, str(threads)], env)

    for worlds in sorted({*GROWTH_WORLDS, *SIZES}, reverse=True):  # the largest warms up for all
        carom(HUMANOID, "f32", worlds)
    for threads in THREADS:
        mujoco(HUMANOID, threads)
        for worlds in SIZES if threads > 1 else []:
            carom(HUMANOID, "f32", worlds, threads)
    carom(HUMANOID, "f64", SIZES[0])
    for precision in ("f64", "f32"):
        carom(HUMANOID, precision, 1, lanes=1)
    result[PEER_ALONE] = Run([sys.executable, MUJOCO, "step", HUMANOID], env)
    for name in GYMNASIUM:
        carom(f"gymnasium/{name}", "f32", MANY)
        mujoco(f"gymnasium/{name}")
    for scene in [f"chain:{count}" for count in CHAINS] + [f"bodies:{count}" for count in BODIES]:
        carom(scene, "f32", SCENE_WORLDS)
        mujoco(scene)
    for subject, (_, threads, _) in LARGE_WORLDS.items():
        result[large_name("carom", subject)] = Run([sys.executable, LARGE, "carom", subject, str(threads)], env)
        result[large_name("mujoco", subject)] = Run([sys.executable, LARGE, "mujoco", subject], env)
    result["carom coverage"] = Run([sys.executable, CAROM, "coverage", *(f"gymnasium/{name}"
                                                                         for name in GYMNASIUM + UNCOVERED)])
    result["carom start-up"] = Run([sys.executable, CAROM, "startup", HUMANOID])
    result["peak"] = Run([str(programs / "carom_bench_peak")])
    return result


# -- Rows

def rows(results: Results, names: list[str]) -> list[dict]:
    check_same_scenes(results)
    return (humanoid_rows(results) + gymnasium_rows(results) + alone_rows(results) + stage_rows(results)
            + peak_rows(results) + worlds_rows(results)
            + scene_rows(results, "bodies", [(f"chain:{n}", f"hanging chain, {n} links") for n in CHAINS])
            + scene_rows(results, "contacts", [(f"bodies:{n}", f"free bodies on a plane, {n}") for n in BODIES])
            + large_rows(results) + startup_rows(results))


def described(results: Results, name: str, peer: str) -> str:
    """The note of a row: what the solver did, and what was changed in the model."""
    def mean(key: str):
        return results.last(name, key)

    contacts = f"contacts {mean('contacts'):.2f}"
    if results.ran(peer):
        contacts += f" ({results.last(peer, 'contacts'):.2f})"
    words = [contacts, f"rows {mean('rows'):.1f}", f"iterations {mean('iterations'):.2f}",
             f"residual median {mean('residual_median'):.0e} max {mean('residual_max'):.0e}"]
    if mean("contacts") > 0:
        words.append(f"slots {mean('padded') / mean('contacts'):.2f}")
    return ", ".join(words + [f"status {mean('status')}"] + mean("changed"))


def against(results: Results, case: str, unit: str, name: str, peer: str, bar: float | None = None,
            threads: int = 1) -> list[dict]:
    """A row with steps/s, or the time of a world's step, beside MuJoCo's; no row when the run was left out."""
    if not results.has(name):
        return []

    def figure(run: str) -> float | None:
        if not results.ran(run):
            return None
        seconds = results.best(run, "world_step_s")
        return 1 / seconds if unit == "steps/s" else seconds * 1e6

    note = results.missing(name) or described(results, name, peer)
    if results.ran(name) and results.has(peer) and results.missing(peer):
        note = f"{results.missing(peer)}; {note}"
    function = "mj_step" if peer == PEER_ALONE else "rollout"
    version = f"MuJoCo {results.one(peer, 'version')} {function}" if results.ran(peer) else f"MuJoCo {function}"
    return [row(case, unit, figure(name), figure(peer), version, bar if results.has(peer) else None, threads, note,
                more=unit == "steps/s")]


def humanoid_rows(results: Results) -> list[dict]:
    table = []
    for threads in THREADS:
        for worlds in SIZES:
            name = carom_name(HUMANOID, "f32", worlds, threads)
            bar = F32_BARS[results.one(name, "tier")] if results.ran(name) else None
            table += against(results, f"humanoid: f32, {worlds} worlds", "steps/s", name,
                             peer_name(HUMANOID, threads), bar, threads)
    return table + against(results, f"humanoid: f64, {SIZES[0]} worlds", "steps/s",
                           carom_name(HUMANOID, "f64", SIZES[0]), peer_name(HUMANOID), F64_BAR)


def gymnasium_rows(results: Results) -> list[dict]:
    table = []
    for name in GYMNASIUM:
        subject = f"gymnasium/{name}"
        table += against(results, f"models of Gymnasium: {name}, f32, {MANY} worlds", "steps/s",
                         carom_name(subject, "f32", MANY), peer_name(subject), GYMNASIUM_BAR)
    if results.ran("carom coverage"):
        models = results.one("carom coverage", "models")
        refused = [f"{name.split('/')[1]}: {why.split(': ')[0]}" for name, why in models.items() if why]
        table.append(row("models of Gymnasium: files that can be simulated", "files", len(models) - len(refused),
                         len(models), "all files", note="not yet " + "; ".join(refused), more=True))
    return table


def alone_rows(results: Results) -> list[dict]:
    return [line for precision in ("f64", "f32") for line in against(
        results, f"one humanoid: {precision}, one world at a time", "steps/s",
        carom_name(HUMANOID, precision, 1, lanes=1), PEER_ALONE, SINGLE_BARS[precision])]


def stage_rows(results: Results) -> list[dict]:
    table = []
    for name, title in SHOWN_STAGES.items():
        if not results.ran(name):
            continue
        # Of the fastest round: stages of different rounds do not add up.
        _, stages = min(zip(results.all(name, "world_step_s"), results.all(name, "stages")), key=lambda pair: pair[0])
        for stage, seconds in stages.items():
            share = seconds / sum(stages.values())
            table.append(row(f"stages of a humanoid's step, {title}: {stage}", "ns", seconds * 1e9,
                             note=f"{share:.1%} of the step"))
    return table


def peak_rows(results: Results) -> list[dict]:
    table = []
    for name, precision in ((carom_name(HUMANOID, "f32", MANY), "f32"),
                            (carom_name(HUMANOID, "f64", SIZES[0]), "f64")):
        if results.ran(name) and results.ran("peak"):
            rate = HUMANOID_FLOP / results.best(name, "world_step_s") * 1e-9
            table.append(row(f"arithmetic of a humanoid's step: {precision}", "GFLOP/s", rate,
                             max(results.all("peak", precision)), f"peak of a core, {results.one('peak', 'tier')}",
                             note=f"the ratio is the share of peak, at {HUMANOID_FLOP * 1e-6:g} MFLOP per step; what "
                                  "lanes compute for nothing is not counted", more=True))
    return table


def growth(with_what: str) -> str:
    return f"growth with {with_what}, time of a world's step"


def worlds_rows(results: Results) -> list[dict]:
    return [line for worlds in GROWTH_WORLDS for line in against(
        results, f"{growth('worlds')}: humanoid, f32, worlds {worlds}", "us", carom_name(HUMANOID, "f32", worlds),
        peer_name(HUMANOID))]


def scene_rows(results: Results, what: str, scenes: list[tuple[str, str]]) -> list[dict]:
    return [line for subject, case in scenes for line in against(
        results, f"{growth(what)}: {case}, f32, {SCENE_WORLDS} worlds", "us",
        carom_name(subject, "f32", SCENE_WORLDS), peer_name(subject))]


def large_rows(results: Results) -> list[dict]:
    table = []
    for subject, (case, threads, bar) in LARGE_WORLDS.items():
        own, peer = large_name("carom", subject), large_name("mujoco", subject)
        if not results.has(own):
            continue

        def ms(run: str) -> float | None:
            return results.best(run, "world_step_s") * 1e3 if results.ran(run) else None

        note = results.missing(own)
        if note is None:
            note = ", ".join(f"{key} {results.last(own, key)}"
                             + (f" ({results.last(peer, key)})" if results.ran(peer) else "")
                             for key in ("contacts", "rows", "iterations"))
        version = f"MuJoCo {results.one(peer, 'version')} mj_step" if results.ran(peer) else "MuJoCo mj_step"
        table.append(row(f"one large world: {case}, f32", "ms", ms(own), ms(peer), version,
                         bar if results.has(peer) else None, threads, note))
    return table


def startup_rows(results: Results) -> list[dict]:
    run, case = "carom start-up", "start-up: one humanoid, from the start of Python to the end of the first step"
    if not results.has(run):
        return []
    if results.missing(run):
        return [row(case, "ms", None, START_LIMIT_MS, "limit", 1, note=results.missing(run))]

    def ms(key: str) -> float:
        return results.best(run, key) * 1e3

    return [row(case, "ms", ms("first_step_s"), START_LIMIT_MS, "limit", 1,
                note=f"of a saved model; Python alone {ms('interpreter_s'):.0f} ms, with import numpy "
                     f"{ms('numpy_s'):.0f} ms, with import carom {ms('import_s'):.0f} ms")]


def check_same_scenes(results: Results):
    """Chains and bodies are written twice; they must move alike."""
    for subject in [f"chain:{n}" for n in CHAINS] + [f"bodies:{n}" for n in BODIES]:
        own, theirs = carom_name(subject, "f32", SCENE_WORLDS), peer_name(subject)
        if not results.ran(own) or not results.ran(theirs):
            continue
        speeds = [results.one(run, "mean_speed") for run in (own, theirs)]
        if abs(speeds[0] - speeds[1]) > SAME_SPEED * speeds[1]:
            raise SystemExit(f"bench: {subject} moves differently: mean speed {speeds[0]}, MuJoCo's {speeds[1]}")
