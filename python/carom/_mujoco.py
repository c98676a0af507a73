"""A ModelBuilder from a compiled MuJoCo model: carom.from_mujoco and carom.f64.from_mujoco are made from this text."""

import importlib
import sys
import warnings
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import numpy as np

from carom import _rotation
from carom._error import Error
from carom._mujoco_actuation import Actuation, limit, rotors
from carom._mujoco_frames import geom_frame, inertial_frame, site_frame
from carom._mujoco_joints import TurningJoint, joint_runs
from carom._mujoco_unsupported import IGNORABLE, unsupported
from carom._rotation import Floats, compose, pose

_UNLIMITED = 1e10  # [N] or [N m]

Builder = TypeVar("Builder")


def importer(builder_class: type[Builder]) -> Callable[..., Builder]:
    """from_mujoco() of the precision that this ModelBuilder has."""

    def from_mujoco(
        mj_model: Any, *, enable_self_collisions: bool = True, ignore: Collection[str] = ()
    ) -> Builder:
        """A ModelBuilder with the content of a compiled MuJoCo model (mujoco.MjModel, 4.0 or newer), without worlds:
        `scene.replicate(from_mujoco(m), 4096)` makes worlds of it.

        MuJoCo's body i is body i - 1 of the builder (its world body is -1), geom i is shape i, actuator and tendon
        i are actuator and tendon i, and names are keys. Massless links, for bodies whose joints do not fit one
        joint, follow the bodies and are called "body/joint". Coordinates and degrees of freedom are in MuJoCo's
        order, so joint_q equals qpos except for quaternions (xyzw); carom.mujoco converts states. A joint that is
        several MuJoCo joints has their names joined by "+". Each child of the world body is an articulation with
        its name.

        Gravity and options (timestep, integrator, cone, impratio, fluid) travel with the builder. Activations are one
        for each actuator. Shapes have no
        thickness, planes are infinite and colliding meshes are convex hulls, as they are for MuJoCo; the
        base of a heightfield is left out. enable_self_collisions=False: geoms of moving bodies touch no other ones
        of the model, only what stands still.

        Anything that would change the motion and cannot be expressed is an Error, which lists all of it. What is named
        in `ignore` is left out instead, with a warning that lists it; the names are in the Error and in
        carom.mujoco.IGNORABLE."""
        mujoco = _import_mujoco()
        if not isinstance(mj_model, mujoco.MjModel):
            raise Error(
                f"from_mujoco: expected a mujoco.MjModel, is {type(mj_model).__name__}; compile one with "
                "mujoco.MjModel.from_xml_path"
            )
        _check(mujoco, mj_model, ignore)
        builder: Builder = _Import(
            sys.modules[builder_class.__module__], mujoco, mj_model, enable_self_collisions, ignore
        ).build()
        return builder

    from_mujoco.__qualname__ = "from_mujoco"
    return from_mujoco


def _check(mujoco: Any, model: Any, ignore: Collection[str]) -> None:
    """An Error for what the model asks for and nobody ignores, a warning for what is left out."""
    if isinstance(ignore, str) or not set(ignore) <= set(IGNORABLE):
        names = [ignore] if isinstance(ignore, str) else sorted(set(ignore) - set(IGNORABLE))
        unknown = ", ".join(map(repr, names))
        raise Error(f"from_mujoco: ignore is a list of names out of: {', '.join(IGNORABLE)}; unknown: {unknown}")
    name = model.names.split(b"\0", 1)[0].decode()
    problems = unsupported(mujoco, model, ignore)
    left = [problem for problem in problems if problem.name not in ignore]
    if left:
        lines = "\n  ".join(problem.line for problem in left)
        names = sorted({problem.name for problem in left if problem.name})
        hint = f"\nwhat can be left out: ignore={names}" if names else ""
        raise Error(f"from_mujoco: carom cannot express what model '{name}' asks for:\n  {lines}{hint}")
    if problems:
        lines = "\n  ".join(f"{problem.line} ({IGNORABLE[str(problem.name)]})" for problem in problems)
        warnings.warn(f"from_mujoco: left out of model '{name}':\n  {lines}", stacklevel=3)


def _import_mujoco() -> Any:
    install = "install it with: pip install 'carom[mujoco]'"
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError as error:
        raise Error(f"from_mujoco: needs the package mujoco 4.0 or newer; {install}") from error
    version = str(getattr(mujoco, "__version__", "0"))
    if int(version.split(".")[0]) < 4:
        raise Error(f"from_mujoco: needs the package mujoco 4.0 or newer, found {version}; {install}")
    return mujoco


class _Import:
    """Fills a builder; one method per kind of thing, in this order."""

    def __init__(self, carom: Any, mujoco: Any, model: Any, self_collisions: bool, ignore: Collection[str]) -> None:
        self.carom, self.mujoco, self.model = carom, mujoco, model
        self.self_collisions, self.ignore = self_collisions, ignore
        self.builder = carom.ModelBuilder()
        self.links: dict[tuple[int, int], int] = {}  # (body, run): the massless link that the run moves
        self.axis_of: dict[int, tuple[int, int]] = {}  # MuJoCo joint: (joint, axis in it)
        self.turning_joint: dict[int, int] = {}  # MuJoCo joint, free or ball: joint

    def build(self) -> Any:
        self.builder.gravity = tuple(self.model.opt.gravity) if self.has("GRAVITY") else (0, 0, 0)
        self.builder.options = self.options()
        self.runs = [joint_runs(self.model, body) for body in range(self.model.nbody)]
        self.pairs = [pair for pair in range(self.model.npair) if self.is_expressed(pair)]
        self.paired = {int(geom) for pair in self.pairs for geom in self.geoms_of(pair)}
        self.add_bodies()
        self.add_joints()
        self.add_shapes()
        self.add_filters()
        for pair in self.pairs:
            self.add_pair(pair)
        actuation = Actuation(self)
        actuation.add_tendons()
        actuation.add_actuators()
        self.add_equalities()
        return self.builder

    def has(self, what: str) -> bool:
        """Whether the model has forces of this kind: no flag disables them, and nobody ignores them."""
        disabled = self.model.opt.disableflags
        bits = self.mujoco.mjtDisableBit
        if what == "FRICTIONLOSS" and "frictionloss" in self.ignore:
            return False
        if what in ("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT") and disabled & int(bits.mjDSBL_CONSTRAINT):
            return False
        if what == "PASSIVE":  # springs and dampers take gravcomp and the fluid with them
            return self.has("SPRING") or self.has("DAMPER")
        return not disabled & int(bits.__members__["mjDSBL_" + what])

    def overrides(self) -> bool:
        """Whether all contacts have the numbers of the options."""
        return bool(self.model.opt.enableflags & int(self.mujoco.mjtEnableBit.mjENBL_OVERRIDE))

    def options(self) -> Any:
        mujoco, option = self.mujoco, self.model.opt
        integrators = {
            mujoco.mjtIntegrator.mjINT_IMPLICITFAST: "implicitfast",
            mujoco.mjtIntegrator.mjINT_IMPLICIT: "implicit",
            mujoco.mjtIntegrator.mjINT_RK4: "rk4",
            mujoco.mjtIntegrator.mjINT_DISCRETE: "discrete",
        }
        return self.carom.ModelOptions(
            timestep=float(option.timestep),
            integrator=integrators.get(option.integrator, "euler"),
            euler_damping=self.has("EULERDAMP"),
            cone="elliptic" if option.cone == mujoco.mjtCone.mjCONE_ELLIPTIC else "pyramidal",
            impratio=float(option.impratio),
            refsafe=self.has("REFSAFE"),
            diagexact=bool(option.enableflags & int(mujoco.mjtEnableBit.mjENBL_DIAGEXACT)),
            speculative=bool(option.enableflags & int(mujoco.mjtEnableBit.mjENBL_SPECULATIVE)),
            noslip_iterations=0 if "noslip" in self.ignore else int(option.noslip_iterations),
            noslip_tolerance=float(option.noslip_tolerance),
            sleep=self.sleeps(),
            sleep_tolerance=float(option.sleep_tolerance),
            **self.fluid(),
        )

    def sleeps(self) -> bool:
        flags = self.model.opt.enableflags & int(self.mujoco.mjtEnableBit.mjENBL_SLEEP)
        return bool(flags) and "flag" not in self.ignore

    def sleep_policies(self) -> dict[int, str]:
        """Of trees, by their roots."""
        kinds = self.mujoco.mjtSleepPolicy
        names = {kinds.mjSLEEP_AUTO: "auto", kinds.mjSLEEP_INIT: "init"}
        names |= dict.fromkeys([kinds.mjSLEEP_AUTO_NEVER, kinds.mjSLEEP_NEVER], "never")
        names |= dict.fromkeys([kinds.mjSLEEP_AUTO_ALLOWED, kinds.mjSLEEP_ALLOWED], "allowed")
        trees = zip(self.model.tree_bodyadr, self.model.tree_sleep_policy, strict=True)
        return {int(root): names[kinds(int(policy))] for root, policy in trees}

    def fluid(self) -> dict[str, Any]:
        option = self.model.opt
        if "fluid" in self.ignore or not self.has("PASSIVE"):
            return {}
        return {"density": float(option.density), "viscosity": float(option.viscosity), "wind": option.wind}

    def key(self, kind: str, i: int) -> str | None:
        enum = getattr(self.mujoco.mjtObj, "mjOBJ_" + kind)
        return self.mujoco.mj_id2name(self.model, enum, int(i)) or None

    # -- Bodies and joints

    def add_bodies(self) -> None:
        model = self.model
        data = self.mujoco.MjData(model)
        self.mujoco.mj_kinematics(model, data)
        frames = [pose(data.xpos[b], _rotation.from_wxyz(data.xquat[b])) for b in range(model.nbody)]
        keys = {self.key("BODY", body) for body in range(1, model.nbody)}
        compensated = "gravcomp" not in self.ignore and self.has("PASSIVE")
        policies = self.sleep_policies() if self.sleeps() else {}
        for body in range(1, model.nbody):
            frame = inertial_frame(model, body)
            axes = _rotation.to_matrix(frame[3:])
            inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
            self.builder.add_link(
                xform=frames[body],
                com=frame[:3],
                inertia=(inertia + inertia.T) / 2,
                mass=float(model.body_mass[body]),
                gravcomp=float(model.body_gravcomp[body]) if compensated else 0.0,
                fluid_axes=frame[3:],
                key=self.key("BODY", body),
                lock_inertia=True,
                is_kinematic=bool(model.body_mocapid[body] >= 0),
                sleep=policies.get(body, "auto"),
            )
        # At qpos0 no joint is displaced, so the frames between the runs are where the body is.
        for body in range(1, model.nbody):
            for number, run in enumerate(self.runs[body][:-1]):
                joint = run.joints[0]
                key = f"{self.key('BODY', body) or body}/{self.key('JOINT', joint) or joint}"
                link = self.builder.add_link(
                    xform=frames[body],
                    key=None if key in keys else key,
                    lock_inertia=True,
                    sleep=policies.get(body, "auto"),
                )
                self.links[body, number] = link

    def add_joints(self) -> None:
        model = self.model
        articulations: dict[int, list[int]] = {}
        for body in range(1, model.nbody):
            parent = int(model.body_parentid[body]) - 1
            frame = pose(model.body_pos[body], _rotation.from_wxyz(model.body_quat[body]))
            joints = articulations.setdefault(int(model.body_rootid[body]), [])
            if model.body_mocapid[body] >= 0:
                joints.append(self.builder.add_joint_free(body - 1))
            elif not self.runs[body]:
                joints.append(self.builder.add_joint_fixed(parent, body - 1, parent_xform=frame))
            for number, run in enumerate(self.runs[body]):
                child = self.links.get((body, number), body - 1)
                joints.append(self.add_joint(run, parent, child, frame))
                parent, frame = child, pose()
        for root, joints in articulations.items():
            self.builder.add_articulation(joints, key=self.key("BODY", root))

    def add_joint(self, run: Any, parent: int, child: int, frame: Floats) -> Any:
        names = [self.key("JOINT", joint) for joint in run.joints]
        common = {
            "parent_xform": run.parent_frame(frame),
            "child_xform": run.child_frame(),
            "key": "+".join(name for name in names if name) or None,
        }
        if isinstance(run, TurningJoint):
            return self.add_turning_joint(run, parent, child, common)

        numbers = [self.axis_numbers(joint) for joint in run.joints]
        axes = [dict(axis=axis, **dof) for axis, dof in zip(run.slides + run.hinges, numbers)]
        if len(axes) == 1:
            add = self.builder.add_joint_prismatic if run.slides else self.builder.add_joint_revolute
            joint = add(parent, child, **axes[0], **common)
        else:
            configs = [self.carom.JointDofConfig(**axis) for axis in axes]
            linear, angular = configs[: len(run.slides)], configs[len(run.slides) :]
            joint = self.builder.add_joint_d6(parent, child, linear_axes=linear, angular_axes=angular, **common)
        self.builder.set_joint_q(joint, self.model.qpos0[self.model.jnt_qposadr[run.joints]])
        self.axis_of.update({mj_joint: (joint, axis) for axis, mj_joint in enumerate(run.joints)})
        return joint

    def add_turning_joint(self, run: TurningJoint, parent: int, child: int, common: dict[str, Any]) -> Any:
        model, mj_joint = self.model, run.joints[0]
        q, numbers = int(model.jnt_qposadr[mj_joint]), self.axis_numbers(mj_joint)
        spring = model.qpos_spring[q : q + (7 if run.free else 4)]
        for name in ("spring_ref", "effort_lower", "effort_upper"):  # MuJoCo bounds the efforts of axes alone
            del numbers[name]
        if run.free:
            joint = self.builder.add_joint_free(child, **numbers, **common)
        else:
            numbers["limit_lower"] = -_UNLIMITED  # it counts from no rotation at all
            joint = self.builder.add_joint_ball(parent, child, **numbers, **common)
            self.builder.set_joint_q(joint, _rotation.from_wxyz(model.qpos0[q : q + 4]))
        if numbers["stiffness"] != 0 or np.any(numbers["stiffness_poly"]) or numbers["spring_yield"] > 0:
            turn = _rotation.to_vector(_rotation.from_wxyz(spring[-4:]))
            self.builder.set_joint_spring_ref(joint, np.concatenate([spring[:-4], turn]))
        self.turning_joint[mj_joint] = joint
        return joint

    def spring_yield(self, given: float) -> float:
        """Of a joint or a tendon; 0: never."""
        yields = "springyield" not in self.ignore and self.has("SPRING") and np.isfinite(given)
        return float(given) if yields else 0.0

    def axis_numbers(self, joint: int) -> dict[str, Any]:
        """What JointDofConfig says about each axis of a joint, the axis itself aside."""
        model, dof = self.model, self.model.jnt_dofadr[joint]
        springs, dampers = float(self.has("SPRING")), float(self.has("DAMPER"))
        motors = rotors(self.mujoco, model, joint, "JOINT", "JOINTINPARENT")
        numbers: dict[str, Any] = {
            "stiffness": springs * float(model.jnt_stiffness[joint]),
            "stiffness_poly": springs * model.jnt_stiffnesspoly[joint],
            "spring_ref": float(model.qpos_spring[model.jnt_qposadr[joint]]),
            "spring_yield": self.spring_yield(model.jnt_springyield[joint]),
            "damping": dampers * (float(model.dof_damping[dof]) + motors.damping),
            "damping_poly": dampers * (model.dof_dampingpoly[dof] + motors.damping_poly),
            "armature": float(model.dof_armature[dof]) + motors.armature,
            "gravcomp_by_motor": bool(model.jnt_actgravcomp[joint]),
            "friction": float(model.dof_frictionloss[dof]) if self.has("FRICTIONLOSS") else 0.0,
            "friction_solref": model.dof_solref[dof],
            "friction_solimp": model.dof_solimp[dof],
            "effort_lower": -_UNLIMITED,
            "effort_upper": _UNLIMITED,
        }
        if model.jnt_actfrclimited[joint]:
            numbers.update(zip(("effort_lower", "effort_upper"), map(float, model.jnt_actfrcrange[joint])))
        if model.jnt_actgravcomp[joint] and not (self.has("ACTUATION") and model.nactuator):
            numbers.update(effort_lower=0.0, effort_upper=0.0)  # without actuation nobody carries
        if model.jnt_limited[joint] and self.has("LIMIT"):
            numbers.update(limit(model.jnt_range, model.jnt_margin, model.jnt_solref, model.jnt_solimp, joint))
        return numbers

    # -- Shapes

    def add_shapes(self) -> None:
        meshes: dict[tuple[int, bool], Any] = {}
        for geom in range(self.model.ngeom):
            self.add_shape(geom, meshes)

    def add_shape(self, geom: int, meshes: dict[tuple[int, bool], Any]) -> None:
        model, kinds, builder = self.model, self.mujoco.mjtGeom, self.builder
        kind, size = kinds(int(model.geom_type[geom])), [float(number) for number in model.geom_size[geom]]
        where = {"body": int(model.geom_bodyid[geom]) - 1}
        common: dict[str, Any] = {
            "xform": geom_frame(model, geom),
            "cfg": self.shape_config(geom),
            "key": self.key("GEOM", geom),
        }
        if kind == kinds.mjGEOM_PLANE:
            builder.add_shape_plane(**where, **common)
        elif kind == kinds.mjGEOM_SPHERE:
            builder.add_shape_sphere(**where, radius=size[0], **common)
        elif kind == kinds.mjGEOM_CAPSULE:
            builder.add_shape_capsule(**where, radius=size[0], half_height=size[1], **common)
        elif kind == kinds.mjGEOM_CYLINDER:
            builder.add_shape_cylinder(**where, radius=size[0], half_height=size[1], **common)
        elif kind == kinds.mjGEOM_ELLIPSOID:
            builder.add_shape_ellipsoid(**where, rx=size[0], ry=size[1], rz=size[2], **common)
        elif kind == kinds.mjGEOM_BOX:
            builder.add_shape_box(**where, hx=size[0], hy=size[1], hz=size[2], **common)
        elif kind == kinds.mjGEOM_MESH:
            collides = common["cfg"].has_shape_collision
            mesh_and_use = int(model.geom_dataid[geom]), bool(collides)
            if mesh_and_use not in meshes:
                meshes[mesh_and_use] = self.mesh(*mesh_and_use)
            add = builder.add_shape_convex_hull if collides else builder.add_shape_mesh
            add(**where, mesh=meshes[mesh_and_use], **common)
        elif kind == kinds.mjGEOM_HFIELD:
            self.add_heightfield(geom, common)
        else:
            raise Error(f"from_mujoco: geom {geom} has the unknown type {kind}")

    def shape_config(self, geom: int) -> Any:
        model = self.model
        masks = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        collides = (masks or geom in self.paired) and self.has("CONTACT")
        margin, gap = float(model.geom_margin[geom]), float(model.geom_gap[geom])
        friction, solref, solimp = model.geom_friction[geom], model.geom_solref[geom], model.geom_solimp[geom]
        if self.overrides():
            margin = float(model.opt.o_margin) / 2  # margins of two geoms are added
            friction, solref, solimp = model.opt.o_friction[[0, 2, 3]], model.opt.o_solref, model.opt.o_solimp
        for pair in self.pairs:  # contacts of pairs must be found, too
            if geom in self.geoms_of(pair):
                reach = model.opt.o_margin if self.overrides() else model.pair_margin[pair]
                gap = max(gap, float(reach + model.pair_gap[pair]) / 2 - margin)
        contact_margin = max(margin + gap, 0.0)
        kinds = self.mujoco.mjtGeom
        without_end = model.geom_type[geom] in (kinds.mjGEOM_PLANE, kinds.mjGEOM_HFIELD)
        return self.carom.ShapeConfig(
            density=0,
            thickness=0,
            mu=float(friction[0]),
            torsional_friction=float(friction[1]),
            rolling_friction=float(friction[2]),
            contact_margin=contact_margin,
            gap=contact_margin - margin if collides else 0,
            adhesion=0.0 if "adhesion" in self.ignore else float(model.geom_adhesion[geom]),
            surface_velocity=(0,) * 6 if "surfacevel" in self.ignore else model.geom_surfacevel[geom],
            fluid_ellipsoid=bool(model.geom_fluid[geom, 0] > 0 and not without_end),
            fluid_coef=model.geom_fluid[geom, 1:6],
            contype=int(model.geom_contype[geom]),
            conaffinity=int(model.geom_conaffinity[geom]),
            condim=int(model.geom_condim[geom]),
            priority=int(model.geom_priority[geom]),
            solmix=float(model.geom_solmix[geom]),
            solref=solref,
            solimp=solimp,
            collision_group=1,
            collision_filter_parent=False,
            has_shape_collision=collides,
            has_particle_collision=collides,
            is_visible=bool(model.geom_group[geom] < 3),  # the groups that MuJoCo's viewers show at first
        )

    def mesh(self, mesh: int, hull: bool) -> Any:
        """The mesh as it is, or the hull that MuJoCo made of it."""
        model = self.model
        first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        vertices = np.array(model.mesh_vert[first : first + count], np.float64)
        first, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
        triangles = np.array(model.mesh_face[first : first + count])
        graph = model.mesh_graphadr[mesh]
        if hull and graph >= 0:
            # The graph: counts of vertices and faces; per vertex its first edge and its number in the mesh; edges;
            # faces, three vertices of the mesh each.
            vertex_count, face_count = (int(number) for number in model.mesh_graph[graph : graph + 2])
            chosen = model.mesh_graph[graph + 2 + vertex_count :][:vertex_count]
            faces = model.mesh_graph[graph + 2 + 3 * vertex_count + 3 * face_count :][: 3 * face_count]
            new_number = np.full(len(vertices), -1)
            new_number[chosen] = np.arange(vertex_count)
            vertices, triangles = vertices[chosen], new_number[faces]
        return self.carom.Mesh(vertices, triangles.ravel())

    def add_heightfield(self, geom: int, common: dict[str, Any]) -> None:
        model, field = self.model, self.model.geom_dataid[geom]
        nrow, ncol = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
        hx, hy, top, _ = (float(number) for number in model.hfield_size[field])
        first = model.hfield_adr[field]
        heights = top * np.array(model.hfield_data[first : first + nrow * ncol], np.float64)
        body = int(model.geom_bodyid[geom])
        while body > 0:  # at rest, welded to the world
            frame = pose(model.body_pos[body], _rotation.from_wxyz(model.body_quat[body]))
            common["xform"] = compose(frame, common["xform"])
            body = int(model.body_parentid[body])
        self.builder.add_shape_heightfield(self.carom.Heightfield(heights, nrow, ncol, hx=hx, hy=hy), **common)

    # -- Which shapes can touch

    def add_filters(self) -> None:
        """MuJoCo's filters between bodies as pairs of shapes, except for pairs that contype and conaffinity exclude."""
        model, body = self.model, self.model.geom_bodyid
        weld = model.body_weldid[body]
        parent_weld = model.body_weldid[model.body_parentid[weld]]
        excluded: dict[int, list[int]] = {}  # the other bodies that a body may not touch
        for signature in model.exclude_signature:
            first, second = int(signature) >> 16, int(signature) & 0xFFFF
            excluded.setdefault(first, []).append(second)
            excluded.setdefault(second, []).append(first)
        filter_parent = self.has("FILTERPARENT")
        for a in range(model.ngeom):
            b = slice(a + 1, None)
            masks = (model.geom_contype[a] & model.geom_conaffinity[b]) | (
                model.geom_contype[b] & model.geom_conaffinity[a]
            )
            filtered = weld[b] == weld[a]  # also two static ones: both are welded to the world
            if filter_parent and weld[a] != 0:
                filtered |= (weld[b] != 0) & ((weld[b] == parent_weld[a]) | (parent_weld[b] == weld[a]))
            filtered |= np.isin(body[b], excluded.get(int(body[a]), []))
            if not self.self_collisions and weld[a] != 0:
                filtered |= weld[b] != 0
            for offset in np.flatnonzero(filtered & (masks != 0)):
                self.builder.add_shape_collision_filter_pair(a, a + 1 + int(offset))

    def geoms_of(self, pair: int) -> tuple[int, int]:
        return int(self.model.pair_geom1[pair]), int(self.model.pair_geom2[pair])

    def is_expressed(self, pair: int) -> bool:
        """Whether the pair is one of the builder's: not one that is ignored, or without self-collisions."""
        model = self.model
        moving = [model.body_weldid[model.geom_bodyid[geom]] != 0 for geom in self.geoms_of(pair)]
        return "pair" not in self.ignore and self.has("CONTACT") and (self.self_collisions or not all(moving))

    def add_pair(self, pair: int) -> None:
        model, option = self.model, self.model.opt
        overridden = self.overrides()
        self.builder.add_contact_pair(
            *self.geoms_of(pair),
            condim=int(model.pair_dim[pair]),
            friction=option.o_friction if overridden else model.pair_friction[pair],
            solref=option.o_solref if overridden else model.pair_solref[pair],
            solref_friction=option.o_solref if overridden else model.pair_solreffriction[pair],
            solimp=option.o_solimp if overridden else model.pair_solimp[pair],
            margin=float(option.o_margin if overridden else model.pair_margin[pair]),
            gap=float(model.pair_gap[pair]),
            adhesion=0.0 if "adhesion" in self.ignore else float(model.pair_adhesion[pair]),
            key=self.key("PAIR", pair),
        )

    # -- Equality constraints

    def add_equalities(self) -> None:
        model, kinds = self.model, self.mujoco.mjtEq
        for i in range(0 if "equality" in self.ignore else model.neq):
            common = {
                "key": self.key("EQUALITY", i),
                "enabled": bool(model.eq_active0[i]) and self.has("EQUALITY"),
                "solref": model.eq_solref[i],
                "solimp": model.eq_solimp[i],
            }
            first, second = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
            coefficients = model.eq_data[i, :5]
            if model.eq_type[i] == int(kinds.mjEQ_JOINT):
                at = [float(model.qpos0[model.jnt_qposadr[j]]) if j >= 0 else 0.0 for j in (first, second)]
                (joint1, axis1), (joint2, axis2) = self.axis_of[first], self.axis_of.get(second, (-1, 0))
                self.builder.add_equality_constraint_joint(
                    joint1, joint2, _shifted(coefficients, *at), axis1=axis1, axis2=axis2, **common
                )
            elif model.eq_type[i] in (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD)):
                self.add_tie(i, common)
            else:
                at = [float(model.tendon_length0[t]) if t >= 0 else 0.0 for t in (first, second)]
                self.builder.add_equality_constraint_tendon(first, second, _shifted(coefficients, *at), **common)

    def add_tie(self, i: int, common: dict[str, Any]) -> None:
        """A connect or weld of two bodies, or of two sites of bodies."""
        model, data = self.model, self.model.eq_data[i]
        ends = [int(model.eq_obj1id[i]), int(model.eq_obj2id[i])]
        frames = [pose(), pose()]  # of what is tied together, in the bodies
        if model.eq_objtype[i] == int(self.mujoco.mjtObj.mjOBJ_SITE):
            frames = [site_frame(model, site) for site in ends]
            ends = [int(model.site_bodyid[site]) for site in ends]
            anchors = [frame[:3] for frame in frames]
        elif model.eq_type[i] == int(self.mujoco.mjtEq.mjEQ_CONNECT):
            anchors = [data[:3], data[3:6]]
        else:
            anchors = [data[3:6], data[:3]]
            frames[0] = pose((0, 0, 0), _rotation.from_wxyz(data[6:10]))
        bodies = {"body1": ends[0] - 1, "body2": ends[1] - 1}
        if model.eq_type[i] == int(self.mujoco.mjtEq.mjEQ_CONNECT):
            self.builder.add_equality_constraint_connect(**bodies, anchor=anchors[0], anchor2=anchors[1], **common)
            return
        turn = _rotation.multiply(frames[0][3:], _rotation.conjugate(frames[1][3:]))
        relpose = pose(np.array(anchors[0]) - _rotation.rotate(turn, np.array(anchors[1])), turn)
        self.builder.add_equality_constraint_weld(
            **bodies, anchor=anchors[1], relpose=relpose, torquescale=float(data[10]), axes=frames[1][3:], **common
        )


def _shifted(coefficients: Any, y0: float, x0: float) -> Any:
    """The coefficients of y = y0 + p(x - x0), by powers of x."""
    polynomial = np.polynomial.Polynomial(coefficients)
    result = np.zeros(5)
    shifted = polynomial(np.polynomial.Polynomial([-x0, 1])).coef
    result[: len(shifted)] = shifted
    result[0] += y0
    return result
