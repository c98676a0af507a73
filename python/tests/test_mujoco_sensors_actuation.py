"""Sensors of actuators, tendons, limits, rays and distances, and what delays, intervals and cutoffs make of them,
against MuJoCo in double precision; in several worlds, at poses, speeds and controls that are theirs alone."""

import numpy as np
import pytest

import carom.f64 as carom

from mujoco_motion import INTEGRATORS, make_simulation, solve_strictly
from mujoco_states import compile_xml, find_model, mujoco

WORLDS = 5
TOLERANCE = 1e-6  # of what is compared, beside its size


def states(model, rng, spread, speed):
    """Poses near qpos0, as MuJoCo moves there, and velocities, of every world."""
    qpos = np.tile(model.qpos0, (WORLDS, 1))
    for q in qpos:
        mujoco.mj_integratePos(model, q, rng.uniform(-spread, spread, model.nv), 1)
    return qpos, rng.uniform(-speed, speed, (WORLDS, model.nv))


def check_sensors(model, steps=4, seed=0, spread=0.3, speed=2.0, ctrl_size=1.5, atol=TOLERANCE, kinds=None):
    """What the sensors of every world (of these kinds, or all) read with each step is what MuJoCo's read. Returns the
    numbers, (steps, worlds, nsensordata)."""
    solve_strictly(model)
    rng = np.random.default_rng(seed)
    qpos, qvel = states(model, rng, spread, speed)
    simulation = make_simulation(model, qvel)
    simulation.state.joint_q.assign(carom.mujoco.qpos_to_joint_q(model, qpos).reshape(-1))
    simulation.state.joint_qd.assign(carom.mujoco.qvel_to_joint_qd(model, qpos, qvel).reshape(-1))
    datas = [mujoco.MjData(model) for _ in range(WORLDS)]
    for data, q, v in zip(datas, qpos, qvel):
        data.qpos[:], data.qvel[:] = q, v
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_SENSOR, s) for s in range(model.nsensor)]
    read = []
    for step in range(steps):
        ctrl = rng.uniform(-ctrl_size, ctrl_size, (WORLDS, model.nu))
        simulation.control.ctrl.assign(carom.mujoco.ctrl_from_mujoco(model, ctrl).reshape(-1))
        simulation.step()
        for data, row in zip(datas, ctrl):
            data.ctrl[:] = row
            mujoco.mj_step(model, data)
        wanted = np.array([data.sensordata for data in datas])
        for sensor, name in enumerate(names):
            if kinds and mujoco.mjtSensor(model.sensor_type[sensor]) not in kinds:
                continue
            part = wanted[:, model.sensor_adr[sensor]:][:, :model.sensor_dim[sensor]]
            np.testing.assert_allclose(simulation.sensor(name).numpy(), part, rtol=atol,
                                       atol=atol * max(1, np.abs(part).max()), err_msg=f"{name}, step {step}")
        read.append(wanted)
    assert not any(warning.number for data in datas for warning in data.warning)
    return np.array(read)


def sensors(**lists):
    """Elements with names; of a list of lines the attributes of one each."""
    return "".join(f'<{kind} name="{kind}{i}" {line}/>' for kind, lines in lists.items()
                   for i, line in enumerate(lines))


# -- Actuators, tendons and limits

BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .05 -.1" euler="10 20 30" mass="2" contype="0" conaffinity="0"/>'
BODIES = f"""<site name="fixed" pos="0 .4 .8"/><body name="root" gravcomp=".7"><joint name="a" axis="0 1 0" damping=".5"
    range="-10 12" limited="true" margin=".05" actuatorfrcrange="-4 4" actuatorgravcomp="true"/>{BOX}
  <site name="s1" pos=".1 .1 .2"/><geom name="wrap" size=".08" pos=".2 .1 .1" contype="0" conaffinity="0" mass="0.1"/>
  <body pos=".3 0 .1"><joint name="b" type="slide" axis="1 0 .3" damping=".5" range="-.1 .05" limited="true"
      margin=".2"/>{BOX}<site name="s2" pos=".2 0 .3" euler="20 0 40"/></body>
  <body pos="-.3 0 .1"><joint name="ball" type="ball" damping=".2" range="0 20" limited="true" margin=".1"/>{BOX}
    <site name="s3" pos="-.1 .1 .1" euler="10 50 0"/>
    <body pos="0 0 .4"><joint name="c" axis="1 1 0"/>{BOX}<site name="crank" pos="0 .1 0"/></body></body></body>"""
TENDONS = """<fixed name="t" range="-.1 .15" limited="true" margin=".1" actuatorfrcrange="-3 3">
    <joint joint="a" coef="1.5"/><joint joint="b" coef="-2"/></fixed>
  <fixed name="loose"><joint joint="c" coef="-.7"/><joint joint="a" coef=".2"/></fixed>
  <spatial name="long" range=".3 1.1" limited="true"><site site="fixed"/><geom geom="wrap"/><site site="s2"/>
    <pulley divisor="2"/><site site="s2"/><site site="s3"/></spatial>"""
ACTUATORS = """<motor name="motor" joint="a" gear="3" forcerange="-.5 .7"/>
  <position name="servo" joint="a" kp="5" kv=".3"/>
  <velocity name="drive" joint="b" kv="2" gear="-1.5"/><motor name="winch" tendon="t" gear="2"/>
  <position name="pull" tendon="t" kp="9" gear="-3"/><motor name="rope" tendon="long" gear="4" ctrlrange="-1 1"/>
  <muscle name="muscle" tendon="long" force="9" lengthrange=".3 1.2"/>
  <general name="filter" joint="c" dyntype="filter" dynprm=".05" gainprm="4" biastype="affine" biasprm=".2 -1 -.3"/>
  <pid name="pid" joint="b" kp="9" kv="2" ki="3" input="pos vel ff"/>
  <dcmotor name="dc" joint="c" motorconst="0.1" resistance="2" cogging="0.3 6 .2"/>
  <motor name="turn" joint="ball" gear="1 2 3"/><orientation name="orient" joint="ball" kp="3" kv=".4"/>
  <motor name="push" site="s2" gear="1 0 2 0 3 0"/>
  <position name="place" site="s3" refsite="s2" gear="0 1 0 1 0 0" kp="2"/>
  <motor name="slider" cranksite="crank" slidersite="s2" cranklength=".9"/>"""
NAMES = ("motor servo drive winch pull rope muscle filter pid dc turn orient push place slider").split()


def actuation_sensors():
    of_actuators = [f'actuator="{name}"' for name in NAMES]
    of_tendons = [f'tendon="{name}"' for name in ("t", "loose", "long")]
    limited = [of_tendons[0], of_tendons[2]]
    joints = [f'joint="{name}"' for name in "abc"]
    return sensors(actuatorpos=of_actuators, actuatorvel=of_actuators, actuatorfrc=of_actuators,
                   jointactuatorfrc=joints, tendonactuatorfrc=of_tendons, tendonpos=of_tendons, tendonvel=of_tendons,
                   tendonlimitpos=limited, tendonlimitvel=limited, tendonlimitfrc=limited,
                   jointlimitfrc=joints[:2] + ['joint="ball"'])


def of_kind(model, read, kind):
    """Numbers of all sensors of a kind."""
    chosen = [range(model.sensor_adr[s], model.sensor_adr[s] + model.sensor_dim[s]) for s in range(model.nsensor)
              if model.sensor_type[s] == getattr(mujoco.mjtSensor, f"mjSENS_{kind}")]
    return read[..., np.concatenate(chosen)]


@pytest.mark.parametrize("options", INTEGRATORS)
@pytest.mark.parametrize("seed", range(4))
def test_actuators_tendons_and_limits(options, seed):
    model = compile_xml(BODIES, option=f'timestep="0.004" {INTEGRATORS[options]}', tendon=TENDONS, actuator=ACTUATORS,
                        sensor=actuation_sensors())
    read = check_sensors(model, seed=seed)
    for kind in ("JOINTLIMITFRC", "TENDONLIMITFRC", "TENDONLIMITPOS"):  # both act and do not
        numbers = of_kind(model, read, kind)
        assert (numbers != 0).any() and (numbers == 0).any()
    assert (of_kind(model, read, "ACTUATORFRC") != 0).all(axis=(0, 1)).sum() > len(NAMES)


def test_large_worlds_are_taken_apart():
    """More degrees of freedom than one part has: sensors of some of many trees."""
    trees = "".join(f'<body pos="{i} 0 0"><joint name="j{i}" axis="0 1 0" range="-10 10" limited="true"/>{BOX}</body>'
                    for i in range(200))
    some = range(0, 200, 7)
    model = compile_xml(
        trees, tendon="".join(f'<fixed name="t{i}"><joint joint="j{i}" coef="2"/></fixed>' for i in range(200)),
        actuator="".join(f'<motor name="m{i}" joint="j{i}" gear="{1 + i}"/>' for i in range(200)),
        sensor=sensors(actuatorfrc=[f'actuator="m{i}"' for i in some], jointlimitfrc=[f'joint="j{i}"' for i in some],
                       tendonvel=[f'tendon="t{i}"' for i in some], jointactuatorfrc=[f'joint="j{i}"' for i in some]))
    check_sensors(model, steps=2)


def test_sensors_of_adhesion():
    body = '<geom type="plane" size="1 1 1"/><body name="b" pos="0 0 .1"><freejoint/><geom size=".1"/></body>'
    model = compile_xml(body, actuator='<adhesion name="stick" body="b" ctrlrange="0 1" gain="5"/>',
                        sensor=sensors(actuatorfrc=['actuator="stick"'], actuatorpos=['actuator="stick"']))
    check_sensors(model, spread=0, speed=0)


def test_models_of_others():
    model = mujoco.MjModel.from_xml_path(str(find_model("menagerie/agility_cassie/cassie.xml")))
    check_sensors(model, spread=0.05, kinds=[mujoco.mjtSensor.mjSENS_ACTUATORPOS])


# -- Rays and distances

GEOMS = ['type="sphere" size=".2"', 'type="capsule" size=".1 .2"', 'type="ellipsoid" size=".1 .2 .3"',
         'type="box" size=".1 .2 .3"', 'type="cylinder" size=".15 .2"']


def numbers(values):
    return " ".join(f"{value:.17g}" for value in np.ravel(values))


def scattered_bodies(rng, count, reach):
    text = '<geom name="ground" type="plane" size="0 0 1" pos="0 0 -1"/><geom name="post" type="box" size=".1 .1 2"/>'
    for i in range(count):
        pose = f'pos="{numbers(rng.uniform(-reach, reach, 3))}" euler="{numbers(rng.uniform(-180, 180, 3))}"'
        text += (f'<body name="b{i}" {pose}><freejoint/><geom name="g{i}" {GEOMS[i % len(GEOMS)]}/>'
                 f'<geom name="h{i}" size=".05" pos="{numbers(rng.uniform(-0.4, 0.4, 3))}"/>'
                 f'<site name="s{i}" euler="{numbers(rng.uniform(-180, 180, 3))}" pos=".02 .01 0"/>'
                 f'<camera name="c{i}" euler="{numbers(rng.uniform(-180, 180, 3))}" fovy="{rng.uniform(30, 90)}" '
                 f'resolution="{rng.integers(1, 5)} {rng.integers(1, 5)}"/></body>')
    return text


@pytest.mark.parametrize("seed", range(6))
def test_rays(seed):
    rng = np.random.default_rng(seed)
    fields = "dist dir origin point normal depth"
    some = " ".join(word for word in fields.split() if rng.random() < 0.5) or "depth"
    lines = [f'site="s{i}" data="{fields}"' for i in range(6)] + [f'camera="c{i}" data="{some}"' for i in range(6)]
    lines += [f'site="s{i}" cutoff=".7"' for i in range(3)] + ['site="still"', 'camera="fixed" data="dist depth"']
    world = ('<site name="still" pos=".5 .5 3" euler="170 10 0"/><camera name="fixed" pos="1 0 1" euler="40 10 0" '
             'resolution="5 4" sensorsize=".03 .02" focal=".02 .025" principal=".001 .002"/>')
    model = compile_xml(world + scattered_bodies(rng, 6, 1.2), flags='contact="disable"',
                        sensor=sensors(rangefinder=lines))
    read = check_sensors(model, steps=2, seed=seed)
    assert (read == -1).any()


@pytest.mark.parametrize("seed", range(6))
def test_distances(seed):
    rng = np.random.default_rng(seed)
    pairs = []
    for i in range(6):
        cutoff = rng.choice([0, 0.3, 5])
        pairs += [f'geom1="g{i}" geom2="g{(i + 1) % 6}" cutoff="{cutoff}"',
                  f'body1="b{i}" geom2="h{(i + 2) % 6}" cutoff="5"',
                  f'body1="b{i}" body2="b{(i + 3) % 6}" cutoff="5"', f'geom1="h{i}" geom2="ground" cutoff="5"']
    model = compile_xml(scattered_bodies(rng, 6, 0.7), flags='contact="disable"', sensor=sensors(distance=pairs))
    read = check_sensors(model, steps=2, seed=seed, atol=1e-5)  # MuJoCo's distances are within its ccd_tolerance
    assert (read < 0).any()


@pytest.mark.parametrize("seed", range(4))
def test_normals_and_points_of_round_shapes(seed):
    """Where one pair of points is nearest: of spheres and capsules."""
    rng = np.random.default_rng(seed)
    text = '<geom name="ground" type="plane" size="0 0 1" pos="0 0 -1"/>'
    for i in range(6):
        pose = f'pos="{numbers(rng.uniform(-0.5, 0.5, 3))}" euler="{numbers(rng.uniform(-180, 180, 3))}"'
        text += (f'<body name="b{i}" {pose}><freejoint/>'
                 f'<geom name="g{i}" {GEOMS[i % 2]}/></body>')
    pairs = [f'geom1="g{i}" geom2="g{(i + 1) % 6}" cutoff="{cutoff}"' for i in range(6) for cutoff in (0.1, 5)]
    pairs += ['geom1="ground" geom2="g0" cutoff="5"', 'geom1="g2" geom2="ground" cutoff="5"']
    model = compile_xml(text, flags='contact="disable"', sensor=sensors(distance=pairs, normal=pairs, fromto=pairs))
    check_sensors(model, steps=2, seed=seed)


# -- Delay, interval, cutoff

DT = 0.004
HISTORIES = {
    "history alone": 'nsample="3"',
    "whole steps": f'nsample="5" delay="{3 * DT}"',
    "between steps": f'nsample="5" delay="{2.37 * DT}"',
    "longer than what is kept": f'nsample="4" delay="{7.5 * DT}"',
    "less than a step": f'nsample="2" delay="{0.4 * DT}"',
    "interval": f'nsample="2" interval="{2.3 * DT}"',
    "interval with a phase": f'nsample="3" interval="{4.6 * DT} {-1.7 * DT}"',
    "interval below a step": f'nsample="3" interval="{0.7 * DT}"',
    "interval and delay": f'nsample="6" interval="{2.3 * DT}" delay="{5.1 * DT}"',
    "interval, phase and delay": f'nsample="6" interval="{3.4 * DT} {-0.9 * DT}" delay="{4.45 * DT}"',
}


@pytest.mark.parametrize("interpolation", ["zoh", "linear", "cubic"])
@pytest.mark.parametrize("history", HISTORIES)
def test_histories(history, interpolation):
    attributes = f'{HISTORIES[history]} interp="{interpolation}"'
    model = compile_xml(BODIES, option=f'timestep="{DT}"', tendon=TENDONS, actuator=ACTUATORS, sensor=sensors(
        actuatorfrc=[f'actuator="orient" {attributes}', f'actuator="servo" {attributes}'],
        tendonvel=[f'tendon="loose" {attributes}', f'tendon="t" cutoff=".5" {attributes}'],
        tendonpos=[f'tendon="long" {attributes}']))
    check_sensors(model, steps=40)


def test_cutoffs():
    model = compile_xml(BODIES, option=f'timestep="{DT}"', tendon=TENDONS, actuator=ACTUATORS, sensor=sensors(
        actuatorvel=[f'actuator="{name}" cutoff=".2"' for name in NAMES],
        jointlimitfrc=['joint="a" cutoff="3"'], rangefinder=['site="s1" cutoff=".5"']))
    read = check_sensors(model)
    assert (np.abs(read) <= 3).all() and (np.abs(read) == 0.2).any()
