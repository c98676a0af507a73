"""What was read from a stage, as rows of a builder of one world."""

import sys
from typing import Any

from carom.usd import _coordinates as coordinates
from carom.usd import _frames
from carom.usd._bodies import initial_velocity
from carom.usd._constraints import close_loop, follow
from carom.usd._custom import Custom
from carom.usd._joints import plain
from carom.usd._pxr import Gf
from carom.usd._scene import Articulation, Body, Joint, Scene, Shape
from carom.usd._stage import Item

_APART = 1e-3  # that frames of a joint may be apart where it holds them together, without a word [m]


class WorldBuilder:
    def __init__(self, scene: Scene, builder: Any, custom: Custom) -> None:
        self.scene = scene
        self.builder = builder
        self.custom = custom
        self._used: set[str] = set()  # keys of articulations
        self.equalities: list[tuple[str, int]] = []

    def add(self, bodies: list[Body], articulations: list[Articulation], shapes: list[Shape],
            loops: list[Joint]) -> None:
        for body in bodies:
            self._add_body(body)
        for articulation in articulations:
            self._add_articulation(articulation)
        filters_parent = {}
        for articulation in articulations:
            for joint, body, _ in articulation.joints:
                filters_parent[body] = joint is None or not joint.collides
        for shape in shapes:
            self._add_shape(shape, filters_parent.get(shape.body, True))  # type: ignore[arg-type]
        for joint in loops:
            close_loop(self, joint)
        for joint, _, _ in (row for articulation in articulations for row in articulation.joints):
            if joint is not None and "newton:mimicJoint" in joint.item.names:
                follow(self, joint)

    def key(self, item: Item) -> str:
        return str(self.scene.stage.value(item, "carom:key", item.path))

    def call(self, item: Item, method: str, *args: Any, **options: Any) -> int:
        """A method of the builder, whose Errors are those of the prim."""
        try:
            return int(getattr(self.builder, method)(*args, **options))
        except ValueError as error:
            self.scene.stage.report.fail(item.path, str(error))
        except TypeError:  # the rest is checked where it is read
            self.scene.stage.report.fail(item.path, "an attribute carom:... has a value of another type than "
                                                    "to_usd() gives")

    def _put(self, item: Item, cfg: Any, name: str, value: Any) -> None:
        """A field of a config that an attribute carom:NAME gives."""
        if not hasattr(cfg, name):
            self.scene.stage.report.warn(item.path, f"carom:{name} is not understood, and left out")
            return
        try:
            setattr(cfg, name, value)
        except (TypeError, ValueError, AttributeError):
            self.scene.stage.report.fail(item.path, f"carom:{name} cannot be {value!r}")

    def _keep(self, kind: str, row: int, item: Item) -> None:
        values = self.custom.of(kind, item)
        if values:
            self.builder.set_custom_attributes(kind, row, values)

    # -- Bodies and the joints that move them

    def _add_body(self, body: Body) -> None:
        extra = {name: plain(value) for name, value in self.extras(body.item) if name == "gravcomp"}
        body.index = self.call(
            body.item, "add_link", xform=_frames.pose(body.X), mass=body.mass, com=body.com, inertia=body.inertia,
            key=self.key(body.item), lock_inertia=True, is_kinematic=body.kinematic, **extra)
        self._keep("body", body.index, body.item)

    def _add_articulation(self, articulation: Articulation) -> None:
        carried = {parent for _, _, parent in articulation.joints}
        joints = []
        for joint, body, parent in articulation.joints:
            if body.mass == 0 and not body.kinematic:
                self._check_massless(joint, body, body in carried)
            row = self._add_free(body) if joint is None else self._add_joint(joint, body, parent)
            joints.append(row)
        key = articulation.path if articulation.path not in self._used else articulation.bodies[0].item.path
        self._used.add(key)
        root = self.scene.stage.by_path[key]
        articulation.index = self.call(root, "add_articulation", joints,
                                        key=self.key(root) if root.kind == "" else key)
        self._keep("articulation", articulation.index, root)

    def _check_massless(self, joint: Joint | None, body: Body, carries: bool) -> None:
        report = self.scene.stage.report
        if joint is not None and (joint.kind == "fixed" or carries):
            report.warn(body.item.path, "has neither mass nor colliders; its mass is 0")
        else:
            report.fail(body.item.path, "moves and has neither mass nor colliders; give physics:mass (PhysicsMassAPI)")

    def extras(self, item: Item) -> list[tuple[str, Any]]:
        """carom:NAME and its values, what to_usd() wrote beside USD's words."""
        return [(name[len("carom:") :], self.scene.stage.value(item, name)) for name in sorted(item.names)
                if name.startswith("carom:")]

    def _add_free(self, body: Body) -> int:
        numbers = {name[len("free:") :]: plain(value) for name, value in self.extras(body.item)
                   if name.startswith("free:")}
        key = numbers.pop("key", None)
        row = self.call(body.item, "add_joint_free", body.index, key=key, **numbers)
        velocity = initial_velocity(self.scene, body)
        if velocity is not None:
            self.builder.set_joint_qd(row, velocity)
        return row

    def _add_joint(self, joint: Joint, child: Body, parent: Body | None) -> int:
        turned = joint.bodies[1] is not child
        frame_p, frame_c = (joint.frames[1], joint.frames[0]) if turned else joint.frames
        options: dict[str, Any] = {
            "parent_xform": _frames.pose(frame_p * parent.X.GetInverse() if parent else frame_p),
            "child_xform": _frames.pose(frame_c * child.X.GetInverse()),
            "key": self.key(joint.item), "enabled": joint.enabled}
        ends = (parent.index if parent else -1, child.index)
        linear, angular = self._axes(joint, turned)
        if joint.kind in ("revolute", "prismatic", "ball"):
            numbers = dict((linear or angular)[0])
            if joint.kind == "ball":
                numbers.pop("axis")
            row = self.call(joint.item, f"add_joint_{joint.kind}", *ends, **options, **numbers)
        elif joint.kind == "d6":
            row = self.call(joint.item, "add_joint_d6", *ends, [self._dof(joint, n) for n in linear],
                             [self._dof(joint, n) for n in angular], **options)
        elif joint.kind == "distance":
            low, high = joint.distance
            row = self.call(joint.item, "add_joint_distance", *ends, min_distance=low, max_distance=high, **options)
        else:
            row = self.call(joint.item, "add_joint_fixed", *ends, **options)
        joint.index = row
        self._set_coordinates(joint, row, frame_p, frame_c, linear, angular)
        self._keep("joint", row, joint.item)
        return row

    def _axes(self, joint: Joint, turned: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Seen from the other side, axes point the other way, and those that turn follow each other in reverse."""
        if not turned:
            return joint.linear, joint.angular
        if joint.linear and joint.angular:
            self.scene.stage.report.fail(joint.item.path, "slides and turns, and its second body carries the first; "
                                                          "swap physics:body0 and physics:body1, with their frames")
        back = [[dof | {"axis": tuple(-x for x in dof["axis"])} for dof in dofs]
                for dofs in (joint.linear, joint.angular[::-1])]
        return back[0], back[1]

    def _dof(self, joint: Joint, numbers: dict[str, Any]) -> Any:
        cfg = self.builder.default_joint_cfg.copy()
        for name, value in numbers.items():
            self._put(joint.item, cfg, name, value)
        return cfg

    def _set_coordinates(self, joint: Joint, row: int, frame_p: Gf.Matrix4d, frame_c: Gf.Matrix4d,
                         linear: list[dict[str, Any]], angular: list[dict[str, Any]]) -> None:
        place, q = coordinates.between(frame_p, frame_c)
        known = self.scene.stage.value(joint.item, "carom:q")
        if joint.kind == "ball":
            values = coordinates.seven(place, q)[3:]
        elif joint.kind == "distance":
            values = coordinates.seven(place, q)
        else:
            values = coordinates.of_axes(place, q, [coordinates.unit(dof["axis"]) for dof in linear],
                                         [coordinates.unit(dof["axis"]) for dof in angular])
        self._check_fit(joint, place, linear)
        if known is not None and len(known) == len(values):
            values = plain(known)
        speed = self.scene.stage.value(joint.item, "carom:qd")
        if values and any(values) or speed is not None:
            try:
                self.builder.set_joint_q(row, values)
                if speed is not None:
                    self.builder.set_joint_qd(row, plain(speed))
            except (ValueError, TypeError) as error:
                self.scene.stage.report.fail(joint.item.path, str(error).split("\n")[0])

    def _check_fit(self, joint: Joint, place: Gf.Vec3d, linear: list[dict[str, Any]]) -> None:
        if joint.kind == "distance":
            return
        rest = place
        for dof in linear:
            axis = coordinates.unit(dof["axis"])
            rest = rest - axis * Gf.Dot(rest, axis)
        if rest.GetLength() > _APART:
            self.scene.stage.report.warn(joint.item.path, f"its frames are {rest.GetLength():.3g} m apart; the second "
                                                          "body is put where the joint says")

    # -- Shapes

    def _add_site(self, shape: Shape, xform: list[float]) -> int:
        """A site as to_usd() writes it; its sizes are the scale of the shape that it looks like."""
        kind = shape.method[len("add_shape_") :].upper()
        types = sys.modules[type(self.builder).__module__].ShapeType
        numbers = [value for value in shape.sizes.values() if isinstance(value, float)]
        return self.call(shape.item, "add_site", shape.body.index if shape.body else -1, xform=xform,
                          type=getattr(types, kind), scale=[*numbers, 0.0, 0.0][:3] if numbers else [1.0, 1.0, 1.0],
                          key=self.key(shape.item), mesh=shape.sizes.get("mesh"))

    def _add_shape(self, shape: Shape, filters_parent: bool) -> None:
        builder, body = self.builder, shape.body
        X = shape.X * body.X.GetInverse() if body else shape.X
        if shape.is_site:
            shape.index = self._add_site(shape, _frames.pose(X))
            return
        cfg = builder.default_shape_cfg.copy()
        cfg.density = 0.0  # bodies have their masses
        cfg.collision_filter_parent = cfg.collision_filter_parent and filters_parent
        extras = {name: plain(value) for name, value in self.extras(shape.collider)}
        for name, value in (shape.config | extras).items():
            if name not in ("key", "finite") and (hasattr(cfg, name) or shape.collider.path not in self.scene.body_of):
                self._put(shape.collider, cfg, name, value)
        shape.index = self.call(shape.item, shape.method, body=body.index if body else -1, xform=_frames.pose(X),
                                 cfg=cfg, key=self.key(shape.item), **shape.sizes)
        self._keep("shape", shape.index, shape.item)
