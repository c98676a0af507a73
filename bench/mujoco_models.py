"""The suite `mujoco`: public robots as their files are, against MuJoCo's rollout. Protocol and programs are those of
the suite spine. (The module has another name than the suite: `mujoco` is MuJoCo's package.)"""

import pathlib
import sys
import tempfile

import spine
import spine_protocol as protocol
from suite import Results, Run

PACKAGES = ["mujoco"]  # of the extra bench
PARTIAL = True  # rows() copes with runs that were left out

ABOUT = f"""Steps of `SolverMuJoCo` against MuJoCo's `rollout`, of robots as their files are: integrator, cones of
friction, impratio, equalities and dry friction are the file's. Controls, warm-up ({protocol.WARM} steps) and
measurement are those of the suite spine; dm_control's models are its suite's, in a folder of that name beside the
others; MuJoCo steps {protocol.SAMPLE} of the worlds and computes in double precision.
Notes as there."""

# What is simulated: its name, worlds, the bar.
ROBOTS = {
    "menagerie/unitree_go1/scene": ("unitree_go1", 4096, 5),
    "menagerie/shadow_hand/scene_right": ("shadow_hand, right", 1024, 4),
    "gymnasium/ant" + protocol.AS_IT_IS: ("Gymnasium's ant, RK4", 8192, 6),
    "menagerie/kuka_iiwa_14/scene": ("kuka_iiwa_14", 4096, 5),
    "menagerie/agility_cassie/scene": ("cassie", 4096, 5),
    "dm_control/quadruped": ("dm_control's quadruped", 256, 3),
    "dm_control/dog": ("dm_control's dog", 256, 3),
    "dm_control/fish": ("dm_control's fish", 4096, None),
    "menagerie/skydio_x2/scene": ("skydio_x2", 4096, None),
}

_warm = []  # the folder with the states after the warm-up, for all rounds


def runs(_programs: pathlib.Path) -> dict[str, Run]:
    _warm.append(tempfile.TemporaryDirectory(prefix="carom-bench-"))
    env, result = {"CAROM_BENCH_WARM": _warm[-1].name}, {}
    for subject, (_, worlds, _) in ROBOTS.items():
        for threads in spine.THREADS:
            result[spine.carom_name(subject, "f32", worlds, threads)] = Run(
                [sys.executable, spine.CAROM, "step", subject, "f32", str(worlds), str(threads), "0"], env)
            result[spine.peer_name(subject, threads)] = Run(
                [sys.executable, spine.MUJOCO, "rollout", subject, str(threads)], env)
    return result


def rows(results: Results, names: list[str]) -> list[dict]:
    table = []
    for subject, (robot, worlds, bar) in ROBOTS.items():
        for threads in spine.THREADS:
            table += spine.against(results, f"{robot}, f32, {worlds} worlds", "steps/s",
                                   spine.carom_name(subject, "f32", worlds, threads),
                                   spine.peer_name(subject, threads), bar, threads)
    return table
