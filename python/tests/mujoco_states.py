"""For the tests against MuJoCo: the models, and physical states of them to start from.

Models are looked for in the folder that CAROM_MODELS names, in shared/models of the repository, and in shared/models
beside it. They are data of other projects and no part of this one; without them the tests skip and say so.
"""

import os
import pathlib
from typing import NamedTuple

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco", minversion="4.0", reason="tests against MuJoCo need the package mujoco 4.0")

HUMANOID = "mujoco/humanoid.xml"

# What stands between each model of Gymnasium and carom: words of the error's lines.
GYMNASIUM = {
    "gymnasium/ant.xml": [],
    "gymnasium/half_cheetah.xml": [],
    "gymnasium/hopper.xml": [],
    "gymnasium/humanoid.xml": [],
    "gymnasium/humanoidstandup.xml": [],
    "gymnasium/inverted_double_pendulum.xml": [],
    "gymnasium/inverted_pendulum.xml": [],
    "gymnasium/point.xml": [],
    "gymnasium/pusher.xml": [],
    "gymnasium/pusher_v5.xml": [],
    "gymnasium/reacher.xml": [],
    "gymnasium/swimmer.xml": [],
    "gymnasium/walker2d.xml": [],
    "gymnasium/walker2d_v5.xml": [],
}

# All that can be imported.
MODELS = [HUMANOID] + [name for name, problems in GYMNASIUM.items() if not problems]


def find_model(name: str) -> pathlib.Path:
    """The file of a model; skips the test when it is not there."""
    root = pathlib.Path(__file__).resolve().parents[2]
    folders = [root / "shared" / "models", root.parent / "shared" / "models"]
    if "CAROM_MODELS" in os.environ:
        folders.insert(0, pathlib.Path(os.environ["CAROM_MODELS"]))
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    pytest.skip(f"the model {name} is in none of {', '.join(map(str, folders))}; set CAROM_MODELS")


GEOM = '<geom size=".1" mass="1"/>'


def compile_xml(body: str, option: str = "", flags: str = "", **sections: str) -> "mujoco.MjModel":
    """A model with these bodies; attributes of its option and flag elements; other sections by their names."""
    others = "".join(f"<{name}>{text}</{name}>" for name, text in sections.items())
    options = f"<option {option}><flag {flags}/></option>"
    return mujoco.MjModel.from_xml_string(f"<mujoco>{options}<worldbody>{body}</worldbody>{others}</mujoco>")


# What the files above leave out, one subject each.
FLOOR = '<geom name="floor" type="plane" size="5 5 .1"/>'
SMALL = {
    "springs and servos": f"""
        <worldbody>{FLOOR}
          <body pos="0 0 .6"><freejoint/><geom type="capsule" size=".1 .2" mass="2" pos=".05 0 .1"/>
            <body pos=".2 0 0" euler="10 20 30">
              <joint name="x" type="slide" axis="1 0 0" range="-.1 .2" ref=".05" stiffness="50" springref=".1"
                damping="1"/>
              <joint name="y" axis="0 1 0" pos="0 0 .1" range="-60 90" ref="20" stiffness="3" springref="-30"
                armature=".1"/>
              <geom type="capsule" size=".05 .1" mass="1"/>
              <body pos="0 .3 0"><joint name="u" axis="1 0 0" pos="0 -.1 0" damping=".3" range="-50 50" margin=".1"
                  solreflimit=".03 .7" solimplimit=".8 .99 .02 .3 3"/>
                <joint name="v" axis="0 1 1" range="-30 60" solreflimit="-300 -20"/>
                <geom size=".1" mass=".5"/></body></body></body></worldbody>
        <tendon><fixed name="t" range="-.3 .3" margin=".02" stiffness="20" damping="2" springlength="-.05 .1">
          <joint joint="x" coef="2"/><joint joint="y" coef="-.3"/><joint joint="u" coef=".5"/></fixed></tendon>
        <actuator><position name="servo" joint="y" kp="20" kv="2" forcerange="-3 3" ctrlrange="-1 1"/>
          <velocity name="drive" joint="u" kv=".1" gear="2"/>
          <general name="spring" joint="v" gainprm=".5" biastype="affine" biasprm=".2 -1 -.02" gear="-1.5"/>
          <motor name="push" joint="x" gear="30" ctrlrange="-.5 .5"/></actuator>""",
    "ball joints": f"""
        <worldbody>{FLOOR}
          <body pos="0 0 1" euler="10 20 30"><freejoint/>
            <geom type="capsule" size=".1 .2" mass="2" pos=".1 .2 0" euler="30 0 50"/>
            <body pos="0 0 .4" euler="0 40 0"><joint type="ball" pos="0 .05 -.1" damping=".2" armature=".02"/>
              <geom type="capsule" size=".06 .15" mass="1"/>
              <body pos="0 0 .3"><joint type="ball"/><geom size=".08" mass=".5" pos=".02 0 .1"/>
                <body pos=".2 0 0"><geom size=".05" mass=".2"/></body></body></body></body>
          <body pos="1 0 1"><joint type="slide" axis="0 0 1" damping="3"/><joint type="ball" pos="0 .1 0"/>
            <geom type="capsule" size=".05 .3" mass="1"/></body></worldbody>""",
    "materials": f"""
        <worldbody><geom name="floor" type="plane" size="5 5 .1" friction=".7" solref=".03 .8" solmix="2" margin=".01"/>
          <body pos="0 0 .11"><freejoint/><geom size=".1" condim="1" mass="1" gap=".03"/>
            <body pos=".3 0 0"><joint axis="0 1 0" range="-50 50"/><geom type="capsule" size=".05 .1" mass=".5"
              friction=".2" priority="1" solref="-2000 -50" solimp=".7 .9 .003 .6 1"/>
              <geom size=".04" pos="0 .2 0" mass=".1" friction="1.5" solimp="0 .95 .01"/></body></body>
          <body pos="0 .2 .3"><freejoint/><geom type="capsule" size=".08 .1" mass="2" margin=".02" gap=".01"
            solref=".01 1.5" friction=".01"/></body></worldbody>""",
    "turning friction": f"""
        <worldbody>{FLOOR}
          <body pos="0 0 .11"><freejoint/><geom size=".1" condim="4" mass="1" friction=".8 .03 .01"/>
            <body pos=".3 0 0"><joint axis="0 1 0" range="-50 50"/><geom type="capsule" size=".05 .1" mass=".5"
              condim="6" friction=".6 .02 .005"/>
              <geom size=".04" pos="0 .2 0" mass=".1" condim="1"/></body></body>
          <body pos="0 .2 .3"><freejoint/><geom type="capsule" size=".08 .1" mass="2" condim="6"
            friction="1 .001 .03"/></body>
          <body pos=".2 .2 .5"><freejoint/><geom size=".07" mass=".5" condim="3" friction=".5 .1 .1"/></body>
        </worldbody>""",
    "frictionloss": f"""
        <worldbody>{FLOOR}
          <body pos="0 0 .3"><freejoint/><geom size=".1" mass="2"/>
            <body pos=".2 0 0"><joint name="a" axis="0 1 0" frictionloss=".4" damping=".1" range="-60 60"/>
              <geom type="capsule" size=".05 .1" mass="1"/>
              <body pos=".1 0 0"><joint name="b" type="slide" axis="1 0 0" frictionloss="2" range="-.1 .1"/>
                <geom size=".06" mass=".5"/></body></body></body></worldbody>
        <actuator><motor joint="a"/><motor joint="b" gear="5"/></actuator>""",
    "equalities": f"""
        <worldbody>{FLOOR}
          <body pos="0 0 .5"><freejoint/><geom size=".1" mass="2"/>
            <body name="left" pos=".2 0 0" gravcomp=".6">
              <joint name="a" axis="0 1 0" range="-60 60" ref="10" damping=".3"/>
              <geom type="capsule" size=".05 .1" mass="1"/>
              <body pos=".1 0 .2"><joint name="b" type="slide" axis="1 0 0" range="-.1 .1" ref=".02"/>
                <geom size=".06" mass=".5"/></body></body>
            <body name="right" pos="-.2 0 0"><joint name="c" axis="0 1 0" range="-60 60" damping=".3"/>
              <geom type="capsule" size=".05 .1" mass="1"/>
              <body name="tip" pos="-.1 0 .2"><joint name="d" axis="1 0 0" damping=".3"/>
                <geom size=".06" mass=".5"/></body></body>
          </body></worldbody>
        <tendon><fixed name="s" frictionloss=".1"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed>
          <fixed name="t"><joint joint="c" coef=".5"/><joint joint="d" coef="-1"/></fixed></tendon>
        <equality><joint joint1="c" joint2="a" polycoef=".1 -.7 .2 .1 .05" solref=".03 .9"/>
          <tendon tendon1="t" tendon2="s" polycoef="0 .5 -.1 0 0" solimp=".8 .95 .01"/>
          <connect body1="tip" body2="left" anchor=".1 0 0" solref=".1 1"/>
          <weld body1="tip" torquescale=".3" active="false"/></equality>
        <actuator><position tendon="s" kp="20" kv="2"/><motor tendon="t" gear="3"/></actuator>""",
}


def load_model(name: str) -> "mujoco.MjModel":
    """A model of SMALL, or one as its file has it; "..., elliptic": with elliptic cones and an impratio of 5."""
    name, _, cone = name.partition(", ")
    if name in SMALL:
        model = mujoco.MjModel.from_xml_string(f"<mujoco model='{name}'>{SMALL[name]}</mujoco>")
    else:
        model = mujoco.MjModel.from_xml_path(str(find_model(name)))
    if cone:
        assert cone == "elliptic"
        model.opt.cone, model.opt.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 5
    return model


class States(NamedTuple):
    """One row per state."""

    kind: list[str]  # "flight", "standing", "lying", "limits"
    qpos: np.ndarray
    qvel: np.ndarray
    ctrl: np.ndarray
    qacc_warmstart: np.ndarray

    def of_kind(self, *kinds: str) -> np.ndarray:
        """The rows of these kinds."""
        return np.flatnonzero(np.isin(self.kind, kinds))


KINDS = ("flight", "standing", "lying", "limits")


def sample_states(model: "mujoco.MjModel", count: int = 50, seed: int = 0) -> States:
    """`count` states, the kinds in turn, the same ones in every run. Each is reached by simulating from a random start,
    so that contacts and limits are as deep as they get in motion; then all velocities are disturbed.

    flight     in the air, no contact with the world where the model can leave the ground
    standing   on the ground in the pose of qpos0, shortly after touching it
    lying      a second after it was dropped in a random pose
    limits     in the air, with half of the limited joints driven into their limits
    """
    rng = np.random.default_rng(seed)
    sampler = _Sampler(model, rng)
    kinds = [KINDS[i % len(KINDS)] for i in range(count)]
    rows = [getattr(sampler, kind)() for kind in kinds]
    return States(kinds, *(np.array(column) for column in zip(*rows)))


class _Sampler:
    def __init__(self, model, rng):
        self.model, self.rng = model, rng
        self.data = mujoco.MjData(model)
        limited = [j for j in range(model.njnt) if model.jnt_limited[j] and model.jnt_type[j] >= 2]
        self.limited = np.array(limited, int)
        self.height = self._height_coordinate()

    def _height_coordinate(self):
        """Where qpos has the height of the whole model, or None for a model that stays where it is."""
        model = self.model
        for joint in range(model.njnt):
            if model.body_parentid[model.jnt_bodyid[joint]] != 0:
                continue
            if model.jnt_type[joint] == 0:
                return model.jnt_qposadr[joint] + 2
            if model.jnt_type[joint] == 2 and abs(model.jnt_axis[joint, 2]) > 0.99:
                return model.jnt_qposadr[joint]
        return None

    # -- The kinds

    def flight(self):
        self._start_in_the_air(spread=1.0)
        self._step(self.rng.integers(3, 15), ctrl=0.3)
        return self._result()

    def standing(self):
        self._start(spread=0.03, turn=0.02)
        self._put_down()
        more = self.rng.integers(2, 25)
        self._step(1, ctrl=0.2, until=self._touches)
        self._step(more, until=self._touches)
        return self._result(disturbance=0.02)

    def lying(self):
        self._start(spread=0.7)
        self._put_down()
        self._step(round(1.0 / self.model.opt.timestep), ctrl=0.1, until=self._touches)
        return self._result(disturbance=0.05)

    def limits(self):
        for _ in range(50):
            self._start_in_the_air(spread=0.3)
            chosen = self.rng.random(len(self.limited)) < 0.5
            for joint in self.limited[chosen]:
                self._move_to_limit(joint, side=self.rng.integers(2))
            self._step(self.rng.integers(1, 4), ctrl=0.5)
            mujoco.mj_fwdPosition(self.model, self.data)
            if self._active_limits() > 0 and self._depth() < 0.02:
                break
        return self._result(disturbance=0.02)

    # -- Their parts

    def _start(self, spread, turn=None):
        """A random pose: joints within their limits, bodies that move freely turned any way or by about `turn`."""
        model, data, rng = self.model, self.data, self.rng
        mujoco.mj_resetData(model, data)
        for joint in range(model.njnt):
            q, kind = model.jnt_qposadr[joint], model.jnt_type[joint]
            if kind <= 1:
                quat = rng.normal(size=4) if turn is None else np.append(1, turn * rng.normal(size=3))
                data.qpos[q + (3 if kind == 0 else 0) :][:4] = quat / np.linalg.norm(quat)
            elif model.jnt_limited[joint]:
                lower, upper = model.jnt_range[joint] + np.ptp(model.jnt_range[joint]) * np.array([0.1, -0.1])
                home = np.clip(data.qpos[q], lower, upper)  # qpos0 may lie outside
                data.qpos[q] = home + spread * (rng.uniform(lower, upper) - home)
            else:
                data.qpos[q] += spread * rng.normal() * (1.0 if kind == 3 else 0.1)
        data.qvel[:] = 0.3 * spread * rng.normal(size=model.nv)

    def _start_in_the_air(self, spread):
        """A pose without contacts, where the model has one."""
        for attempt in range(30):
            self._start(spread * 0.95**attempt)
            self._leave_the_ground()
            if self._depth() <= 0:
                break

    def _move_to_limit(self, joint, side):
        """Near a limit or a little beyond it, on the way out."""
        lower, upper = self.model.jnt_range[joint]
        past = 0.01 * (upper - lower) * self.rng.uniform(-1, 1)
        speed = self.rng.uniform(1, 4) if self.model.jnt_type[joint] == 3 else self.rng.uniform(0.5, 1)
        self.data.qpos[self.model.jnt_qposadr[joint]] = (lower - past, upper + past)[side]
        self.data.qvel[self.model.jnt_dofadr[joint]] = (-speed, speed)[side]

    def _active_limits(self):
        return np.count_nonzero(self.data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT))

    def _distances(self, world_only=False):
        """Of all contacts, or of those with what is welded to the world."""
        mujoco.mj_fwdPosition(self.model, self.data)
        static = self.model.body_weldid[self.model.geom_bodyid] == 0
        return [c.dist for c in self.data.contact if not world_only or static[c.geom[0]] or static[c.geom[1]]]

    def _depth(self, world_only=False):
        """The deepest penetration, 0 for none."""
        return max((-distance for distance in self._distances(world_only)), default=0.0)

    def _touches(self):
        return self.height is None or len(self._distances(world_only=True)) > 0

    def _leave_the_ground(self):
        if self.height is None:
            return
        self.data.qpos[self.height] += self.rng.uniform(0.3, 0.8)
        for _ in range(100):
            if self._depth(world_only=True) <= 0:
                return
            self.data.qpos[self.height] += 0.2

    def _put_down(self):
        """A little above the ground."""
        if self.height is None:
            return
        while self._depth(world_only=True) > 0:
            self.data.qpos[self.height] += 0.05
        for _ in range(200):
            if self._depth(world_only=True) > 0:
                break
            self.data.qpos[self.height] -= 0.02
        self.data.qpos[self.height] += 0.02

    def _step(self, count, ctrl=None, until=None):
        """Steps with constant controls, `ctrl` times a random part of their ranges (None: as they are), then on until
        something is true, for a second at most."""
        model, data = self.model, self.data
        if ctrl is not None:
            limited = np.array(model.actuator_ctrllimited, bool)
            span = np.where(limited, np.abs(model.actuator_ctrlrange).max(axis=1, initial=0), 1.0)
            data.ctrl[:] = ctrl * span * self.rng.uniform(-1, 1, model.nu)
        for _ in range(int(count)):
            mujoco.mj_step(model, data)
        for _ in range(round(1 / model.opt.timestep)):
            if until is None or until():
                return
            mujoco.mj_step(model, data)

    def _result(self, disturbance=0.2):
        data = self.data
        assert np.isfinite(data.qacc).all() and not any(warning.number for warning in data.warning)
        qvel = data.qvel + disturbance * self.rng.normal(size=self.model.nv)
        return data.qpos.copy(), qvel, data.ctrl.copy(), data.qacc_warmstart.copy()
