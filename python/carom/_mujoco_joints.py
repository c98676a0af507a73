"""How the joints of a MuJoCo model become those of carom.

MuJoCo moves a body by a list of joints, each given in the body's own frame and measured from qpos0; with B the
pose of the body in its parent, the pose of the moved body is

    X_PB = B T_1 T_2 ... T_n      slide along a:          T = Trans(a (q - q0))
                                  hinge about a through p: T = Trans(p) Rot(a, q - q0) Trans(-p)
                                  ball through p:          T = Trans(p) Rot(quaternion) Trans(-p)

A run of consecutive joints becomes one joint X_PB = X_p X_J(q) X_c^-1 of carom when it is slides followed by hinges
through one point (see AxisRun), and a chain of massless links joins the runs of a body. Constants from q0 go into the
frames and axes, so that coordinates stay those of MuJoCo.
"""

from typing import Any

import numpy as np

from carom import _rotation
from carom._rotation import Floats, compose, pose

_FREE, _BALL, _SLIDE, _HINGE = range(4)  # mjtJoint
_PERPENDICULAR = 1e-9  # largest cosine between the axes of one joint
_SAME_POINT = 1e-12  # [m]


class AxisRun:
    """Slides, then hinges through one point: a prismatic, revolute or d6 joint.

    With C_k = Rot(a_1, -q0_1) ... Rot(a_k, -q0_k) over the hinges, the product of Rot(a_k, q_k - q0_k) is the product
    of Rot(C_{k-1} a_k, q_k), times C_n. So hinge k turns about C_{k-1} a_k, and C_n belongs to the child's frame.
    """

    def __init__(self) -> None:
        self.joints: list[int] = []
        self.slides: list[Floats] = []
        self.hinges: list[Floats] = []
        self.anchor = np.zeros(3)
        self.start = np.zeros(3)  # what the slides are short of their qpos0
        self.turned_back = pose()[3:]  # C_n

    def take(self, model: Any, joint: int) -> bool:
        """Adds a joint at the end, when it fits."""
        q0 = float(model.qpos0[model.jnt_qposadr[joint]])
        axis = np.array(model.jnt_axis[joint])
        if model.jnt_type[joint] == _SLIDE:
            if self.hinges or not _fits(axis, self.slides):
                return False
            self.slides.append(axis)
            self.start -= q0 * axis
        else:
            anchor, turned = np.array(model.jnt_pos[joint]), _rotation.rotate(self.turned_back, axis)
            if not _fits(turned, self.hinges):
                return False
            if self.hinges and np.abs(anchor - self.anchor).max() > _SAME_POINT:
                return False
            self.hinges.append(turned)
            self.anchor = anchor
            if q0 != 0:
                self.turned_back = _rotation.multiply(self.turned_back, _rotation.from_axis_angle(axis, -q0))
        self.joints.append(joint)
        return True

    def parent_frame(self, body: Floats) -> Floats:
        return compose(body, pose(self.anchor + self.start))

    def child_frame(self) -> Floats:
        return pose(self.anchor, _rotation.conjugate(self.turned_back))


class TurningJoint:
    """A free or ball joint, always one of its own."""

    def __init__(self, model: Any, joint: int) -> None:
        self.joints = [joint]
        self.free = model.jnt_type[joint] == _FREE
        self.anchor = np.zeros(3) if self.free else np.array(model.jnt_pos[joint])

    def parent_frame(self, body: Floats) -> Floats:
        return pose() if self.free else compose(body, pose(self.anchor))

    def child_frame(self) -> Floats:
        return pose(self.anchor)


def _fits(axis: Floats, others: list[Floats]) -> bool:
    return len(others) < 3 and all(abs(np.dot(axis, other)) < _PERPENDICULAR for other in others)


def joint_runs(model: Any, body: int) -> list[AxisRun | TurningJoint]:
    """The joints of a body, split into runs that are one joint of carom each."""
    runs: list[AxisRun | TurningJoint] = []
    first = model.body_jntadr[body]
    for joint in range(first, first + model.body_jntnum[body]):
        if model.jnt_type[joint] in (_FREE, _BALL):
            runs.append(TurningJoint(model, joint))
            continue
        last = runs[-1] if runs else None
        if not (isinstance(last, AxisRun) and last.take(model, joint)):
            run = AxisRun()
            run.take(model, joint)
            runs.append(run)
    return runs
