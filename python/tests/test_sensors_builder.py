"""ModelBuilder.add_sensor() and add_sensor_contact(): keys, patterns, and errors that say what is near."""

import numpy as np
import pytest

import carom.f64 as carom

NONE, BODY, SUBTREE, SHAPE, SITE, FRAME, JOINT, TENDON, ACTUATOR = range(9)  # SensorObject
FEET = ["left_foot", "right_foot", "hand"]


def robot():
    builder = carom.ModelBuilder()
    builder.begin_world("w")
    for i, name in enumerate(FEET):
        body = builder.add_body(xform=(i, 0, 1, 0, 0, 0, 1), key=name)
        builder.add_shape_sphere(body, radius=0.1, key=f"{name}_geom")
        builder.add_site(body, xform=(0, 0, 0.1 * i, 0, 0, 0, 1), key=f"{name}_site")
    return builder


def column(builder, name):
    return getattr(builder, f"sensor_{name}").numpy().tolist()


def test_criteria_by_key_and_number():
    builder = robot()
    floor = builder.add_ground_plane(key="floor")
    assert builder.add_sensor_contact(key="a", geom1="hand_geom", geom2=floor) == 0
    assert builder.add_sensor_contact(key="b", body1=1, subtree2="hand") == 1
    assert builder.add_sensor_contact(key="c", site="left_foot_site", body2="world") == 2
    assert builder.add_sensor_contact() == 3
    assert column(builder, "object_type") == [SHAPE, BODY, SITE, NONE]
    assert column(builder, "reference_type") == [SHAPE, SUBTREE, BODY, NONE]
    assert column(builder, "shape") == [4, -1, 1, -1] and column(builder, "reference_shape") == [6, -1, -1, -1]
    assert column(builder, "body") == [-1, 1, -1, -1] and column(builder, "reference_body") == [-1, 2, -1, -1]
    assert builder.sensor_key == ["a", "b", "c", ""]


@pytest.mark.parametrize("data, bits", [
    ("found", 1), ("found force", 3), (("found", "force"), 3), (["force", "pos", "angvel"], 2 | 16 | 256),
    ("found force torque dist pos normal tangent linvel angvel", 511),
])  # fmt: skip
def test_data(data, bits):
    builder = robot()
    builder.add_sensor_contact(data=data, num=4, reduce="maxforce")
    assert (column(builder, "data"), column(builder, "num"), column(builder, "reduce")) == ([bits], [4], [2])


def test_patterns():
    """One sensor for each match, in the order of the builder."""
    builder = robot()
    assert builder.add_sensor_contact(key="feet", body1="*_foot", data="found force") == [0, 1]
    assert builder.sensor_key == ["feet[left_foot]", "feet[right_foot]"] and column(builder, "body") == [0, 1]
    assert builder.add_sensor_contact(key="one", body1="l*t") == [2]  # a list, however many there are
    assert builder.add_sensor_contact(key="both", geom1="*_geom", subtree2="*_foot") == list(range(3, 9))
    assert builder.sensor_key[4] == "both[left_foot_geom, right_foot]"
    assert column(builder, "shape")[3:] == [0, 0, 2, 2, 4, 4]
    assert builder.add_sensor("framepos", key="at", body="*") == [9, 10, 11]
    assert builder.add_sensor_contact(body1="*hand*") == [12] and builder.sensor_key[12] == ""


def test_patterns_know_sites_from_shapes():
    builder = robot()
    builder.add_sensor_contact(key="s", site="*foot*")
    builder.add_sensor_contact(key="g", geom1="*foot*")
    assert column(builder, "shape") == [1, 3, 0, 2]
    with pytest.raises(carom.Error, match="no shape has a key like '\\*_site'"):
        builder.add_sensor_contact(geom1="*_site")


def test_worlds():
    """Keys are those of the open world, or global ones; the world's own comes first."""
    builder = carom.ModelBuilder()
    floor = builder.add_ground_plane(key="floor")
    for key in ("a", "b"):
        builder.begin_world(key)
        builder.add_shape_sphere(builder.add_body(key="ball"), radius=0.1, key="floor" if key == "b" else "geom")
        builder.end_world()
    with pytest.raises(carom.Error, match="there is no body 'ball'"):
        builder.add_sensor_contact(body1="ball")
    builder.begin_world("c")
    ball = builder.add_body(key="ball")
    builder.add_sensor_contact(body1="ball", geom2="floor")
    own = builder.add_shape_sphere(ball, radius=0.1, key="floor")
    builder.add_sensor_contact(body1="ball", geom2="floor")
    assert column(builder, "body") == [ball, ball] and column(builder, "reference_shape") == [floor, own]


@pytest.mark.parametrize("arguments, said", [
    ({"key": "feet", "body1": "lef_foot"}, r"sensor 'feet' \(contact\): body1: there is no body 'lef_foot'"),
    ({"body1": "lef_foot"}, "near are 'left_foot'"),
    ({"geom1": "x", "body1": "hand"}, "geom1: there is no shape 'x'"),
    ({"geom1": 0, "body1": "hand"}, "geom1 and body1 are given; give one of them"),
    ({"geom2": 0, "subtree2": 0}, "geom2 and subtree2 are given"),
    ({"body1": "*x*"}, "there is no body '\\*x\\*'"),
    ({"body1": 17}, "body 17 does not exist"),
    ({"site": "hand_geom"}, "a shape, not a site"), ({"geom1": "hand_site"}, "a site, not a shape"),
    ({"data": "force found"}, "in this order"), ({"data": "found found"}, "once each"), ({"data": "bar"}, "'bar'"),
    ({"data": ""}, "data is empty"), ({"num": 0}, "num must be"), ({"reduce": "sum"}, "netforce"),
    ({"data": "linvel", "reduce": "netforce"}, "no linvel"), ({"delay": 0.1}, "keeps no samples"),
    ({"interval": (0.1, 0.2), "samples": 1}, "phase"), ({"noise": -1}, "noise"), ({"interpolation": "x"}, "x"),
])  # fmt: skip
def test_errors(arguments, said):
    builder = robot()
    with pytest.raises(carom.Error, match=said):
        builder.add_sensor_contact(**arguments)
    assert builder.sensor_count == 0


def test_taken_keys():
    builder = robot()
    builder.add_sensor_contact(key="feet")
    with pytest.raises(carom.Error, match="'feet' is already taken"):
        builder.add_sensor_contact(key="feet")


def test_frames():
    """An IMU is given by a frame, or by the site, shape or body that has it."""
    builder = robot()
    xform = (1, 2, 3, 0, 0, 0, 1)
    builder.add_sensor("accelerometer", frame=("hand", xform))
    builder.add_sensor("gyro", site="hand_site")
    builder.add_sensor("framepos", body="hand", reference_shape="left_foot_geom")
    builder.add_sensor("framequat", frame=(-1, xform), reference_frame=("world", xform))
    assert column(builder, "object_type") == [FRAME] * 4
    assert column(builder, "reference_type") == [NONE, NONE, FRAME, FRAME]
    assert column(builder, "body") == [2, 2, 2, -1] and column(builder, "reference_body") == [-1, -1, 0, -1]
    frames = np.array(column(builder, "frame"))
    assert frames[:, :3].tolist() == [[1, 2, 3], [0, 0, 0.2], [0, 0, 0], [1, 2, 3]]


def test_other_objects():
    builder = robot()
    link = builder.add_link(mass=1.0)
    joint = builder.add_joint_d6(-1, link, key="arm", linear_axes=[], angular_axes=[
        carom.JointDofConfig(axis=(1, 0, 0)), carom.JointDofConfig(axis=(0, 1, 0))])  # fmt: skip
    builder.add_articulation([joint])
    builder.add_tendon_fixed([(joint, 1.0, 0)], key="t")
    builder.add_actuator(joint, axis=1, key="m")
    builder.add_sensor("jointpos", joint="arm", axis=1, cutoff=2, noise=0.5)
    builder.add_sensor("tendonpos", tendon="t", delay=0.1, samples=3, interpolation="linear")
    builder.add_sensor("actuatorfrc", actuator="m")
    builder.add_sensor("subtreecom", subtree="hand")
    builder.add_sensor("touch", site="hand_site")
    builder.add_sensor("distance", shape="hand_geom", reference_body="left_foot")
    builder.add_sensor("insidesite", shape="hand_geom", reference_site="hand_site")
    builder.add_sensor("rangefinder", site="hand_site", data="dist normal", interval=(0.1, -0.05), samples=1)
    builder.add_sensor("camprojection", body="hand", reference_body="left_foot", camera=(10, 11, 2, 3),
                       resolution=(4, 6))  # fmt: skip
    builder.add_sensor("clock")
    assert column(builder, "object_type") == [JOINT, TENDON, ACTUATOR, SUBTREE, SITE, SHAPE, SHAPE, FRAME, FRAME, NONE]
    assert column(builder, "axis")[0] == 1 and column(builder, "cutoff")[0] == 2 and column(builder, "noise")[0] == 0.5
    assert [column(builder, name)[1] for name in ("delay", "samples", "interpolation")] == [0.1, 3, 1]
    assert column(builder, "data")[7] == 1 | 16
    assert column(builder, "interval")[7] == [0.1, -0.05]
    assert column(builder, "camera")[8] == [10, 11, 2, 3] and column(builder, "resolution")[8] == [4, 6]
    builder.end_world()
    assert builder.finalize().sensor_count == 10


@pytest.mark.parametrize("arguments, said", [
    (("acelerometer",), "there is no sensor 'acelerometer'.*accelerometer"),
    (("jointpos", {"body": "hand"}), "takes joint"), (("accelerometer",), "takes frame"),
    (("touch", {"site": "hand_geom"}), "a shape, not a site"), (("clock", {"body": 0}), "takes none"),
    (("gyro", {"site": "hand_site", "frame": (0, (0, 0, 0, 0, 0, 0, 1))}), "site and frame are given"),
    (("gyro", {"site": "hand_site", "data": "found"}), "data is for contact sensors and rangefinders"),
    (("gyro", {"frame": ("hant", (0, 0, 0, 0, 0, 0, 1))}), "frame: there is no body 'hant'.*'hand'"),
    (("rangefinder", {"site": "hand_site", "resolution": (0, 1)}), "resolution"),
    (("rangefinder", {"site": "hand_site", "data": "normal dist"}), "in this order"),
])  # fmt: skip
def test_errors_of_others(arguments, said):
    builder = robot()
    with pytest.raises(carom.Error, match=said):
        builder.add_sensor(arguments[0], **(arguments[1] if len(arguments) > 1 else {}))
    assert builder.sensor_count == 0


def test_sites_can_be_hulls():
    """Of a mesh, as those of MuJoCo; they weigh nothing."""
    mesh = carom.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    builder = robot()
    mass = builder.body_mass.numpy().tolist()
    site = builder.add_site(0, type=carom.ShapeType.CONVEX_HULL, scale=(1, 1, 1), mesh=mesh, key="hull")
    assert builder.shape_type.numpy()[site] == int(carom.ShapeType.CONVEX_HULL)
    assert builder.body_mass.numpy().tolist() == mass
    builder.add_sensor("touch", site="hull")
    hull, surface = carom.ShapeType.CONVEX_HULL, carom.ShapeType.MESH
    for arguments in ({"type": hull}, {"mesh": mesh}, {"type": surface, "mesh": mesh}):
        with pytest.raises(carom.Error, match="site"):
            builder.add_site(0, **arguments)
