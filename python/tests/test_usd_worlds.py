"""add_usd(): worlds of a stage, and custom attributes."""

import pytest
from usd_stages import add, body, collider, prim, solid, usda

pytest.importorskip("pxr", reason="usd-core is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def world(number, name, content):
    return prim("Xform", name, content=f"custom int newton:world = {number}\n{content}")


def test_worlds_of_a_stage(carom):
    """newton:world is inherited, the nearest one counts, -1 is global, and the order on the stage does not matter."""
    text = world(1, "second", body("b", collider("Sphere", "s"))) + collider("Plane", "ground") + world(
        0, "first", body("a", collider("Sphere", "s")) + collider("Cube", "g", "custom int newton:world = -1"))
    builder, result = add(carom, usda(text))
    model = builder.finalize()
    assert model.world_count == 2 and result["world_count"] == 2
    worlds = {path: int(model.shape_world[row]) for path, row in result["path_shape_map"].items()}
    assert worlds == {"/second/b/s": 1, "/ground": -1, "/first/a/s": 0, "/first/g": -1}
    assert model.body_key == ["/first/a", "/second/b"]
    assert [model.body_key[row] for row in (result["path_body_map"]["/first/a"], result["path_body_map"]["/second/b"])] == [
        "/first/a", "/second/b"]


def test_a_world_without_anything(carom):
    """Numbers of worlds are kept: world 1 is empty."""
    model = add(carom, usda(world(2, "w", body("b", solid()))))[0].finalize()
    assert model.world_count == 3 and model.body_world.numpy().tolist() == [2]


def test_worlds_follow_those_of_the_builder(carom):
    """World 0 of the stage is the next one of a builder that has some, and globals stand at the back then."""
    builder = carom.ModelBuilder()
    builder.begin_world()
    builder.add_body(mass=1)
    builder.end_world()
    result = builder.add_usd(usda(world(0, "w", body("b", solid())) + collider("Sphere", "s")))
    model = builder.finalize()
    assert model.body_world.numpy().tolist() == [0, 1] and model.shape_world.numpy().tolist() == [-1]
    assert result["path_body_map"] == {"/w/b": 1}


def test_a_stage_in_an_open_world(carom):
    """Goes into it; worlds of its own are refused, since worlds do not nest."""
    builder = carom.ModelBuilder()
    builder.begin_world()
    builder.add_usd(usda(body("b", solid())))
    with pytest.raises(carom.Error, match="/w/b: newton:world is 0, but world 0 of the builder is open"):
        builder.add_usd(usda(world(0, "w", body("b", solid()))))
    builder.end_world()
    assert builder.finalize().body_world.numpy().tolist() == [0]


def test_worlds_are_replicated(carom):
    """A stage without worlds is what others are made of."""
    file, scene = carom.ModelBuilder(), carom.ModelBuilder()
    file.add_usd(usda(body("b", solid())))
    scene.replicate(file, 5)
    assert scene.finalize().world_count == 5


@pytest.mark.parametrize("value", ["-2", "1000000"])
def test_numbers_of_worlds_are_checked(carom, value):
    """Neither -2 nor more than Limits(worlds=)."""
    with pytest.raises(carom.Error, match="/w: newton:world must be from -1 to 999999"):
        add(carom, usda(world(value, "w", body("b", solid()))))


def test_gravity_of_worlds(carom):
    """That of the scene holds in the worlds of the stage."""
    scene = prim("PhysicsScene", "scene", content="float physics:gravityMagnitude = 1.5")
    model = add(carom, usda(scene + world(0, "w", body("b", solid()))))[0].finalize()
    assert model.gravity.numpy()[0] == pytest.approx([0, 0, -1.5])


def test_load_usd(carom, tmp_path):
    """A model with one world, or with those of the stage."""
    path = tmp_path / "a.usda"
    path.write_text(usda(body("b", solid())))
    model = carom.load_usd(path)
    assert model.world_count == 1 and model.body_key == ["/b"]
    path.write_text(usda(world(1, "w", body("b", solid()))))
    assert carom.load_usd(str(path)).world_count == 2


DECLARED = prim("PhysicsScene", "scene", content="""
    custom float newton:temperature = 20 (customData = {string assignment = "model"
        string frequency = "body"})
    custom string newton:ns:colour = "red" (customData = {string assignment = "model"
        string frequency = "shape"})
    custom int newton:wear = 3 (customData = {string frequency = "joint"})
    custom float3 newton:wind = (1, 2, 3) (customData = {string frequency = "once"})
    custom float newton:odd = 1 (customData = {string frequency = "joint_dof"})
""")


def test_declared_attributes(carom):
    """Every body, shape and joint has the default, or the value that its prim has."""
    text = DECLARED + body("a", solid() + "\ncustom float newton:temperature = 30\n" + collider("Sphere", "s")) + body(
        "b", solid() + collider("Sphere", "s", 'custom string newton:ns:colour = "blue"')) + prim(
        "PhysicsRevoluteJoint", "j", content="rel physics:body0 = </a>\nrel physics:body1 = </b>\ncustom int newton:wear = 7")
    builder, result = add(carom, usda(text))
    model = builder.finalize()
    assert model.custom_attributes("body") == {"newton:temperature": [30, 20]}
    assert model.custom_attributes("shape") == {"newton:ns:colour": ["red", "blue"]}
    assert model.custom_attributes("joint") == {"newton:wear": [None, 7]}  # the free joint has no prim
    assert result["custom_attributes"] == {"newton:wind": [1, 2, 3]}
    assert "newton:odd has the frequency joint_dof" in result["warnings"][0]


def test_attributes_of_prims(carom):
    """What a prim has as custom, with a namespace, is kept with the row that the prim becomes."""
    text = body("a", solid() + """
        custom double my:number = 0.5
        custom string my:name = "left"
        custom int[] my:list = [1, 2]
        custom bool my:flag = true
        custom double plain = 7
    """) + body("b", solid())
    builder, _ = add(carom, usda(text))
    assert builder.custom_attributes("body") == {"my:number": [0.5, None], "my:name": ["left", None],
                                                 "my:list": [[1, 2], None], "my:flag": [True, None]}
    assert builder.custom_attributes("shape") == {}


def test_they_travel(carom, tmp_path):
    """Into copies, whose prefix leaves them alone, into worlds, models, model files, and to the other precision."""
    import carom as single
    import carom.f64 as double

    file = carom.ModelBuilder()
    file.add_usd(usda(body("a", solid() + '\ncustom string my:name = "left"')))
    scene = carom.ModelBuilder()
    scene.begin_world()
    scene.add_body(mass=1)
    scene.add_builder(file, key_prefix="x")
    scene.end_world()
    scene.replicate(file, 2)
    model = scene.finalize()
    expected = {"my:name": [None, "left", "left", "left"]}
    assert model.custom_attributes("body") == expected
    assert model.body_key[1] == "x/a"
    path = str(tmp_path / "m.carom")
    model.save(path)
    for other in (single, double):
        assert other.load(path).custom_attributes("body") == expected


def test_they_are_set_by_hand(carom):
    """set_custom_attributes(), and what it refuses."""
    builder = carom.ModelBuilder()
    builder.add_body(mass=1)
    builder.set_custom_attributes("body", 0, {"a": 1, "b": [1.5, 2]})
    assert builder.custom_attributes("body") == {"a": [1], "b": [[1.5, 2]]}
    builder.set_custom_attributes("body", 0, {})
    assert builder.custom_attributes("body") == {}
    with pytest.raises(carom.Error, match="body 1 does not exist"):
        builder.set_custom_attributes("body", 1, {"a": 1})
    with pytest.raises(carom.Error, match="no entity 'tendon'"):
        builder.custom_attributes("tendon")


def test_what_is_not_understood_is_told(carom):
    """Attributes of physics that change the motion: one line for all prims that have them."""
    text = "".join(body(n, solid() + "\nfloat physxRigidBody:linearDamping = 0.5") for n in "abc")
    result = add(carom, usda(text))[1]
    assert len(result["warnings"]) == 1
    assert result["warnings"][0].endswith("/a and 2 more: physxRigidBody:linearDamping is not understood, and left out")
