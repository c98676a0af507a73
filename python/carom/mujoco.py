"""State exchange with MuJoCo: qpos and qvel as the joint_q and joint_qd of a model made by from_mujoco(), and back.

Coordinates and degrees of freedom are in the same order on both sides. What differs, over any leading axes:

    free joint   qpos: quaternion wxyz           joint_q: quaternion xyzw
                 qvel: velocity of the body's    joint_qd: velocity of the centre of mass,
                 origin, world axes; angular     angular velocity, both in world axes
                 velocity, body axes
    ball joint   qpos: quaternion wxyz           joint_q: quaternion xyzw
                 qvel: angular velocity,         joint_qd: angular velocity in the
                 body axes                       parent's joint frame

Springs that yield: MuJoCo's plastic says where those that do are relaxed, joint_spring_shift and tendon_spring_shift
how far that is from where the model says, for all of them.

Controls: quaternions of orientation actuators are wxyz in MuJoCo, xyzw in carom. Activations: MuJoCo lists those of the
actuators that have some, carom also a zero for each of the others. Mocap bodies: MuJoCo keeps their poses beside qpos,
carom moves them by free joints, whose coordinates stand among joint_q in the order of the bodies. Sleep: tree_asleep is
by tree and names the next tree, body_asleep is by body and names the root of the next tree.

The functions use mjModel's arrays alone and need not find the package mujoco. IGNORABLE: what from_mujoco(ignore=) can
leave out, and what is done instead.
"""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom import _rotation
from carom._error import Error
from carom._rotation import Floats

__all__ = [
    "IGNORABLE",
    "act_from_mujoco",
    "act_to_mujoco",
    "asleep_from_mujoco",
    "asleep_to_mujoco",
    "ctrl_from_mujoco",
    "ctrl_to_mujoco",
    "joint_q_to_qpos",
    "joint_qd_to_qvel",
    "plastic_from_mujoco",
    "plastic_to_mujoco",
    "qpos_to_joint_q",
    "qvel_to_joint_qd",
]

_carom: Any = importlib.import_module("carom._carom_f32")  # what is asked of it is the same in both precisions
IGNORABLE: dict[str, str] = _carom._MUJOCO_IGNORABLE

_FREE, _BALL = 0, 1  # mjtJoint
_SAME_AS_BODY = 1  # mjtSameFrame
_FULLY_AWAKE = -11  # tree_asleep of a tree that has to be slow for ten steps


def _checked(values: ArrayLike, size: int, name: str) -> Floats:
    array = np.array(values, np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        raise Error(f"{name}: the last axis must have {size} numbers, the shape is {array.shape}")
    return array


def _with_axes_of(values: Floats, other: Floats) -> Floats:
    axes = np.broadcast_shapes(values.shape[:-1], other.shape[:-1])
    return np.broadcast_to(values, (*axes, values.shape[-1])).copy()


def _centre_of_mass(mj_model: Any, body: int) -> Floats:
    """In the body frame; MuJoCo takes one that nearly is the origin for it."""
    same = mj_model.body_sameframe[body] == _SAME_AS_BODY
    return np.zeros(3) if same else np.array(mj_model.body_ipos[body], np.float64)


def _turning_joints(mj_model: Any) -> Iterator[tuple[int, int, Floats | None]]:
    """Where joints have their quaternion in qpos and their angular velocity in qvel; of free joints also the centre
    of mass in the body frame."""
    for joint, kind in enumerate(mj_model.jnt_type):
        q, qd = int(mj_model.jnt_qposadr[joint]), int(mj_model.jnt_dofadr[joint])
        if kind == _FREE:
            yield q + 3, qd + 3, _centre_of_mass(mj_model, int(mj_model.jnt_bodyid[joint]))
        elif kind == _BALL:
            yield q, qd, None


class _Places:
    """Where the numbers of MuJoCo stand among those of carom, of coordinates or of velocities."""

    def __init__(self, mj_model: Any, *, velocities: bool) -> None:
        self.own: list[int] = []  # of qpos or qvel
        self.mocap: list[int] = []  # first of each mocap body, in the order of its bodies
        numbers = ({_FREE: 6, _BALL: 3}, 6) if velocities else ({_FREE: 7, _BALL: 4}, 7)
        self.count = 0
        for body in range(1, mj_model.nbody):
            if mj_model.body_mocapid[body] >= 0:
                self.mocap.append(self.count)
                self.count += numbers[1]
            first = mj_model.body_jntadr[body]
            for joint in range(first, first + mj_model.body_jntnum[body]):
                size = numbers[0].get(int(mj_model.jnt_type[joint]), 1)
                self.own.extend(range(self.count, self.count + size))
                self.count += size


def qpos_to_joint_q(
    mj_model: Any, qpos: ArrayLike, mocap_pos: ArrayLike | None = None, mocap_quat: ArrayLike | None = None
) -> Floats:
    """joint_q of the worlds whose MuJoCo coordinates are qpos, of shape (..., nq). mocap_pos, mocap_quat: poses of the
    mocap bodies, of shapes (..., nmocap, 3) and (..., nmocap, 4); where the model has them, if not given."""
    own = _checked(qpos, mj_model.nq, "qpos")
    for q, _, _ in _turning_joints(mj_model):
        own[..., q : q + 4] = _rotation.from_wxyz(own[..., q : q + 4])
    places = _Places(mj_model, velocities=False)
    if not places.mocap:
        return own
    bodies = np.flatnonzero(np.asarray(mj_model.body_mocapid) >= 0)
    numbers = np.asarray(mj_model.body_mocapid)[bodies]  # rows of mocap_pos, in the order of the bodies
    rows = np.argsort(numbers)
    positions = np.asarray(mj_model.body_pos[bodies[rows]] if mocap_pos is None else mocap_pos, np.float64)
    turns = np.asarray(mj_model.body_quat[bodies[rows]] if mocap_quat is None else mocap_quat, np.float64)
    axes = np.broadcast_shapes(own.shape[:-1], positions.shape[:-2], turns.shape[:-2])
    result = np.zeros((*axes, places.count))
    result[..., places.own] = own
    for place, number in zip(places.mocap, numbers):
        result[..., place : place + 3] = positions[..., number, :]
        result[..., place + 3 : place + 7] = _rotation.normalize(_rotation.from_wxyz(turns[..., number, :]))
    return result


def joint_q_to_qpos(mj_model: Any, joint_q: ArrayLike) -> Floats:
    """The inverse of qpos_to_joint_q(), without the mocap bodies."""
    result = _own(mj_model, joint_q, "joint_q", velocities=False)
    for q, _, _ in _turning_joints(mj_model):
        result[..., q : q + 4] = _rotation.to_wxyz(result[..., q : q + 4])
    return result


def _own(mj_model: Any, values: ArrayLike, name: str, *, velocities: bool) -> Floats:
    """What is not of mocap bodies."""
    places = _Places(mj_model, velocities=velocities)
    result: Floats = _checked(values, places.count, name)[..., places.own]
    return result


def qvel_to_joint_qd(mj_model: Any, qpos: ArrayLike, qvel: ArrayLike) -> Floats:
    """joint_qd of the worlds whose MuJoCo velocities are qvel, of shape (..., nv), at the coordinates qpos. Mocap
    bodies stand still."""
    coordinates = _own(mj_model, qpos_to_joint_q(mj_model, qpos), "joint_q", velocities=False)
    result = _with_axes_of(_checked(qvel, mj_model.nv, "qvel"), coordinates)
    for q, qd, com in _turning_joints(mj_model):
        turn = _rotation.normalize(coordinates[..., q : q + 4])
        w = _rotation.rotate(turn, result[..., qd : qd + 3])
        result[..., qd : qd + 3] = w
        if com is not None:
            result[..., qd - 3 : qd] += np.cross(w, _rotation.rotate(turn, com))
    places = _Places(mj_model, velocities=True)
    everything = np.zeros((*result.shape[:-1], places.count))
    everything[..., places.own] = result
    return everything


def joint_qd_to_qvel(mj_model: Any, joint_q: ArrayLike, joint_qd: ArrayLike) -> Floats:
    """The inverse of qvel_to_joint_qd(), at the coordinates joint_q."""
    coordinates = _own(mj_model, joint_q, "joint_q", velocities=False)
    result = _with_axes_of(_own(mj_model, joint_qd, "joint_qd", velocities=True), coordinates)
    for q, qd, com in _turning_joints(mj_model):
        turn = _rotation.normalize(coordinates[..., q : q + 4])
        w = result[..., qd : qd + 3].copy()
        result[..., qd : qd + 3] = _rotation.rotate(_rotation.conjugate(turn), w)
        if com is not None:
            result[..., qd - 3 : qd] -= np.cross(w, _rotation.rotate(turn, com))
    return result


_SO3, _QUAT = 4, 2  # mjtGain, mjtCtrlChart


def _quaternions(mj_model: Any) -> list[int]:
    """Where ctrl has quaternions."""
    is_quat = (np.asarray(mj_model.actuator_gaintype) == _SO3) & (np.asarray(mj_model.actuator_ctrlspec) == _QUAT)
    return [int(first) for first in np.asarray(mj_model.actuator_ctrladr)[is_quat]]


def ctrl_from_mujoco(mj_model: Any, ctrl: ArrayLike) -> Floats:
    """Control.ctrl of the worlds whose MuJoCo controls are ctrl, of shape (..., nu)."""
    result = _checked(ctrl, mj_model.nu, "ctrl")
    for first in _quaternions(mj_model):
        result[..., first : first + 4] = _rotation.from_wxyz(result[..., first : first + 4])
    return result


def ctrl_to_mujoco(mj_model: Any, ctrl: ArrayLike) -> Floats:
    """The inverse of ctrl_from_mujoco()."""
    result = _checked(ctrl, mj_model.nu, "ctrl")
    for first in _quaternions(mj_model):
        result[..., first : first + 4] = _rotation.to_wxyz(result[..., first : first + 4])
    return result


def _activations(mj_model: Any) -> tuple[int, list[int], list[int]]:
    """How many numbers State.act has, where it has activations, and where MuJoCo has them."""
    ours: list[int] = []
    theirs: list[int] = []
    count = 0
    for first, size in zip(mj_model.actuator_actadr, mj_model.actuator_actnum):
        ours.extend(range(count, count + int(size)))
        theirs.extend(range(int(first), int(first) + int(size)))
        count += max(int(size), 1)
    return count, ours, theirs


def act_from_mujoco(mj_model: Any, act: ArrayLike) -> Floats:
    """State.act of the worlds whose MuJoCo activations are act, of shape (..., na)."""
    given = _checked(act, mj_model.na, "act")
    count, ours, theirs = _activations(mj_model)
    result = np.zeros((*given.shape[:-1], count))
    result[..., ours] = given[..., theirs]
    return result


def act_to_mujoco(mj_model: Any, act: ArrayLike) -> Floats:
    """The inverse of act_from_mujoco()."""
    count, ours, theirs = _activations(mj_model)
    given = _checked(act, count, "act")
    result = np.zeros((*given.shape[:-1], mj_model.na))
    result[..., theirs] = given[..., ours]
    return result


def _links(mj_model: Any) -> list[list[int]]:
    """The bodies of carom that each body of MuJoCo is, the one that moves first in front: massless links, then itself."""
    links, count = [], mj_model.nbody - 1
    for body, between in enumerate(_carom._mujoco_link_counts(mj_model)):
        links.append([*range(count, count + between), body - 1])
        count += between
    return links


def _trees(mj_model: Any) -> tuple[int, list[list[int]]]:
    """How many bodies carom has, and those of each tree, its root in front."""
    links = _links(mj_model)
    owner = np.asarray(mj_model.body_treeid)
    trees = [np.flatnonzero(owner == tree) for tree in range(mj_model.ntree)]
    return sum(map(len, links)) - 1, [[link for body in bodies for link in links[body]] for bodies in trees]


def asleep_from_mujoco(mj_model: Any, tree_asleep: ArrayLike) -> Any:
    """State.body_asleep of the worlds whose MuJoCo trees are asleep as tree_asleep says, of shape (..., ntree)."""
    given = _checked(tree_asleep, mj_model.ntree, "tree_asleep").astype(np.int32)
    count, trees = _trees(mj_model)
    roots = np.array([bodies[0] for bodies in trees], np.int32)
    result = np.full((*given.shape[:-1], count), _FULLY_AWAKE, np.int32)
    for tree, bodies in enumerate(trees):
        value = given[..., tree]
        result[..., bodies] = np.where(value < 0, value, roots[np.maximum(value, 0)])[..., None]
    return result


def asleep_to_mujoco(mj_model: Any, body_asleep: ArrayLike) -> Any:
    """The inverse of asleep_from_mujoco()."""
    count, trees = _trees(mj_model)
    given = _checked(body_asleep, count, "body_asleep").astype(np.int32)
    tree_of = np.zeros(count, np.int32)
    for tree, bodies in enumerate(trees):
        tree_of[bodies] = tree
    value = given[..., [bodies[0] for bodies in trees]]
    return np.where(value < 0, value, tree_of[np.maximum(value, 0)])


def _yielding_joints(mj_model: Any) -> Iterator[tuple[int, int, Floats, bool]]:
    """Where joints whose springs yield stand in plastic and in joint_spring_shift; where they were relaxed at first,
    and whether this is a quaternion, xyzw."""
    places = _Places(mj_model, velocities=True).own
    for joint in np.flatnonzero(np.asarray(mj_model.jnt_plasticadr) >= 0):
        turns, q = mj_model.jnt_type[joint] == _BALL, mj_model.jnt_qposadr[joint]
        rest = np.array(mj_model.qpos_spring[q : q + (4 if turns else 1)])
        place = places[mj_model.jnt_dofadr[joint]]
        yield int(mj_model.jnt_plasticadr[joint]), place, _rotation.from_wxyz(rest) if turns else rest, bool(turns)


def plastic_from_mujoco(mj_model: Any, plastic: ArrayLike) -> tuple[Floats, Floats]:
    """State.joint_spring_shift and State.tendon_spring_shift of the worlds whose MuJoCo springs are relaxed at plastic,
    of shape (..., nplastic)."""
    given = _checked(plastic, mj_model.nplastic, "plastic")
    joints = np.zeros((*given.shape[:-1], _Places(mj_model, velocities=True).count))
    tendons = np.zeros((*given.shape[:-1], mj_model.ntendon, 2))
    for at, place, rest, turns in _yielding_joints(mj_model):
        if turns:
            turn = _rotation.from_wxyz(given[..., at : at + 4])
            joints[..., place : place + 3] = _rotation.to_vectors(_rotation.multiply(_rotation.conjugate(rest), turn))
        else:
            joints[..., place] = given[..., at] - rest[0]
    for tendon in np.flatnonzero(np.asarray(mj_model.tendon_plasticadr) >= 0):
        at = mj_model.tendon_plasticadr[tendon]
        tendons[..., tendon, :] = given[..., at : at + 2] - mj_model.tendon_lengthspring[tendon]
    return joints, tendons


def plastic_to_mujoco(mj_model: Any, joint_spring_shift: ArrayLike, tendon_spring_shift: ArrayLike) -> Floats:
    """The inverse of plastic_from_mujoco()."""
    joints = _checked(joint_spring_shift, _Places(mj_model, velocities=True).count, "joint_spring_shift")
    tendons = np.asarray(tendon_spring_shift, np.float64).reshape(*joints.shape[:-1], mj_model.ntendon, 2)
    result = np.zeros((*joints.shape[:-1], mj_model.nplastic))
    for at, place, rest, turns in _yielding_joints(mj_model):
        if turns:
            turn = _rotation.multiply(rest, _rotation.from_vectors(joints[..., place : place + 3]))
            result[..., at : at + 4] = _rotation.to_wxyz(turn)
        else:
            result[..., at] = rest[0] + joints[..., place]
    for tendon in np.flatnonzero(np.asarray(mj_model.tendon_plasticadr) >= 0):
        at = mj_model.tendon_plasticadr[tendon]
        result[..., at : at + 2] = mj_model.tendon_lengthspring[tendon] + tendons[..., tendon, :]
    return result


def _delays(mj_model: Any) -> Iterator[tuple[int, int, int, list[int]]]:
    """Of every actuator that keeps what it was told: where this begins in MuJoCo's history and in State.ctrl_history,
    how many steps it is, and where MuJoCo has each of its inputs."""
    quaternions, place = set(_quaternions(mj_model)), 0
    for i in np.flatnonzero(np.asarray(mj_model.actuator_history)[:, 0] > 0):
        samples, inputs = int(mj_model.actuator_history[i, 0]), int(mj_model.actuator_ctrlnum[i])
        order = [1, 2, 3, 0] if int(mj_model.actuator_ctrladr[i]) in quaternions else list(range(inputs))
        yield int(mj_model.actuator_historyadr[i]), place, samples, order
        place += samples * (1 + inputs)


def _history_size(mj_model: Any) -> int:
    return sum(samples * (1 + len(order)) for _, _, samples, order in _delays(mj_model))


def history_from_mujoco(mj_model: Any, history: ArrayLike, time: ArrayLike) -> Floats:
    """State.ctrl_history of the worlds whose MuJoCo history is this, of shape (..., nhistory), at their times."""
    given = _checked(history, mj_model.nhistory, "history")
    result, now = np.zeros((*given.shape[:-1], _history_size(mj_model))), np.asarray(time, np.float64)[..., None]
    for theirs, ours, n, order in _delays(mj_model):
        cursor = given[..., theirs + 1].astype(int)[..., None]
        newest_first = (cursor - np.arange(n)) % n  # MuJoCo's is a ring
        times = np.take_along_axis(given[..., theirs + 2 : theirs + 2 + n], newest_first, -1)
        result[..., ours : ours + n] = np.concatenate([now, times[..., :-1]], -1) - times
        values = given[..., theirs + 2 + n : theirs + 2 + n * (1 + len(order))]
        for i, of in enumerate(order):
            column = np.take_along_axis(values[..., of :: len(order)], newest_first, -1)
            result[..., ours + n * (1 + i) : ours + n * (2 + i)] = column
    return result


def history_to_mujoco(mj_model: Any, ctrl_history: ArrayLike, time: ArrayLike) -> Floats:
    """The inverse of history_from_mujoco(); MuJoCo's own number of every actuator is 0."""
    given = _checked(ctrl_history, _history_size(mj_model), "ctrl_history")
    result, now = np.zeros((*given.shape[:-1], mj_model.nhistory)), np.asarray(time, np.float64)[..., None]
    for theirs, ours, n, order in _delays(mj_model):
        intervals = given[..., ours : ours + n]
        times = now - np.cumsum(np.where(intervals > 0, intervals, mj_model.opt.timestep), -1)
        result[..., theirs + 1] = n - 1
        result[..., theirs + 2 : theirs + 2 + n] = times[..., ::-1]
        for i, of in enumerate(order):
            column = given[..., ours + n * (1 + i) : ours + n * (2 + i)]
            first, end = theirs + 2 + n + of, theirs + 2 + n * (1 + len(order))
            result[..., first : end : len(order)] = column[..., ::-1]
    return result
