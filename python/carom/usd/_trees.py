"""Which joints move bodies and which close loops: a body is moved by one joint, from the root of its tree on.

Joints are taken in the order of the stage, those that are excluded from articulations not at all; one whose bodies are
joined already closes a loop. Trees hang on the world where one of their joints does; others float, from the body that
ArticulationRootAPI marks, or their first body that no joint has as its second."""

from carom.usd._scene import Articulation, Body, Joint, Scene

_Edge = tuple[Joint, Body | None, Body | None]


class _Sets:
    """Disjoint sets of bodies and the world."""

    def __init__(self) -> None:
        self._above: dict[Body | None, Body | None] = {}

    def find(self, body: Body | None) -> Body | None:
        while body in self._above:
            above = self._above[body]
            if above in self._above:
                self._above[body] = self._above[above]
            body = above
        return body

    def join(self, a: Body | None, b: Body | None) -> bool:
        """False when they are joined already."""
        a, b = self.find(a), self.find(b)
        if a is b:
            return False
        # The world stays the root of its set.
        if a is None:
            a, b = b, a
        self._above[a] = b
        return True


def plan(scene: Scene) -> tuple[list[Articulation], list[Joint]]:
    """The trees in the order of their first bodies, and the joints that close loops."""
    sets, loops = _Sets(), []
    edges: dict[Body | None, list[Joint]] = {}
    for joint in scene.joints:
        _check_worlds(scene, joint)
        if joint.apart or not sets.join(*joint.bodies):
            loops.append(joint)
            continue
        for body in joint.bodies:
            edges.setdefault(body, []).append(joint)
    _check_kinematic(scene, edges)
    moved: dict[Body, tuple[Joint | None, Body | None]] = {}
    for joint in edges.get(None, ()):
        _hang(joint, None, edges, moved)
    for body in _roots(scene):
        if body not in moved:
            moved[body] = (None, None)
            for joint in edges.get(body, ()):
                _hang(joint, body, edges, moved)
    return _articulations(scene, moved), loops


def _hang(joint: Joint, parent: Body | None, edges: dict[Body | None, list[Joint]],
          moved: dict[Body, tuple[Joint | None, Body | None]]) -> None:
    """What a joint carries, away from the parent."""
    waiting = [(joint, parent)]
    while waiting:
        joint, parent = waiting.pop()
        child = joint.bodies[1] if joint.bodies[0] is parent else joint.bodies[0]
        if child is None or child in moved:
            continue
        moved[child] = (joint, parent)
        waiting.extend((other, child) for other in edges[child] if other is not joint)


def _roots(scene: Scene) -> list[Body]:
    """Bodies in the order in which they may become roots of trees that float."""
    marked = []
    for item in scene.stage.items:
        if "PhysicsArticulationRootAPI" in item.schemas and item.path in scene.body_of:
            marked.append(scene.body_of[item.path])
    second = {joint.bodies[1] for joint in scene.joints if not joint.apart}
    return marked + [b for b in scene.bodies if b not in second] + scene.bodies


def _check_worlds(scene: Scene, joint: Joint) -> None:
    worlds = {body.world for body in joint.bodies if body is not None}
    if len(worlds) > 1:
        scene.stage.report.fail(joint.item.path, f"joins bodies of the worlds {min(worlds)} and {max(worlds)}")


def _check_kinematic(scene: Scene, edges: dict[Body | None, list[Joint]]) -> None:
    for body in scene.bodies:
        joints = edges.get(body, [])
        if body.kinematic and any(joint.bodies[1] is body or None in joint.bodies for joint in joints):
            scene.stage.report.fail(body.item.path, "a kinematic body is moved by the user alone, and no joint's "
                                                    f"second body: {joints[0].item.path}")


def _articulations(scene: Scene, moved: dict[Body, tuple[Joint | None, Body | None]]) -> list[Articulation]:
    root_of: dict[Body, Body] = {}

    def root(body: Body) -> Body:
        path = []
        while body not in root_of and moved[body][1] is not None:
            path.append(body)
            body = moved[body][1]  # type: ignore[assignment]
        top = root_of.get(body, body)
        for below in path:
            root_of[below] = top
        return top

    trees: dict[Body, list[Body]] = {}
    for body in scene.bodies:
        trees.setdefault(root(body), []).append(body)
    return [_articulation(scene, top, bodies, moved) for top, bodies in trees.items()]


def _articulation(scene: Scene, top: Body, bodies: list[Body],
                  moved: dict[Body, tuple[Joint | None, Body | None]]) -> Articulation:
    """Bodies in the order in which their joints are added: that of the stage, but none before what carries it."""
    order: list[Body] = []
    done: set[Body] = set()
    for body in bodies:
        chain = []
        at: Body | None = body
        while at is not None and at not in done:
            chain.append(at)
            at = moved[at][1]
        done.update(chain)
        order.extend(reversed(chain))
    stage, path, self_collisions = scene.stage, top.item.path, scene.options.enable_self_collisions
    joint = moved[top][0]
    for item in (*top.item.up(), *(joint.item.up() if joint else ())):
        if "PhysicsArticulationRootAPI" in item.schemas:
            path = item.path
            for name in ("newton:selfCollisionEnabled", "physxArticulation:enabledSelfCollisions"):
                self_collisions = self_collisions and stage.flag(item, name, True)
            break
    return Articulation(path, order, [(moved[body][0], body, moved[body][1]) for body in order], self_collisions)
