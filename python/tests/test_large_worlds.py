"""Worlds with hundreds of bodies against MuJoCo: files of many robots and objects, and bodies in a bin."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_states import compile_xml, find_model, mujoco
from test_mujoco_parity import make_solver, same_sign, solve_to_the_end

FILES = ["mujoco/22_humanoids.xml", "mujoco/humanoid100.xml", "mujoco/100_humanoids.xml"]


def compare_motion(model, steps, tolerance, lower=0.0):
    """Both from the initial pose, with free bodies lower by so much. Returns the most contacts of a step."""
    solve_to_the_end(model)
    data = mujoco.MjData(model)
    data.qpos[model.jnt_qposadr[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE] + 2] -= lower
    worlds = carom.from_mujoco(model).finalize()
    sim = carom.Simulation(worlds, solver=make_solver(worlds), dt=model.opt.timestep)
    sim.state.joint_q.numpy()[:] = carom.mujoco.qpos_to_joint_q(model, data.qpos)
    contacts = 0
    for step in range(steps):
        mujoco.mj_step(model, data)
        contacts = max(contacts, data.ncon)
        status = np.asarray(sim.step(1))
        assert not status.any(), f"step {step}: status {status}"
        qpos = same_sign(model, carom.mujoco.joint_q_to_qpos(model, sim.state.joint_q.numpy()), data.qpos)
        worst = np.abs(qpos - data.qpos).max()
        assert worst <= tolerance, f"step {step + 1} of {steps}: {worst:.1e} exceeds {tolerance:.0e}"
    return contacts


@pytest.mark.parametrize("name", FILES)
def test_files(name):
    """Feet stand on the ground at a distance of 0, where rounding decides whether they touch: all start 1 mm lower."""
    model = mujoco.MjModel.from_xml_path(str(find_model(name)))
    assert model.nv > 500
    assert compare_motion(model, steps=20, tolerance=1e-5, lower=1e-3) > 0


def bin_of_spheres(count):
    rng = np.random.default_rng(3)
    place = lambda i: 0.105 * np.array([i % 5 - 2, i // 5 % 5 - 2, i // 25 + 0.5]) + rng.uniform(-0.002, 0.002, 3)
    bodies = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom size=".05" density="1000"/></body>'
                     for x, y, z in map(place, range(count)))
    walls = "".join(f'<geom type="plane" size="0 0 1" pos="{x} {y} 0" zaxis="{-x} {-y} 0"/>'
                    for x, y in ((0.3, 0), (-0.3, 0), (0, 0.3), (0, -0.3)))
    return compile_xml('<geom type="plane" size="0 0 1"/>' + walls + bodies, option='timestep=".002"')


def test_pile():
    """Spheres fall on each other and become one island, too large to be factored as a whole."""
    assert compare_motion(bin_of_spheres(100), steps=120, tolerance=1e-7) > 120


CAPSULE = '<geom type="capsule" fromto="0 0 0 .1 0 0" size=".02" density="1000"/>'


def nested(links, link, root=""):
    """Bodies inside each other, `.1` apart along x; link(i): the attributes and what body i has."""
    opened = "".join(f'<body pos="{".1" if i else "0"} 0 0" {link(i)[0]}>{link(i)[1]}{CAPSULE}' for i in range(links))
    return f"{root}{opened}{'</body>' * links}"


def rope_under_a_log():
    """121 links, 372 degrees of freedom: coils that lie on the ground and on each other, and a log on the highest."""
    turn = 'quat="0.966390 0.007967 0 0.256969"'
    rope = nested(121, lambda i: (turn, '<joint type="ball"/>') if i else ("", "<freejoint/>"))
    alone = compile_xml(rope)
    data = mujoco.MjData(alone)
    mujoco.mj_kinematics(alone, data)
    x, y, z = *data.geom_xpos[:, :2].mean(axis=0), data.geom_xpos[:, 2].max() + 0.02 + 0.03 - 1e-3
    log = f'<body pos="{x} {y} {z}" euler="90 0 0"><freejoint/><geom type="capsule" size=".03 .25" density="500"/></body>'
    return compile_xml(f'<geom type="plane" size="0 0 1" pos="0 0 -.0195"/>{rope}{log}', option='timestep=".002"')


def chain_of_hinges():
    """300 hinges in two directions, some beyond their limits, that hang into the ground."""
    def link(i):
        ref = i * 7 % 11 - 5
        axis, turn = ("0 1 0", f"0 {ref} 0") if i % 2 else ("0 0 1", f"0 0 {ref}")
        return f'euler="{turn}"', f'<joint axis="{axis}" ref="{ref}" range="-4 {4.5 + i % 3}" armature=".001" damping=".01"/>'
    return compile_xml('<geom type="plane" size="0 0 1" pos="0 0 -.3"/>' + nested(300, link), option='timestep=".002"')


@pytest.mark.parametrize("model", [rope_under_a_log, chain_of_hinges])
def test_one_large_tree(model):
    """A tree of more than 192 degrees of freedom that touches itself, the ground and another body; limits."""
    model = model()
    assert model.nv >= 300
    assert compare_motion(model, steps=20, tolerance=1e-8) > 50


def test_accelerations_of_a_large_tree():
    """Of one state in motion, with contacts and limits, and the rows that made them."""
    model = chain_of_hinges()
    solve_to_the_end(model)
    data = mujoco.MjData(model)
    data.qvel[:] = np.random.default_rng(5).uniform(-1, 1, model.nv)
    for _ in range(10):
        mujoco.mj_step(model, data)
    worlds = carom.from_mujoco(model).finalize()
    state = worlds.state()
    state.joint_q.numpy()[:] = carom.mujoco.qpos_to_joint_q(model, data.qpos)
    state.joint_qd.numpy()[:] = data.qvel
    mujoco.mj_forward(model, data)
    forward = make_solver(worlds).forward(state, worlds.control(), worlds.collide(state), model.opt.timestep)
    worst = np.abs(forward.qacc.numpy() - data.qacc).max()
    assert worst <= 1e-7 * np.abs(data.qacc).max()
    limits = forward.rows.source.numpy()[forward.rows.kind.numpy() == forward.rows.kind.numpy().min()]
    assert set(limits) == set(data.efc_id[data.efc_type == mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT])


def test_reports_of_a_large_world():
    worlds = carom.from_mujoco(bin_of_spheres(100)).finalize()
    sim = carom.Simulation(worlds, dt=0.002)
    sim.step(120)
    reports = sim.solver.reports()
    assert reports.contacts[0] == sim.contacts.rigid_contact_count[0] > 120
    assert reports.rows[0] > 400 and reports.iterations[0] >= 1
