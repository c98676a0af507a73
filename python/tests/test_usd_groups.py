"""add_usd(): collision groups and filtered pairs by USD's rules, which are written out here once more."""

import itertools

import pytest
from usd_stages import add, body, collider, prim, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def group(name, members, filtered=(), *, inverted=False, merge=""):
    def paths(names):
        return "[" + ", ".join(f"</{n}>" for n in names) + "]"

    return prim("PhysicsCollisionGroup", name, content=f"""
        prepend rel collection:colliders:includes = {paths(members)}
        rel physics:filteredGroups = {paths(filtered)}
        bool physics:invertFilteredGroups = {str(inverted).lower()}
        {f'string physics:mergeGroup = "{merge}"' if merge else ""}
    """, metadata='prepend apiSchemas = ["CollectionAPI:colliders"]')


def touching(carom, text, names):
    """Pairs of names whose spheres, all at one place, meet."""
    builder, result = add(carom, usda(text))
    model = builder.finalize()
    pipeline = carom.CollisionPipeline(model)
    pipeline.collide(model.state())
    rows = {row: path.split("/")[1] for path, row in result["path_shape_map"].items()}
    assert sorted(rows.values()) == sorted(names)
    return {tuple(sorted((rows[int(a)], rows[int(b)]))) for a, b in pipeline.shape_pairs.numpy()}


def spheres(names):
    return "".join(body(name, collider("Sphere", "s")) for name in names)


# groups: name -> members, filtered groups, inverted, merge name
TABLES = {
    "none": {},
    "filtered": {"G": ("ab", ["H"], False, ""), "H": ("c", [], False, "")},
    "itself": {"G": ("ab", ["G"], False, "")},
    "inverted": {"G": ("ab", ["H"], True, ""), "H": ("c", [], False, "")},
    "two groups": {"G": ("ab", ["I"], False, ""), "H": ("ac", [], False, ""), "I": ("d", [], False, "")},
    "merged": {"G": ("a", ["I"], False, "m"), "H": ("b", [], False, "m"), "I": ("c", [], False, "")},
}


def rule(table, x, y):
    """Whether two colliders meet, from the text of UsdPhysicsCollisionGroup."""
    merged = {g: (m or g) for g, (_, _, _, m) in table.items()}
    filters = {}
    for g, (_, filtered, inverted, _) in table.items():
        known = filters.setdefault(merged[g], [set(), False])
        known[0] |= {merged[f] for f in filtered}
        known[1] = known[1] or inverted

    def of(name):
        return {merged[g] for g, (members, *_) in table.items() if name in members}

    def allows(g, h):
        named, inverted = filters[g]
        return (h in named) == inverted

    if not of(x) or not of(y):
        return not any(filters[g][1] for g in of(x) | of(y))
    return all(allows(g, h) and allows(h, g) for g in of(x) for h in of(y))


def usd_allows(text, x, y):
    """Whether the groups meet by the table that USD itself makes."""
    from pxr import Sdf, Usd, UsdPhysics

    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(usda(text))
    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage)
    return table.IsCollisionEnabled(Sdf.Path(f"/{x}"), Sdf.Path(f"/{y}"))


@pytest.mark.parametrize("case", TABLES)
def test_groups(carom, case):
    """Which of five spheres meet, by the rules that are written out above."""
    table = TABLES[case]
    text = spheres("abcde") + "".join(
        group(name, members, filtered, inverted=inverted, merge=merge)
        for name, (members, filtered, inverted, merge) in table.items())
    expected = {pair for pair in itertools.combinations("abcde", 2) if rule(table, *pair)}
    assert touching(carom, text, "abcde") == expected
    for x, y in itertools.combinations_with_replacement(table, 2):
        assert usd_allows(text, x, y) == rule({g: (g, *rest) for g, (_, *rest) in table.items()}, x, y)


def test_filtered_pairs(carom):
    """FilteredPairsAPI of a body with a body, and of a collider with everything below a prim."""
    first = prim("Xform", "a", ["PhysicsRigidBodyAPI", "PhysicsFilteredPairsAPI"],
                 "rel physics:filteredPairs = [</b>]\n" + collider("Sphere", "s"))
    last = body("d", collider("Sphere", "s", "rel physics:filteredPairs = [</c>, </b/s>]", apis=["PhysicsFilteredPairsAPI"]))
    pairs = touching(carom, first + spheres("bc") + last, "abcd")
    assert pairs == {("a", "c"), ("a", "d"), ("b", "c")}


def test_many_pairs_are_limited(carom):
    """A group of 30 that filters itself asks for 435 pairs."""
    from carom.usd import Limits

    names = [f"s{i}" for i in range(30)]
    text = usda(spheres(names) + group("G", names, ["G"]))
    with pytest.raises(carom.Error, match="more than 100 pairs of shapes are filtered"):
        carom.ModelBuilder().add_usd(text, limits=Limits(pairs=100))
    assert len(add(carom, text)[0].finalize().shape_collision_filter_pairs.numpy()) == 435


def test_filters_and_worlds(carom):
    """A pair of different worlds needs no filter; one of a world is of that world alone."""
    text = "".join(prim("Xform", f"w{w}", content=f"custom int newton:world = {w}\n" + spheres("ab")) for w in (0, 1))
    text += prim("PhysicsCollisionGroup", "G", metadata='prepend apiSchemas = ["CollectionAPI:colliders"]', content="""
        prepend rel collection:colliders:includes = [</w0>, </w1/a>, </w1/b>]
        rel physics:filteredGroups = [</G>]""")
    builder, _ = add(carom, usda(text))
    model = builder.finalize()
    assert model.shape_collision_filter_pairs.numpy().tolist() == [[0, 1], [2, 3]]
    assert model.collide(model.state()).rigid_contact_count[0] == 0
