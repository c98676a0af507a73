"""What sensors of a model read, against MuJoCo in double precision: in several worlds, at poses and speeds that are
theirs alone."""

import numpy as np

from mujoco_motion import make_simulation, solve_strictly
from mujoco_states import mujoco

WORLDS = 4
TOLERANCE = 1e-6  # of what is compared, beside its size


def states(model, rng, count, speed=2.0):
    """Poses near qpos0, as MuJoCo moves there, and velocities: (count, nq), (count, nv)."""
    qpos = np.tile(model.qpos0, (count, 1))
    for q in qpos:
        mujoco.mj_integratePos(model, q, rng.uniform(-0.3, 0.3, model.nv), 1)
    return qpos, rng.uniform(-speed, speed, (count, model.nv))


def check_sensors(model, steps=2, seed=0, atol=TOLERANCE, kinds=None, but=()):
    """What the sensors of every world (of these kinds, or of all but some) read with each step is what MuJoCo's read.
    Returns the types compared."""
    model.sensor_noise[:] = 0  # which MuJoCo keeps and never adds
    solve_strictly(model)
    rng = np.random.default_rng(seed)
    qpos, qvel = states(model, rng, WORLDS)
    simulation = make_simulation(model, qvel, qpos, contacts="mujoco")
    # As much as the bodies weigh.
    strength = np.concatenate([np.tile(model.body_mass[1:, None], 3), model.body_inertia[1:]], axis=1)
    push = rng.uniform(-10, 10, (WORLDS, model.nbody - 1, 6)) * strength
    bodies = len(simulation.state.body_f) // WORLDS  # joints of one body may need others between
    applied = np.zeros((WORLDS, bodies, 6))
    applied[:, :model.nbody - 1] = push
    simulation.state.body_f.assign(applied.reshape(-1, 6))
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for world, data in enumerate(datas):
        data.qpos[:], data.qvel[:], data.xfrc_applied[1:] = qpos[world], qvel[world], push[world]
    compared = set()
    for step in range(steps):
        simulation.step()
        for world, data in enumerate(datas):
            mujoco.mj_step(model, data)
            for sensor in range(model.nsensor):
                kind = mujoco.mjtSensor(model.sensor_type[sensor]).name.removeprefix("mjSENS_").lower()
                if (kinds and kind not in kinds) or kind in but:
                    continue
                name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SENSOR, sensor) or f"sensor_{sensor}"
                first, dim = model.sensor_adr[sensor], model.sensor_dim[sensor]
                wanted = data.sensordata[first:first + dim]
                got = simulation.sensor(name, layout="mujoco").numpy()[world]
                np.testing.assert_allclose(got, wanted, rtol=atol, atol=atol * max(1, np.abs(wanted).max()),
                                           err_msg=f"{name} of world {world}, step {step}")
                compared.add(kind)
    return compared


def add_sensor(spec, kind, objtype, objname):
    kind_of = getattr(mujoco.mjtSensor, f"mjSENS_{kind}")
    spec.add_sensor(name=f"{kind} of {objname}", type=kind_of, objtype=objtype, objname=objname)


def add_sensors_everywhere(path, rng):
    """The model of a file with a site and its sensors on every body."""
    spec = mujoco.MjSpec.from_file(str(path))
    for i, body in enumerate(spec.bodies[1:]):
        body.name = body.name or f"body{i}"
        site = body.add_site(name=f"felt{i}", pos=rng.uniform(-0.1, 0.1, 3), quat=rng.normal(size=4),
                             type=mujoco.mjtGeom.mjGEOM_BOX, size=rng.uniform(0.05, 0.2, 3))
        for kind in ("TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE"):
            add_sensor(spec, kind, mujoco.mjtObj.mjOBJ_SITE, site.name)
        for kind in ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM"):
            add_sensor(spec, kind, mujoco.mjtObj.mjOBJ_BODY, body.name)
    return spec.compile()
