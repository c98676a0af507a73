"""What sensors of a model read, against MuJoCo in double precision: in several worlds, at poses and speeds that are
theirs alone."""

import numpy as np

import carom.f64 as carom

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
    """What the sensors of every world (of these kinds, or of all but some) read with each step is what MuJoCo's read,
    where the controls of each world are its own. Returns the types compared."""
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
    ctrl = rng.uniform(*ctrl_range(model), (WORLDS, model.nu))
    simulation.control.ctrl.assign(carom.mujoco.ctrl_from_mujoco(model, ctrl).reshape(-1))
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for world, data in enumerate(datas):
        data.qpos[:], data.qvel[:], data.xfrc_applied[1:] = qpos[world], qvel[world], push[world]
        data.ctrl[:] = ctrl[world]
    compared = {}
    for sensor in range(model.nsensor):
        kind = mujoco.mjtSensor(model.sensor_type[sensor]).name.removeprefix("mjSENS_").lower()
        if (not kinds or kind in kinds) and kind not in but:
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SENSOR, sensor) or f"sensor_{sensor}"
            compared.setdefault(kind, []).append((sensor, name))
    for step in range(steps):
        simulation.step()
        for data in datas:
            mujoco.mj_step(model, data)
        read = np.array([data.sensordata for data in datas])
        for sensor, name in (one for ones in compared.values() for one in ones):
            wanted = read[:, model.sensor_adr[sensor]:][:, :model.sensor_dim[sensor]]
            got = simulation.sensor(name, layout="mujoco").numpy()
            size = np.maximum(1, np.abs(wanted).max(axis=1, keepdims=True))
            np.testing.assert_allclose(got / size, wanted / size, rtol=atol, atol=atol, err_msg=f"{name}, step {step}")
    return set(compared)


def ctrl_range(model):
    """Bounds of the controls, within some numbers where there are none."""
    limited = model.actuator_ctrllimited.astype(bool)[:, None]
    return np.where(limited, model.actuator_ctrlrange, [-1, 1]).T


# -- Sensors of every type, wherever a model has something for them

FRAMES = ("FRAMEPOS", "FRAMEQUAT", "FRAMEXAXIS", "FRAMEYAXIS", "FRAMEZAXIS", "FRAMELINVEL", "FRAMEANGVEL")
ACCELERATIONS = ("FRAMELINACC", "FRAMEANGACC")
OF_SITES = ("TOUCH", "ACCELEROMETER", "VELOCIMETER", "GYRO", "FORCE", "TORQUE", "MAGNETOMETER")
OF_SUBTREES = ("SUBTREECOM", "SUBTREELINVEL", "SUBTREEANGMOM")
OF_ACTUATORS = ("ACTUATORPOS", "ACTUATORVEL", "ACTUATORFRC")
OF_LIMITS = ("JOINTLIMITPOS", "JOINTLIMITVEL", "JOINTLIMITFRC")
OF_TENDON_LIMITS = ("TENDONLIMITPOS", "TENDONLIMITVEL", "TENDONLIMITFRC")
OF_WORLDS = ("E_POTENTIAL", "E_KINETIC", "CLOCK")
ROUND = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE)
PAIRS = 12  # of shapes, in each model
MOST = 60  # bodies, tendons and actuators: some models repeat them by the hundreds


class Everywhere:
    """The model of a file with sensors of every type: on every body a site, and those that look at it; frames against
    frames of other bodies, of every kind in turn; joints, tendons, actuators and their limits; rays and distances."""

    def __init__(self, path, rng):
        self.spec, self.rng = mujoco.MjSpec.from_file(str(path)), rng
        self.bodies = some(self.spec.bodies[1:])
        for kind in ("bodies", "joints", "geoms", "tendons", "actuators", "cameras"):
            for i, one in enumerate(getattr(self.spec, kind)):
                one.name = one.name or f"unnamed {kind} {i}"
        for i, body in enumerate(self.bodies):
            body.add_site(name=f"felt{i}", pos=rng.uniform(-0.1, 0.1, 3), quat=rng.normal(size=4),
                          type=mujoco.mjtGeom.mjGEOM_BOX, size=rng.uniform(0.05, 0.2, 3))
            if i % 3 == 0:
                body.add_camera(name=f"seen{i}", quat=rng.normal(size=4), resolution=(640, 480), fovy=50)
        self.spec.option.magnetic = rng.uniform(-1, 1, 3)
        # Rays of MuJoCo end where a plane is drawn no more, and pass what is not seen; carom's meet all of it.
        for geom in self.spec.geoms:
            geom.rgba[3] = 1
            if geom.type == mujoco.mjtGeom.mjGEOM_PLANE:
                geom.size[:2] = 0
        self.add_to_bodies()
        self.add_to_joints()
        self.add_to_tendons_and_actuators()
        self.add_to_pairs()
        for kind in OF_WORLDS:
            self.add(kind)
        self.add("SUBTREECOM", "body", "world")

    def add(self, kind, thing=None, name="", reference=None, reference_name="", **others):
        def kind_of(word):
            return getattr(mujoco.mjtObj, f"mjOBJ_{word.upper()}" if word else "mjOBJ_UNKNOWN")

        self.spec.add_sensor(name=f"{kind} {len(self.spec.sensors)} of {name}",
                             type=getattr(mujoco.mjtSensor, f"mjSENS_{kind}"), objtype=kind_of(thing), objname=name,
                             reftype=kind_of(reference), refname=reference_name, **others)

    def frame(self, i):
        """Of a body, of one kind after the other: that of its mass, of its joint, of a shape, of its site, a camera."""
        body = self.bodies[i]
        frames = [("body", body.name), ("xbody", body.name), ("site", f"felt{i}")]
        frames += [("geom", body.geoms[0].name)] if body.geoms else []
        frames += [("camera", f"seen{i}")] if i % 3 == 0 else []
        return frames[self.rng.integers(len(frames))]

    def add_to_bodies(self):
        for i, body in enumerate(self.bodies):
            for kind in OF_SITES:
                self.add(kind, "site", f"felt{i}")
            for kind in OF_SUBTREES:
                self.add(kind, "body", body.name)
            other = self.rng.integers(len(self.bodies))
            for k in range(2):
                self.add(FRAMES[(2 * i + k) % len(FRAMES)], *self.frame(i))
                self.add(FRAMES[(2 * i + k) % len(FRAMES)], *self.frame(i), *self.frame(other))
            self.add(ACCELERATIONS[i % 2], *self.frame(i))
            self.add("RANGEFINDER", "site", f"felt{i}", intprm=[1, 0, 0])
            self.add("INSIDESITE", *self.frame(other), "site", f"felt{i}")
            self.add("CAMPROJECTION", "site", f"felt{i}", "camera", f"seen{other - other % 3}")

    def add_to_joints(self):
        for joint in (joint for body in self.bodies for joint in body.joints):
            if joint.type == mujoco.mjtJoint.mjJNT_FREE:
                continue
            turns = joint.type == mujoco.mjtJoint.mjJNT_BALL
            for kind in ("BALLQUAT", "BALLANGVEL") if turns else ("JOINTPOS", "JOINTVEL", "JOINTACTFRC"):
                self.add(kind, "joint", joint.name)
            for kind in OF_LIMITS if is_limited(joint) else ():
                self.add(kind, "joint", joint.name)

    def add_to_tendons_and_actuators(self):
        for tendon in some(self.spec.tendons):
            for kind in ("TENDONPOS", "TENDONVEL", "TENDONACTFRC"):
                self.add(kind, "tendon", tendon.name)
            for kind in OF_TENDON_LIMITS if is_limited(tendon) else ():
                self.add(kind, "tendon", tendon.name)
        for actuator in some(self.spec.actuators):
            for kind in OF_ACTUATORS:
                self.add(kind, "actuator", actuator.name)

    def add_to_pairs(self):
        """Of shapes that are apart at first: shapes of neighbours may have one point in the middle of both, from which
        no direction leads to the other. Without meshes: those that touch nothing are surfaces in carom, and of a hull
        of 34,248 triangles in a gripper the two distances differ by 3e-5 m of 0.045 m."""
        model = self.spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        geoms = [geom for body in self.bodies for geom in body.geoms if geom.type != mesh]
        rounds = [geom for geom in geoms if geom.type in ROUND]
        for chosen, kinds in ((geoms, ["GEOMDIST"]), (rounds, ["GEOMDIST", "GEOMNORMAL", "GEOMFROMTO"])):
            for _ in range(PAIRS if len(chosen) > 1 else 0):
                a, b = (chosen[k].name for k in self.rng.choice(len(chosen), 2, replace=False))
                if mujoco.mj_geomDistance(model, data, model.geom(a).id, model.geom(b).id, 1, None) < 0.02:
                    continue
                for kind in kinds:
                    self.add(kind, "geom", a, "geom", b, cutoff=1)


def some(things):
    """At most so many of them, from all over the list."""
    return things[::max(1, -(-len(things) // MOST))]


def is_limited(thing):
    """Of a joint or tendon: as the compiler decides it."""
    automatic = thing.limited == mujoco.mjtLimited.mjLIMITED_AUTO and thing.range[0] < thing.range[1]
    return automatic or thing.limited == mujoco.mjtLimited.mjLIMITED_TRUE


def add_sensors_everywhere(path, rng):
    return Everywhere(path, rng).spec.compile()
