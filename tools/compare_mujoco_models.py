#!/usr/bin/env python3
"""Compares single steps of carom with those of MuJoCo, file by file, and prints a table for docs/mujoco.md.

usage: compare_mujoco_models.py FOLDER [--steps N] [--contacts RULE]     FOLDER: with .xml files, at any depth

Every file is stepped by MuJoCo under random controls, from its first keyframe where it has one; before each step
carom's state is set to MuJoCo's. A step counts as the same where no coordinate differs by more than 1e-9, its contacts
where no point and depth differs by more than 1e-7. Files that carom cannot express are listed with what they lack;
those that MuJoCo cannot compile by themselves are named on standard error.
"""

import argparse
import pathlib
import sys
import warnings

import mujoco
import numpy as np

import carom.f64 as carom

SAME = 1e-9  # [m], [rad]
SAME_CONTACT = 1e-7  # [m]


def lacks(error: Exception) -> str:
    lines = [line.strip().split(":")[0] for line in str(error).splitlines()[1:]]
    return "; ".join(line for line in lines if not line.startswith("what can be left out"))


class Comparison:
    def __init__(self, model: mujoco.MjModel, contacts: str) -> None:
        self.model = model
        model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
        model.opt.tolerance, model.opt.iterations = 1e-18, 200
        model.opt.ls_tolerance, model.opt.ls_iterations = 1e-6, 100
        self.data = mujoco.MjData(model)
        if model.nkey:
            mujoco.mj_resetDataKeyframe(model, self.data, 0)
        scene = carom.ModelBuilder()
        scene.add_world(carom.from_mujoco(model))
        worlds = scene.finalize()
        solver = carom.SolverMuJoCo(worlds, tolerance=1e-18, iterations=200, ls_iterations=100)
        self.simulation = carom.Simulation(worlds, solver, contacts=contacts)

    def step(self, ctrl: np.ndarray) -> tuple[float, bool]:
        """The largest difference of a coordinate, and whether both have the same contacts."""
        model, data, simulation = self.model, self.data, self.simulation
        data.ctrl[:] = ctrl
        simulation.control.ctrl.assign(ctrl)
        simulation.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(model, data.qpos))
        simulation.state.joint_qd.assign(carom.mujoco.qvel_to_joint_qd(model, data.qpos, data.qvel))
        simulation.state.act.assign(carom.mujoco.act_from_mujoco(model, data.act))
        mujoco.mj_step(model, data)
        simulation.step()
        q = carom.mujoco.joint_q_to_qpos(model, np.array(simulation.state.joint_q.numpy()))
        return float(np.abs(q - data.qpos).max(initial=0)), self.same_contacts()

    def same_contacts(self) -> bool:
        """As many, and each of carom's at a point and a depth of MuJoCo's."""
        mine, theirs = self.simulation.contacts, self.data.contact
        count = int(mine.rigid_contact_count[0])
        if count != self.data.ncon:
            return False
        found = np.column_stack([mine.rigid_contact_point.numpy()[:count], -mine.rigid_contact_depth.numpy()[:count]])
        expected = np.column_stack([theirs.pos, theirs.dist])
        apart = np.abs(found[:, None] - expected[None]).max(axis=2)
        return bool((apart.min(axis=1) < SAME_CONTACT).all()) if count else True


def random_ctrl(model: mujoco.MjModel, rng: np.random.Generator) -> np.ndarray:
    lower, upper = model.actuator_ctrlrange.T
    limited = np.array(model.actuator_ctrllimited, bool)
    return rng.uniform(np.where(limited, lower, -1), np.where(limited, upper, 1))


def row(path: pathlib.Path, steps: int, contacts: str) -> str:
    model = mujoco.MjModel.from_xml_path(str(path))
    try:
        comparison = Comparison(model, contacts)
    except carom.Error as error:
        return f"| {model.nv} | no: {lacks(error)} | |"
    rng = np.random.default_rng(0)
    results = []
    for step in range(steps):
        if step % 10 == 0:
            ctrl = random_ctrl(model, rng)
        results.append(comparison.step(ctrl))
    same = [difference < SAME for difference, _ in results]
    worst = max((difference for difference, _ in results), default=0.0)
    if all(same):
        return f"| {model.nv} | yes | {worst:.0e} |"
    other = np.mean([not same_contacts for difference, same_contacts in results if difference >= SAME])
    note = f"{worst:.0e}; {other:.0%} of the others have other contacts"
    return f"| {model.nv} | {np.mean(same):.0%} of the steps | {note} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--contacts", default="carom", help="carom or mujoco")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| file | dofs | the same steps | largest difference |\n|---|--:|---|---|")
    for path in sorted(args.folder.rglob("*.xml")):
        try:
            print(f"| {path.relative_to(args.folder)} {row(path, args.steps, args.contacts)}", flush=True)
        except ValueError as error:  # of MuJoCo's compiler
            print(f"{path}: {str(error).splitlines()[0]}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
