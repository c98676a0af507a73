"""The suite `cuda`: steps of SolverMuJoCo on a GPU, with the protocol of the suite `spine`, against figures of MuJoCo
Warp that were measured earlier with the same protocol. Without a GPU it has no rows, and says so."""

import pathlib
import subprocess
import sys

import machine
import spine_protocol as protocol
from suite import Results, Run, row

SPINE = str(pathlib.Path(__file__).resolve().parent / "spine_carom.py")
PROGRAM = str(pathlib.Path(__file__).resolve().parent / "cuda_carom.py")
PACKAGES = ["mujoco"]  # reads the model files
PARTIAL = True

ABOUT = f"""Steps of `SolverMuJoCo` on a GPU, single precision. Random controls over their full range, new every
{protocol.HOLD} steps, self-collision on, no resets, measured after {protocol.WARM} steps; the measured time ends when
the GPU is done. The peer is MuJoCo Warp 4.0 with its whole step in one CUDA graph. Its figures are constants, measured
earlier on an H200 in the same way; on another GPU there is no bar."""

PEER = "MuJoCo Warp 4.0, measured earlier on an H200"
PEER_GPU = "H200"
# subject, worlds: the peer's steps/s and the bar
CASES = {("mujoco/humanoid", 8192): (4.19e6, 3), ("mujoco/humanoid", 32768): (5.66e6, 4),
         ("mujoco/humanoid", 131072): (6.19e6, 4), ("gymnasium/half_cheetah", 32768): (21.2e6, 4),
         ("menagerie/shadow_hand/scene_right", 8192): (0.905e6, 3),
         ("gymnasium/ant" + protocol.AS_IT_IS, 32768): (3.67e6, 3)}

# Every solver with the quadrupeds of the suite `solvers`; without peers, which have no figures on this GPU.
SOLVERS = str(pathlib.Path(__file__).resolve().parent / "solvers_carom.py")
QUADRUPEDS = {f"carom quadrupeds {solver} x{worlds}": (solver, worlds)
              for solver in ("mujoco", "semi_implicit", "featherstone", "xpbd") for worlds in (4096, 32768, 131072)}

START_UP = "carom start-up"
START_WORLDS = 8192
START_LIMIT_S = 2


def run_name(subject: str, worlds: int) -> str:
    return f"carom {subject} x{worlds}"


def usable_gpus() -> int:
    count = subprocess.run([sys.executable, "-c", "import carom; print(carom.cuda_device_count())"], check=True,
                           capture_output=True, text=True).stdout
    return int(count)


def runs(programs: pathlib.Path) -> dict[str, Run]:
    if usable_gpus() == 0:
        gpu = machine.gpu()
        why = f"carom was built without CUDA; the GPU is: {gpu}" if gpu else "this machine has none"
        print(f"bench: **** NO GPU that carom can use: {why}. The suite cuda has no figures. ****", file=sys.stderr)
        return {}
    steps = {run_name(subject, worlds): Run([sys.executable, PROGRAM, subject, str(worlds)])
             for subject, worlds in CASES}
    steps |= {name: Run([sys.executable, SOLVERS, "quadruped", solver, str(worlds), "0", "cuda"])
              for name, (solver, worlds) in QUADRUPEDS.items()}
    return steps | {START_UP: Run([sys.executable, SPINE, "startup", "mujoco/humanoid", str(START_WORLDS), "cuda"])}


def rows(results: Results, names: list[str]) -> list[dict]:
    table, gpu = [], machine.gpu()
    for (subject, worlds), (peer, bar) in CASES.items():
        name = run_name(subject, worlds)
        if not results.has(name):
            continue
        case = f"{subject.split('/', 1)[1]}, f32, {worlds} worlds"
        bar = bar if PEER_GPU in gpu else None
        if results.missing(name):
            table.append(row(case, "steps/s", None, peer, PEER, bar, note=results.missing(name), more=True))
            continue
        one = {key: results.last(name, key) for key in ("contacts", "rows", "iterations", "residual_median",
                                                       "residual_max", "status", "changed")}
        note = ", ".join([gpu, f"contacts {one['contacts']:.2f}", f"rows {one['rows']:.1f}",
                          f"iterations {one['iterations']:.2f}", f"residual median {one['residual_median']:.0e} max "
                          f"{one['residual_max']:.0e}", f"status {one['status']}", *one["changed"]])
        table.append(row(case, "steps/s", 1 / results.best(name, "world_step_s"), peer, PEER, bar, note=note,
                         more=True))
    return table + quadruped_rows(results) + startup_rows(results)


def quadruped_rows(results: Results) -> list[dict]:
    return [row(f"quadrupeds: {solver}, f32, {worlds} worlds", "steps/s", 1 / results.best(name, "world_step_s"),
                note=f"{machine.gpu()}, contacts {results.last(name, 'contacts'):.2f}, "
                     f"status {results.last(name, 'status')}", more=True)
            for name, (solver, worlds) in QUADRUPEDS.items() if results.has(name) and results.ran(name)]


def startup_rows(results: Results) -> list[dict]:
    case = f"start-up: {START_WORLDS} humanoids, from the start of Python to the end of the first step"
    if not results.has(START_UP):
        return []
    if results.missing(START_UP):
        return [row(case, "s", None, START_LIMIT_S, "limit", 1, note=results.missing(START_UP))]
    note = f"of a saved model; import carom alone {results.best(START_UP, 'import_s'):.2f} s; nothing is compiled"
    return [row(case, "s", results.best(START_UP, "first_step_s"), START_LIMIT_S, "limit", 1, note=note)]
