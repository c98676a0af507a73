"""Which shapes do not touch each other: collision groups, filtered pairs, articulations, joints that close loops.

Groups, by USD's rules: those with one merge name are one group; a group does not touch its filteredGroups, or,
inverted, nothing but them; what is in several groups is filtered by each; what is in none touches all that are not
inverted."""

import itertools
from collections.abc import Iterable, Iterator

from carom.usd._pxr import Sdf, UsdPhysics
from carom.usd._scene import Articulation, Body, Joint, Scene, Shape

Pair = tuple[Shape, Shape]


def filtered_pairs(scene: Scene, articulations: list[Articulation], loops: list[Joint]) -> Iterator[Pair]:
    """Pairs of shapes of one world, some of them twice."""
    of_body: dict[Body, list[Shape]] = {}
    for shape in scene.shapes:
        if shape.body is not None and shape.config.get("has_shape_collision", True):
            of_body.setdefault(shape.body, []).append(shape)
    for joint in loops:
        body0, body1 = joint.bodies
        if body0 is not None and body1 is not None and not joint.collides:
            yield from _between(of_body.get(body0, ()), of_body.get(body1, ()))
    for articulation in articulations:
        if not articulation.self_collisions:
            for a, b in itertools.combinations(articulation.bodies, 2):
                yield from _between(of_body.get(a, ()), of_body.get(b, ()))
    yield from _by_names(scene, of_body)
    yield from _by_groups(scene)


def _between(first: Iterable[Shape], second: Iterable[Shape]) -> Iterator[Pair]:
    for a in first:
        for b in second:
            if a is not b and (a.world == b.world or -1 in (a.world, b.world)):
                yield a, b


def _by_names(scene: Scene, of_body: dict[Body, list[Shape]]) -> Iterator[Pair]:
    """physics:filteredPairs of colliders, bodies and articulations, and of what they point to."""
    by_collider: dict[str, list[Shape]] = {}
    for shape in scene.shapes:
        by_collider.setdefault(shape.collider.path, []).append(shape)

    def shapes_of(path: str) -> list[Shape]:
        """Of a collider, of a body, or of all that is below the prim."""
        if path in scene.body_of:
            return of_body.get(scene.body_of[path], [])
        if path in by_collider:
            return by_collider[path]
        return [shape for shape in scene.shapes if any(above.path == path for above in shape.item.up())]

    for item in scene.stage.items:
        if "physics:filteredPairs" not in item.names:
            continue
        for target in scene.stage.targets(item, "physics:filteredPairs"):
            if target not in scene.stage.by_path:
                scene.stage.report.fail(item.path, f"physics:filteredPairs: there is no prim {target}")
            yield from _between(shapes_of(item.path), shapes_of(target))


def _by_groups(scene: Scene) -> Iterator[Pair]:
    groups = [item for item in scene.stage.items if item.kind == "group"]
    if not groups:
        return
    queries, merged = {}, {}
    named: dict[str, set[str]] = {}  # by merge name
    inverted = set()
    for item in groups:
        group = UsdPhysics.CollisionGroup(item.prim)
        queries[item.path] = group.GetCollidersCollectionAPI().ComputeMembershipQuery()
        merged[item.path] = str(group.GetMergeGroupNameAttr().Get() or "") or item.path
        if group.GetInvertFilteredGroupsAttr().Get():
            inverted.add(merged[item.path])
    for item in groups:
        for target in scene.stage.targets(item, "physics:filteredGroups"):
            if target not in merged:
                scene.stage.report.fail(item.path, f"physics:filteredGroups: there is no group {target}")
            named.setdefault(merged[item.path], set()).add(merged[target])

    def allows(group: str, other: str) -> bool:
        return (other in named.get(group, ())) == (group in inverted)

    def collide(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
        if a and b:
            return all(allows(merged[x], merged[y]) and allows(merged[y], merged[x]) for x in a for y in b)
        return not any(merged[x] in inverted for x in a or b)

    worlds: dict[int, dict[tuple[str, ...], list[Shape]]] = {}  # shapes by world and by the groups that they are in
    for shape in scene.shapes:
        if shape.config.get("has_shape_collision", True):
            paths = (Sdf.Path(shape.collider.path), shape.collider.prim.GetPath())
            groups_of_it = tuple(path for path, query in queries.items() if any(query.IsPathIncluded(p) for p in paths))
            worlds.setdefault(shape.world, {}).setdefault(groups_of_it, []).append(shape)
    for world, classes in worlds.items():
        for (a, first), (b, second) in itertools.combinations_with_replacement(classes.items(), 2):
            if not collide(a, b):
                pairs = itertools.combinations(first, 2) if a == b else itertools.product(first, second)
                yield from ((x, y) for x, y in pairs if x.body is not y.body)
        if world >= 0:  # one of each kind is enough to tell that it cannot be had
            yield from ((first[0], second[0]) for a, first in classes.items()
                        for b, second in worlds.get(-1, {}).items() if not collide(a, b))
