"""Misuse of the building interface, as a table: the cases of tests/model/bad_input_test.cpp, in Python.

Each case says what to do wrong and which words the message must have: the entity that is wrong and what to do about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import carom
import carom.f64

NAN = math.nan
MAX_INT = 2**31 - 1
IDENTITY = np.eye(3)
SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]

Builder = Any
Act = Callable[[ModuleType, Builder], object]


def prepared_builder(c: ModuleType) -> Builder:
    """Bars part the global entities, world 0 'left' and world 1 'right', which is still open.

    bodies     0 'stage' | 1 'base', 2 'arm' | 3 'cart', 4 'ball', 5 'loose'
    joints               | 0 'hinge', 1 'elbow' | 2 'rail', 3 (free, of the ball)
    shapes     0 'ground', 1 'deck' | 2 'foot', 3 'hand' | 4 'bump', 5 (ball), 6 (loose)
    particles            | 0 | 1, 2, 3 at the corners of a triangle, 4 above it, 5 in line with 1 and 2
    """
    b = c.ModelBuilder()
    b.add_ground_plane(key="ground")
    b.add_shape_box(b.add_link(key="stage", is_kinematic=True), hx=1, hy=1, hz=0.1, key="deck")

    b.begin_world(key="left")
    b.add_shape_sphere(b.add_link(key="base"), radius=0.1, key="foot")
    b.add_shape_box(b.add_link(key="arm"), hx=0.1, hy=0.1, hz=0.3, key="hand")
    b.add_joint_revolute(-1, 1, key="hinge")
    b.add_joint_revolute(1, 2, key="elbow")
    b.add_articulation([0, 1], key="robot")
    b.add_particle((0, 0, 1), (0, 0, 0), 1)
    b.end_world()

    b.begin_world(key="right")
    b.add_shape_sphere(b.add_link(key="cart"), radius=0.1, key="bump")
    b.add_joint_prismatic(-1, 3, key="rail")
    b.add_articulation([2], key="track")
    b.add_shape_sphere(b.add_body(key="ball"), radius=0.2)
    b.add_shape_sphere(b.add_link(key="loose"), radius=0.2)
    for pos in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 0, 0)]:
        b.add_particle(pos, (0, 0, 0), 1)
    return b


def file_after_going_on(b: Builder, path: Path) -> bytes:
    """The model file after one entity of each kind was added with the key that the cases use.

    It holds everything that can be seen of a builder, so a case that had left something behind, even a key that is
    taken or a world that is open, would change it.
    """
    link = b.add_link(mass=1, inertia=IDENTITY, key="new")
    joint = b.add_joint_revolute(-1, link, key="new")
    b.add_articulation([joint], key="new")
    b.add_shape_sphere(link, key="new")
    b.add_equality_constraint_connect(link, -1, key="new")
    b.add_particle((0, 0, 0), (0, 0, 0), 1, key="new")
    b.add_tendon_fixed([(joint, 1)], key="new")
    b.add_actuator(joint, key="new")
    if b.current_world >= 0:
        b.end_world()
    b.finalize().save(path)
    return path.read_bytes()


def one_body(c: ModuleType) -> Builder:
    b = c.ModelBuilder()
    b.add_body(mass=1, inertia=IDENTITY, key="cart")
    return b


def first_and_cart(c: ModuleType) -> Builder:
    b = c.ModelBuilder()
    b.add_link(mass=1, key="first")
    b.add_builder(one_body(c))
    return b


def square_mesh(c: ModuleType) -> Any:
    return c.Mesh(SQUARE, [0, 1, 2, 0, 2, 3])


def changed_inertia(row: int, column: int, value: float) -> np.ndarray:
    inertia = IDENTITY.copy()
    inertia[row, column] = value
    return inertia


def between_worlds(c: ModuleType, b: Builder) -> None:
    b.end_world()
    b.add_link(mass=1, key="between")


def two_more_joints(c: ModuleType, b: Builder) -> None:
    b.add_joint_fixed(5, b.add_link(mass=1))
    b.add_joint_fixed(-1, 5)


def finalize_with(c: ModuleType, **changes: Any) -> None:
    b = prepared_builder(c)
    b.end_world()
    for name, value in changes.items():
        setattr(b, name, value)
    b.finalize()


def finalize_kinematic_child(c: ModuleType) -> None:
    b = prepared_builder(c)
    b.add_joint_fixed(3, b.add_link(key="new", is_kinematic=True))
    b.end_world()
    b.finalize()


def finalize_with_gap(c: ModuleType) -> None:
    b = prepared_builder(c)
    b.add_shape_sphere(5, cfg=c.ShapeConfig(gap=0.5), key="new")
    b.end_world()
    b.finalize()


def world_of_itself(c: ModuleType) -> None:
    b = one_body(c)
    b.add_world(b)


def finished_model(c: ModuleType) -> Any:
    b = prepared_builder(c)
    b.end_world()
    return b.finalize()


@dataclass
class Misuse:
    name: str
    act: Act  # what is wrong
    words: list[str]  # that the message must have
    prepare: Act = lambda c, b: None


def end_world(c: ModuleType, b: Builder) -> None:
    b.end_world()


def world_cases() -> list[Misuse]:
    return [
        Misuse("nested_world", lambda c, b: b.begin_world("new"), ["world 1", "still open", "call end_world()"]),
        Misuse("end_without_begin", lambda c, b: b.end_world(), ["no world is open", "call begin_world()"], end_world),
        Misuse("unclosed_world", lambda c, b: b.finalize(), ["world 1", "still open", "call end_world()"]),
        Misuse("global_between_worlds", lambda c, b: b.begin_world("new"),
               ["body 6 'between'", "before the first world or after the last"], between_worlds),
        Misuse("world_key_twice", lambda c, b: b.begin_world("left"), ["'left'", "world 0", "choose another key"],
               end_world),
        Misuse("world_gravity_nan", lambda c, b: b.begin_world("new", gravity=(0, 0, NAN)),
               ["'new'", "gravity", "give finite numbers"], end_world),
        Misuse("add_world_with_worlds", lambda c, b: b.add_world(prepared_builder(c)),
               ["add_world", "worlds of its own", "copy a builder without worlds"], end_world),
        Misuse("add_world_in_a_world", lambda c, b: b.add_world(one_body(c)),
               ["world 1", "still open", "call end_world()"]),
        Misuse("add_world_key_twice", lambda c, b: b.add_world(one_body(c), key="left"),
               ["'left'", "world 0", "choose another key"], end_world),
        Misuse("add_world_of_itself", lambda c, b: world_of_itself(c), ["add_world", "itself", "second builder"]),
        Misuse("add_builder_with_worlds", lambda c, b: b.add_builder(prepared_builder(c)),
               ["add_builder", "worlds of its own", "copy a builder without worlds"]),
        Misuse("add_builder_key_twice", lambda c, b: b.add_builder(first_and_cart(c)),
               ["body key 'cart'", "already taken", "give key_prefix"]),
        Misuse("add_builder_not_unit", lambda c, b: b.add_builder(one_body(c), xform=(0, 0, 0, 0, 0, 0, 2)),
               ["add_builder", "quaternion", "normalise it"]),
        Misuse("replicate_negative", lambda c, b: b.replicate(one_body(c), -1),
               ["replicate", "count", "-1"], end_world),
        Misuse("replicate_spacing_nan", lambda c, b: b.replicate(one_body(c), 2, spacing=(NAN, 0, 0)),
               ["replicate", "spacing", "give finite numbers"], end_world),
        Misuse("replicate_too_many_bodies", lambda c, b: b.replicate(one_body(c), MAX_INT - 1),
               ["body", "2^31 - 1", "split the worlds over several models"], end_world),
        Misuse("replicate_too_many_worlds", lambda c, b: b.replicate(c.ModelBuilder(), MAX_INT),
               ["worlds", "2^31 - 1", "split the worlds over several models"], end_world),
    ]  # fmt: skip


def body_cases() -> list[Misuse]:
    def link(name: str, words: list[str], **changes: Any) -> Misuse:
        args = {"inertia": IDENTITY, "mass": 1, "key": "new", **changes}
        return Misuse(name, lambda c, b: b.add_link(**args), words)

    new = "body 6 'new'"
    return [
        link("negative_mass", [new, "mass must not be negative", "-1"], mass=-1),
        link("mass_nan", [new, "mass", "give a finite number"], mass=NAN),
        link("com_infinite", [new, "com", "give finite numbers"], com=(0, math.inf, 0)),
        link("com_too_short", ["com", "expected 3 numbers"], com=(0, 0)),
        link("com_of_letters", ["com", "expected 3 numbers"], com="abc"),
        link("position_nan", [new, "xform", "give finite numbers"], xform=(NAN, 0, 0, 0, 0, 0, 1)),
        link("pose_too_short", ["xform", "expected 7 numbers"], xform=(0, 0, 0, 0, 0, 0)),
        link("zero_quaternion", [new, "quaternion", "normalise it"], xform=(0, 0, 0, 0, 0, 0, 0)),
        link("long_quaternion", [new, "quaternion", "normalise it"], xform=(0, 0, 0, 1, 0, 0, 1)),
        link("quaternion_nan", [new, "quaternion", "normalise it"], xform=(0, 0, 0, 0, 0, NAN, 1)),
        link("inertia_nan", [new, "inertia", "finite"], inertia=changed_inertia(1, 1, NAN)),
        link("inertia_negative", [new, "inertia", "must not be negative"], inertia=changed_inertia(2, 2, -1)),
        link("inertia_not_symmetric", [new, "inertia must be symmetric"], inertia=changed_inertia(0, 1, 0.5)),
        link("inertia_impossible", [new, "larger than the sum of the other two"], inertia=changed_inertia(0, 0, 3)),
        link("inertia_without_mass", [new, "no mass", "give a mass"], mass=0),
        link("body_key_twice", ["body key 'cart'", "world 1", "choose another key"], key="cart"),
    ]


def joint_cases() -> list[Misuse]:
    def hinge(name: str, words: list[str], **numbers: Any) -> Misuse:
        return Misuse(name, lambda c, b: b.add_joint_revolute(3, 5, key="new", **numbers), words)

    def fixed(name: str, parent: int, child: int, words: list[str], prepare: Act = lambda c, b: None) -> Misuse:
        return Misuse(name, lambda c, b: b.add_joint_fixed(parent, child, key="new"), words, prepare)

    new = "joint 4 'new'"
    elsewhere = "between begin_world() and end_world()"
    return [
        fixed("unknown_parent", 77, 5, [new, "parent", "body 77 does not exist", "use -1 for the world"]),
        fixed("unknown_child", 3, -7, [new, "child", "body -7 does not exist"]),
        fixed("child_is_the_world", 3, -1, [new, "child", "name a body"]),
        fixed("own_parent", 5, 5, [new, "body 5 'loose'", "own parent", "name two bodies"]),
        fixed("moved_twice", 5, 3, [new, "body 3 'cart'", "joint 2 'rail'", "equality constraint"]),
        fixed("joint_cycle", 6, 5, ["joint 5 'new'", "cycle", "body 5 'loose'", "equality constraint"],
              lambda c, b: b.add_joint_fixed(5, b.add_link(mass=1, key="next"))),
        fixed("parent_of_another_world", 1, 5, [new, "body 1 'base'", "world 0", elsewhere]),
        fixed("child_of_another_world", 5, 2, [new, "body 2 'arm'", "world 0", elsewhere]),
        fixed("global_child", 5, 0, [new, "body 0 'stage'", "global", "move it with a global joint"]),
        hinge("axis_zero", [new, "axis", "give a direction"], axis=(0, 0, 0)),
        hinge("axis_nan", [new, "axis", "give finite numbers"], axis=(NAN, 0, 0)),
        hinge("limits_swapped", [new, "limit_lower", "limit_upper", "swap them"], limit_lower=1, limit_upper=-1),
        hinge("limit_nan", [new, "limit_upper", "give a finite number"], limit_upper=NAN),
        hinge("target_infinite", [new, "target_pos", "give a finite number"], target_pos=math.inf),
        hinge("negative_armature", [new, "armature must not be negative", "-1"], armature=-1),
        hinge("negative_stiffness", [new, "stiffness must not be negative", "-1"], stiffness=-1),
        hinge("spring_ref_nan", [new, "spring_ref", "give a finite number"], spring_ref=NAN),
        hinge("limit_margin_nan", [new, "limit_margin", "give a finite number"], limit_margin=NAN),
        hinge("efforts_swapped", [new, "effort_lower", "effort_upper"], effort_lower=2, effort_upper=1),
        hinge("limit_solref_nan", [new, "limit_solref[1]", "give finite numbers"], limit_solref=(1, NAN)),
        hinge("limit_solref_too_long", ["limit_solref", "expected 2 numbers, got 3 numbers"], limit_solref=(1, 2, 3)),
        hinge("limit_solimp_infinite", [new, "limit_solimp[4]", "give finite numbers"],
              limit_solimp=(0.9, 0.9, 1, 1, math.inf)),
        hinge("parent_xform_not_unit", [new, "parent_xform", "normalise it"], parent_xform=(0, 0, 0, 1, 1, 1, 1)),
        Misuse("axes_not_perpendicular",
               lambda c, b: b.add_joint_d6(3, 5, key="new", angular_axes=[
                   c.JointDofConfig(axis=(1, 0, 0)), c.JointDofConfig(axis=(1, 1, 0))]),
               [new, "axes 0 and 1", "use perpendicular axes"]),
        Misuse("too_many_axes", lambda c, b: b.add_joint_d6(3, 5, key="new", linear_axes=[c.JointDofConfig()] * 4),
               [new, "4 linear axes", "at most 3"]),
        Misuse("distances_swapped",
               lambda c, b: b.add_joint_distance(3, 5, min_distance=2, max_distance=1, key="new"),
               [new, "min_distance", "max_distance", "swap them"]),
        Misuse("joint_key_twice", lambda c, b: b.add_joint_ball(3, 5, key="rail"),
               ["joint key 'rail'", "world 1", "choose another key"]),
        Misuse("articulation_empty", lambda c, b: b.add_articulation([], key="new"),
               ["articulation 3 'new'", "no joints", "list the joints"]),
        Misuse("articulation_unknown_joint", lambda c, b: b.add_articulation([44], key="new"),
               ["articulation 3 'new'", "joint 44 does not exist", "there are 4"]),
        Misuse("articulation_foreign_joint", lambda c, b: b.add_articulation([1], key="new"),
               ["articulation 3 'new'", "joint 1 'elbow'", "world 0", "only joints of one world"]),
        Misuse("articulation_takes_a_joint", lambda c, b: b.add_articulation([2], key="new"),
               ["articulation 3 'new'", "joint 2 'rail'", "articulation 1 'track'", "a joint has one articulation"]),
        Misuse("articulation_order", lambda c, b: b.add_articulation([5, 4], key="new"),
               ["articulation 3 'new'", "joint 4 follows joint 5", "listed in that order"], two_more_joints),
        Misuse("joint_q_of_an_unknown_joint", lambda c, b: b.set_joint_q(44, [1]),
               ["set_joint_q", "joint 44 does not exist", "there are 4"]),
        Misuse("joint_q_of_another_size", lambda c, b: b.set_joint_q(2, [1, 2]),
               ["set_joint_q", "joint 2 'rail'", "has 1 coordinates", "2 were given"]),
        Misuse("joint_q_nan", lambda c, b: b.set_joint_q(2, [NAN]),
               ["set_joint_q", "joint 2 'rail'", "give a finite number"]),
        Misuse("joint_q_not_unit", lambda c, b: b.set_joint_q(3, [0, 0, 0, 1, 0, 0, 1]),
               ["set_joint_q", "joint 3", "normalise it"]),
    ]  # fmt: skip


def shape_cases() -> list[Misuse]:
    def sphere(name: str, words: list[str], body: int = 5, **args: Any) -> Misuse:
        return Misuse(name, lambda c, b: b.add_shape_sphere(body, **{"key": "new", **args}),
                      ["sphere shape 7 'new'", *words])  # fmt: skip

    def material(name: str, words: list[str], **numbers: Any) -> Misuse:
        return Misuse(name, lambda c, b: b.add_shape_sphere(5, cfg=c.ShapeConfig(**numbers), key="new"),
                      ["sphere shape 7 'new'", *words])  # fmt: skip

    return [
        sphere("negative_radius", ["radius must be positive", "-1"], radius=-1),
        sphere("shape_on_unknown_body", ["body 66 does not exist", "use -1 for the world"], body=66),
        sphere("shape_on_another_world", ["body 1 'base'", "world 0", "between begin_world() and end_world()"], body=1),
        sphere("shape_pose_nan", ["xform", "give finite numbers"], xform=(0, NAN, 0, 0, 0, 0, 1)),
        sphere("shape_quaternion_zero", ["quaternion", "normalise it"], xform=(0, 0, 0, 0, 0, 0, 0)),
        material("negative_density", ["density must not be negative"], density=-1),
        material("friction_nan", ["mu", "give a finite number"], mu=NAN),
        material("restitution_above_one", ["restitution must be at most 1", "2"], restitution=2),
        material("negative_margin", ["contact_margin must not be negative"], contact_margin=-1),
        material("negative_gap", ["gap must not be negative"], gap=-1),
        material("adhesion_nan", ["adhesion", "give a finite number"], adhesion=NAN),
        material("unknown_condim", ["condim must be 1, 3, 4 or 6, is 2"], condim=2),
        material("negative_solmix", ["solmix must not be negative"], solmix=-1),
        material("solref_nan", ["solref[1]", "give finite numbers"], solref=(1, NAN)),
        material("solimp_nan", ["solimp[3]", "give finite numbers"], solimp=(1, 1, 1, NAN, 1)),
        Misuse("radius_nan", lambda c, b: b.add_shape_capsule(5, radius=NAN, key="new"),
               ["capsule shape 7 'new'", "radius must be"]),
        Misuse("box_without_height", lambda c, b: b.add_shape_box(5, hz=0, key="new"),
               ["box shape 7 'new'", "hz must be positive", "0"]),
        Misuse("cone_infinite", lambda c, b: b.add_shape_cone(5, half_height=math.inf, key="new"),
               ["cone shape 7 'new'", "half_height must be positive and finite"]),
        Misuse("negative_plane", lambda c, b: b.add_shape_plane(width=-1, key="new"),
               ["plane shape 7 'new'", "width must be positive, or 0 for a plane without end"]),
        Misuse("ground_height_nan", lambda c, b: b.add_ground_plane(height=NAN, key="new"),
               ["ground plane", "height", "give a finite number"]),
        Misuse("shape_key_twice", lambda c, b: b.add_shape_sphere(5, key="bump"),
               ["shape key 'bump'", "world 1", "choose another key"]),
        Misuse("mesh_index_out_of_range", lambda c, b: c.Mesh(TRIANGLE, [0, 1, 3]),
               ["mesh triangle 0", "index 3", "from 0 to 2"]),
        Misuse("mesh_index_negative", lambda c, b: c.Mesh(TRIANGLE, [0, 1, -1]),
               ["mesh triangle 0", "index -1", "from 0 to 2"]),
        Misuse("mesh_index_too_large", lambda c, b: c.Mesh(TRIANGLE, [0, 1, 2**31]),
               ["indices", "2147483648", "32 bits"]),
        Misuse("mesh_index_not_whole", lambda c, b: c.Mesh(TRIANGLE, [0, 1, 2.5]), ["indices", "integers"]),
        Misuse("mesh_half_a_triangle", lambda c, b: c.Mesh(TRIANGLE, [0, 1]),
               ["mesh has 2 indices", "three per triangle"]),
        Misuse("mesh_vertex_nan", lambda c, b: c.Mesh([(0, 0, 0), (NAN, 0, 0), (0, 1, 0)], [0, 1, 2]),
               ["mesh vertex 1", "not finite"]),
        Misuse("mesh_without_vertices", lambda c, b: c.Mesh(np.zeros((0, 3)), []), ["mesh has no vertices", "give it"]),
        Misuse("mesh_without_triangles", lambda c, b: b.add_shape_mesh(5, mesh=c.Mesh(SQUARE, []), key="new"),
               ["mesh shape 7 'new'", "no triangles", "convex_hull"]),
        Misuse("mesh_open", lambda c, b: b.add_shape_mesh(5, mesh=square_mesh(c), key="new"),
               ["mesh shape 7 'new'", "open", "mass"]),
        Misuse("mesh_without_volume",
               lambda c, b: b.add_shape_mesh(5, mesh=c.Mesh(SQUARE, [0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2]), key="new"),
               ["mesh shape 7 'new'", "no volume", "mass"]),
        Misuse("mesh_scale_zero",
               lambda c, b: b.add_shape_mesh(5, mesh=c.make_box_mesh(1, 1, 1), scale=(1, 0, 1), key="new"),
               ["mesh shape 7 'new'", "scale.y must be positive"]),
        Misuse("hull_flat", lambda c, b: b.add_shape_convex_hull(5, mesh=square_mesh(c), key="new"),
               ["convex_hull shape 7 'new'", "no volume"]),
        Misuse("heightfield_size", lambda c, b: c.Heightfield([0, 0, 0], 2, 2, hx=1, hy=1),
               ["heightfield", "3 values", "nrow * ncol"]),
        Misuse("heightfield_nan", lambda c, b: c.Heightfield([[0, 0], [0, NAN]], 2, 2, hx=1, hy=1),
               ["heightfield", "not finite", "row 1, column 1"]),
        Misuse("heightfield_flat_extent", lambda c, b: c.Heightfield(np.zeros((2, 2)), 2, 2, hx=0, hy=1),
               ["heightfield hx must be positive"]),
        Misuse("heightfield_half_range", lambda c, b: c.Heightfield(np.zeros((2, 2)), 2, 2, hx=1, hy=1, min_z=0),
               ["heightfield", "only min_z", "give both"]),
        Misuse("sdf_too_small", lambda c, b: c.SDF(np.zeros((1, 2, 2)), origin=(0, 0, 0), spacing=1),
               ["sdf grid", "at least 2 nodes"]),
        Misuse("sdf_spacing", lambda c, b: c.SDF(np.zeros((2, 2, 2)), origin=(0, 0, 0), spacing=-1),
               ["sdf spacing must be positive"]),
        Misuse("sdf_stretched",
               lambda c, b: b.add_shape_sdf(
                   5, sdf=c.SDF.from_mesh(c.make_box_mesh(1, 1, 1), spacing=0.5), scale=(1, 2, 1), key="new"),
               ["sdf shape 7 'new'", "scale must be the same"]),
        Misuse("site_of_a_mesh", lambda c, b: b.add_site(5, type=c.ShapeType.MESH, key="new"),
               ["site mesh shape 7 'new'", "use a sphere"]),
        Misuse("filter_unknown_shape", lambda c, b: b.add_shape_collision_filter_pair(0, 70),
               ["collision filter pair", "shape 70 does not exist", "there are 7"]),
        Misuse("filter_one_shape", lambda c, b: b.add_shape_collision_filter_pair(3, 3),
               ["collision filter pair", "shape 3 twice", "name two shapes"]),
    ]  # fmt: skip


def constraint_cases() -> list[Misuse]:
    new = "equality constraint 0 'new'"
    return [
        Misuse("connect_to_itself", lambda c, b: b.add_equality_constraint_connect(5, 5, key="new"),
               [new, "body 5 to itself", "name two bodies"]),
        Misuse("connect_unknown_body", lambda c, b: b.add_equality_constraint_connect(5, 50, key="new"),
               [new, "body 50 does not exist", "use -1 for the world"]),
        Misuse("weld_anchor_nan", lambda c, b: b.add_equality_constraint_weld(5, 4, anchor=(NAN, 0, 0), key="new"),
               [new, "anchor", "give finite numbers"]),
        Misuse("weld_axes_not_unit", lambda c, b: b.add_equality_constraint_weld(5, 4, axes=(0, 0, 0, 2), key="new"),
               [new, "axes", "normalise it"]),
        Misuse("weld_pose_not_unit", lambda c, b: b.add_equality_constraint_weld(5, 4, relpose=[0] * 7, key="new"),
               [new, "relpose", "normalise it"]),
        Misuse("couple_unknown_joint", lambda c, b: b.add_equality_constraint_joint(2, 20, key="new"),
               [new, "joint 20 does not exist", "there are 4"]),
        Misuse("couple_foreign_joint", lambda c, b: b.add_equality_constraint_joint(2, 0, key="new"),
               [new, "joint 0 'hinge'", "world 0", "only joints of one world"]),
        Misuse("couple_free_joint", lambda c, b: b.add_equality_constraint_joint(2, 3, key="new"),
               [new, "joint 3 is a free joint", "name a prismatic"]),
        Misuse("couple_unknown_axis", lambda c, b: b.add_equality_constraint_joint(2, -1, axis1=1, key="new"),
               [new, "axis 1 does not exist", "joint 2 'rail' has 1"]),
        Misuse("couple_to_itself", lambda c, b: b.add_equality_constraint_joint(2, 2, key="new"),
               [new, "joint 2 to itself", "name two joints"]),
        Misuse("couple_unknown_tendon", lambda c, b: b.add_equality_constraint_tendon(0, -1, key="new"),
               [new, "tendon 0 does not exist", "there are 0 tendons"]),
        Misuse("equality_solref_nan", lambda c, b: b.add_equality_constraint_joint(2, -1, solref=(NAN, 1), key="new"),
               [new, "solref[0]", "give finite numbers"]),
        Misuse("couple_nan",
               lambda c, b: b.add_equality_constraint_joint(2, -1, polycoef=(NAN, 0, 0, 0, 0), key="new"),
               [new, "polycoef", "give a finite number"]),
    ]  # fmt: skip


def tendon_cases() -> list[Misuse]:
    new = "tendon 0 'new'"

    def over(name: str, joints: list[tuple[float, ...]], words: list[str], **numbers: Any) -> Misuse:
        return Misuse(name, lambda c, b: b.add_tendon_fixed(joints, key="new", **numbers), [new, *words])

    def tendon(name: str, words: list[str], **numbers: Any) -> Misuse:
        return over(name, [(2, 1)], words, **numbers)

    def string(c: ModuleType, b: Builder) -> None:
        b.add_tendon_fixed([(2, 1)], key="string")

    return [
        over("tendon_empty", [], ["no joints", "list the joints"]),
        over("tendon_unknown_joint", [(2, 1), (20, 1)], ["joint 20 does not exist", "there are 4"]),
        over("tendon_foreign_joint", [(0, 1)], ["joint 0 'hinge'", "world 0", "of one world"]),
        over("tendon_free_joint", [(3, 1)], ["joint 3 is a free joint", "name a prismatic"]),
        over("tendon_unknown_axis", [(2, 1, 1)], ["axis 1 does not exist", "joint 2 'rail' has 1"]),
        over("tendon_twice", [(2, 1), (2, 3)], ["axis 0 of joint 2 'rail'", "add the coefficients"]),
        over("tendon_coef_nan", [(2, NAN)], ["coef", "give a finite number"]),
        tendon("tendon_limits_swapped", ["limit_lower 1", "limit_upper -1", "swap them"],
               limit_lower=1, limit_upper=-1),
        tendon("tendon_limit_infinite", ["limit_upper", "give a finite number"], limit_upper=math.inf),
        tendon("tendon_margin", ["limit_margin", "give a finite number"], limit_margin=NAN),
        tendon("tendon_armature", ["armature must not be negative"], armature=-1),
        tendon("tendon_efforts", ["effort_lower", "effort_upper"], effort_lower=2, effort_upper=1),
        tendon("tendon_solref_nan", ["limit_solref[0]", "give finite numbers"], limit_solref=(NAN, 1)),
        tendon("tendon_solimp_nan", ["limit_solimp[2]", "give finite numbers"], limit_solimp=(1, 1, NAN, 1, 1)),
        tendon("tendon_friction", ["friction must not be negative"], friction=-1),
        tendon("tendon_stiffness", ["stiffness must not be negative"], stiffness=-1),
        tendon("tendon_damping", ["damping", "give a finite number"], damping=NAN),
        tendon("tendon_spring_swapped", ["spring_lower 1", "spring_upper 0", "swap them"], spring_lower=1),
        Misuse("tendon_key_twice", string, ["tendon key 'string'", "world 1", "choose another key"], string),
    ]  # fmt: skip


def actuator_cases() -> list[Misuse]:
    def on(name: str, joint: int, words: list[str], prepare: Act = lambda c, b: None, **numbers: Any) -> Misuse:
        return Misuse(name, lambda c, b: b.add_actuator(joint, key="new", **numbers), ["actuator 0 'new'", *words],
                      prepare)  # fmt: skip

    def motor(c: ModuleType, b: Builder) -> None:
        b.add_actuator(2, key="motor")

    return [
        on("actuator_unknown_joint", -1, ["joint -1 does not exist", "there are 4"]),
        on("actuator_foreign_joint", 1, ["joint 1 'elbow'", "world 0", "of one world"]),
        on("actuator_free_joint", 3, ["joint 3 is a free joint", "give the wrench"]),
        on("actuator_ball_joint", 4, ["joint 4 is a ball joint", "give the wrench"],
           lambda c, b: b.add_joint_ball(3, 5)),
        on("actuator_fixed_joint", 4, ["joint 4 is a fixed joint", "name a prismatic"],
           lambda c, b: b.add_joint_fixed(3, 5)),
        on("actuator_unknown_axis", 2, ["axis -1 does not exist", "joint 2 'rail' has 1"], axis=-1),
        on("actuator_gear_nan", 2, ["gear", "give a finite number"], gear=NAN),
        on("actuator_gain_nan", 2, ["gain", "give a finite number"], gain=NAN),
        on("actuator_bias_infinite", 2, ["bias[1]", "give finite numbers"], bias=(0, math.inf, 0)),
        on("actuator_ctrl_swapped", 2, ["ctrl_lower 1", "ctrl_upper -1", "swap them"], ctrl_lower=1, ctrl_upper=-1),
        on("actuator_force_nan", 2, ["force_upper", "give a finite number"], force_upper=NAN),
        Misuse("actuator_key_twice", motor, ["actuator key 'motor'", "world 1", "choose another key"], motor),
    ]  # fmt: skip


def particle_cases() -> list[Misuse]:
    zero = (0, 0, 0)
    return [
        Misuse("particle_mass", lambda c, b: b.add_particle(zero, zero, -1, key="new"),
               ["particle 6 'new'", "mass must not be negative"]),
        Misuse("particle_position", lambda c, b: b.add_particle((NAN, 0, 0), zero, 1),
               ["particle 6", "pos", "give finite numbers"]),
        Misuse("particle_radius", lambda c, b: b.add_particle(zero, zero, 1, radius=-1),
               ["particle 6", "radius must not be negative"]),
        Misuse("spring_unknown_particle", lambda c, b: b.add_spring(1, 60),
               ["spring 0", "particle 60 does not exist", "there are 6"]),
        Misuse("spring_to_itself", lambda c, b: b.add_spring(1, 1),
               ["spring 0", "particle 1", "name different particles"]),
        Misuse("spring_between_worlds", lambda c, b: b.add_spring(0, 1),
               ["spring 0", "particle 0", "world 0", "name particles of one world"]),
        Misuse("spring_stiffness", lambda c, b: b.add_spring(1, 2, ke=-1), ["spring 0", "ke must not be negative"]),
        Misuse("triangle_on_a_line", lambda c, b: b.add_triangle(1, 2, 5),
               ["triangle 0", "particles 1, 2, 5", "move them apart"]),
        Misuse("edge_infinite", lambda c, b: b.add_edge(1, 4, 2, 3, rest=math.inf),
               ["edge 0", "rest", "give a finite number"]),
        Misuse("tetrahedron_inside_out", lambda c, b: b.add_tetrahedron(1, 3, 2, 4),
               ["tetrahedron 0", "inside out", "swap two"]),
        Misuse("tetrahedron_flat", lambda c, b: b.add_tetrahedron(1, 2, 3, 5),
               ["tetrahedron 0", "in a plane", "move them apart"]),
        Misuse("cloth_without_cells", lambda c, b: b.add_cloth_grid(dim_x=0), ["cloth grid", "at least one cell"]),
        Misuse("cloth_cell_nan", lambda c, b: b.add_cloth_grid(cell_y=NAN),
               ["cloth grid", "cell size", "give a finite number"]),
        Misuse("cloth_stiffness", lambda c, b: b.add_cloth_grid(tri_ke=-1), ["triangle 0", "must not be negative"]),
        Misuse("cloth_spring", lambda c, b: b.add_cloth_grid(add_springs=True, spring_kd=-1),
               ["spring 0", "kd must not be negative"]),
        Misuse("cloth_too_large", lambda c, b: b.add_cloth_grid(dim_x=MAX_INT, dim_y=MAX_INT),
               ["cloth grid", "2^31 - 1", "fewer cells"]),
        Misuse("soft_density", lambda c, b: b.add_soft_grid(density=0), ["soft grid", "density must be positive"]),
        Misuse("soft_stiffness", lambda c, b: b.add_soft_grid(k_mu=NAN), ["tetrahedron 0", "give a finite number"]),
        Misuse("soft_too_large", lambda c, b: b.add_soft_grid(dim_x=2**22, dim_y=2**22, dim_z=2**22),
               ["soft grid", "2^31 - 1", "fewer cells"]),
    ]  # fmt: skip


def model_cases() -> list[Misuse]:
    return [
        Misuse("margin_negative", lambda c, b: finalize_with(c, rigid_contact_margin=-1),
               ["rigid_contact_margin must not be negative"]),
        Misuse("gap_above_the_builders_margin", lambda c, b: finalize_with_gap(c),
               ["shape 7 'new'", "gap 0.5", "contact_margin 0.005", "give a contact_margin"]),
        Misuse("gravity_nan", lambda c, b: finalize_with(c, gravity=(0, 0, NAN)), ["gravity", "give finite numbers"]),
        Misuse("kinematic_child", lambda c, b: finalize_kinematic_child(c),
               ["body 6 'new'", "is_kinematic", "body 3 'cart'", "make that one kinematic"]),
        Misuse("unknown_device", lambda c, b: b.finalize("gpu"), ['"gpu"', 'use "cpu"'], end_world),
        Misuse("missing_device", lambda c, b: b.finalize("cuda:1000"), ["cuda:1000", "does not exist"], end_world),
        Misuse("unknown_key", lambda c, b: finished_model(c).find_body("leg"), ["body", "'leg'"]),
        Misuse("unknown_world_key", lambda c, b: finished_model(c).find_world("middle"), ["world", "'middle'"]),
        Misuse("key_of_another_world", lambda c, b: finished_model(c).find_body("base", world=1),
               ["body", "'base'", "world 1"]),
        Misuse("world_out_of_range", lambda c, b: finished_model(c).world(2), ["world 2", "there are 2"]),
        Misuse("gravity_of_unknown_world", lambda c, b: finished_model(c).set_gravity((0, 0, 0), world=2),
               ["world 2", "there are 2"]),
    ]  # fmt: skip


CASES = [*world_cases(), *body_cases(), *joint_cases(), *shape_cases(), *constraint_cases(), *tendon_cases(),
         *actuator_cases(), *particle_cases(), *model_cases()]  # fmt: skip


@pytest.mark.parametrize("c", [carom, carom.f64], ids=["f32", "f64"])
@pytest.mark.parametrize("misuse", CASES, ids=lambda misuse: misuse.name)
def test_misuse_raises_and_leaves_the_builder_as_it_was(c: ModuleType, misuse: Misuse, tmp_path: Path) -> None:
    """Every misuse raises an Error that names the entity and the way out, and changes nothing in the builder."""
    untouched, builder = prepared_builder(c), prepared_builder(c)
    misuse.prepare(c, untouched)
    misuse.prepare(c, builder)
    with pytest.raises(carom.Error) as error:
        misuse.act(c, builder)
    assert isinstance(error.value, ValueError)
    for word in misuse.words:
        assert word in str(error.value)
    assert builder.current_world == untouched.current_world
    assert builder.world_count == untouched.world_count
    path = tmp_path / "model.carom"
    assert file_after_going_on(builder, path) == file_after_going_on(untouched, path)


BAD_FILES = {
    "empty": (lambda good: b"", "truncated: the header needs 64 bytes, file ends after 0"),
    "truncated": (lambda good: good[:-100], "truncated: "),
    "foreign": (lambda good: b"<mujoco model='ant'/>", "not a carom model file"),
    "damaged": (lambda good: good[:5000] + bytes([good[5000] ^ 1]) + good[5001:], "damaged: "),
    "newer": (lambda good: good[:12] + b"\xff\0\0\0" + good[16:], "format version 255 is newer"),
    "older": (lambda good: good[:12] + b"\x03\0\0\0" + good[16:], "format version 3 is older"),
}


@pytest.mark.parametrize("c", [carom, carom.f64], ids=["f32", "f64"])
@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_model_file_raises(c: ModuleType, name: str, tmp_path: Path) -> None:
    """Loading a file that is no whole model file raises an Error that names the file and what is wrong with it."""
    path = tmp_path / f"{name}.carom"
    finished_model(c).save(path)
    spoil, words = BAD_FILES[name]
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(carom.Error) as error:
        c.load(path)
    assert str(error.value).startswith(f"{path}: {words}")


def test_missing_model_file_raises(tmp_path: Path) -> None:
    """A path without a file, and a folder, are Errors that name the path."""
    with pytest.raises(carom.Error, match="none.carom: no such file"):
        carom.load(tmp_path / "none.carom")
    with pytest.raises(carom.Error, match="not a file"):
        carom.load(tmp_path)
    with pytest.raises(carom.Error, match="cannot be written"):
        finished_model(carom).save(tmp_path / "none" / "model.carom")
