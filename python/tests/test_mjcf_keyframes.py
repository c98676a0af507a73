"""Keyframes and custom elements of MJCF files, and what is seen only."""

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import ARM, FREE, SOCKET, default, mjcf
from mjcf_fields import differences, our_fields
from mujoco_states import find_model, mujoco

MOCAP = '<body name="hand" mocap="true" pos="1 2 3" quat="1 1 0 0"><geom size=".1" contype="0" conaffinity="0"/></body>'
ACTUATORS = """<actuator><motor joint="ja" ctrlrange="-1 1"/><orientation joint="jo" kp="3" input="quat"/>
<general joint="jb" dyntype="filter" dynprm=".1"/><pid joint="ja" ki="2" slewmax="1"/></actuator>"""
KEYS = """<key/><key name="home" time="2.5" qpos=".1 .2 1 2 3 1 2 3 4 4 3 2 1" qvel="1 2 3 4 5 6 7 8 9 8 7"
act="1 2 3" ctrl=".1 .2 .3 .4 .5 .6 .7 .8" mpos="3 2 1" mquat="0 0 2 0"/>
<key name="few" qpos=".3" qvel="1" ctrl=".5"/>"""


def model(keys, before=""):
    return mjcf(ARM + FREE + MOCAP + SOCKET, before, f"{ACTUATORS}<keyframe>{keys}</keyframe>")


@pytest.mark.parametrize("keys", [KEYS, "", '<key qpos="1 2 0 0 0 0 0 0 0 0 0 0 0"/>', '<key time="-1"/>'])
@pytest.mark.parametrize("size", ["", '<size nkey="5"/>', '<size nkey="1"/>'])
def test_fields(keys, size):
    """Keyframes are completed with what MuJoCo has for the rest."""
    text = model(keys, size)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


@pytest.mark.parametrize("key", [
    'qpos="1 2 3 4 5 6 7 8 9 10 11 12 13 14"', 'qvel="1 2 3 4 5 6 7 8 9 8 7 6"', 'act="1 2 3 4"', 'foo="1"',
    'ctrl="1 2 3 4 5 6 7 8 9"', 'time="x"', 'name="a"/><key name="a"'])  # fmt: skip
def test_keys_that_cannot_be(key):
    """MuJoCo refuses them, and so does the reader."""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(model(f"<key {key}/>"))
    with pytest.raises(carom.Error, match="<key>"):
        our_fields(model(f"<key {key}/>"))


def test_poses_of_mocap_bodies_are_complete():
    """MuJoCo forgets half a pose without a word."""
    for key in ('mpos="1"', 'mquat="1 0"', 'mpos="1 2 3 4"'):
        with pytest.raises(carom.Error, match="<key>: attribute 'm.*expected"):
            our_fields(model(f"<key {key}/>"))


def test_states():
    """A keyframe gives the state that carom.mujoco makes of MuJoCo's, and from it the same accelerations."""
    text = model(KEYS, '<option><flag contact="disable"/></option>')
    mj_model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(mj_model)
    scene = carom.ModelBuilder()
    scene.begin_world()
    scene.add_mjcf(text)
    scene.end_world()
    model_ = scene.finalize()
    keys = carom.load_keyframes(text)
    assert [key.name for key in keys] == ["", "home", "few"] and [key.time for key in keys] == [0, 2.5, 0]
    for i, key in enumerate(keys):
        mujoco.mj_resetDataKeyframe(mj_model, data, i)
        convert = carom.mujoco
        np.testing.assert_allclose(
            key.joint_q, convert.qpos_to_joint_q(mj_model, data.qpos, data.mocap_pos, data.mocap_quat), atol=1e-15)
        np.testing.assert_allclose(
            key.joint_qd, convert.qvel_to_joint_qd(mj_model, data.qpos, data.qvel), atol=1e-14)
        np.testing.assert_array_equal(key.act, convert.act_from_mujoco(mj_model, data.act))
        np.testing.assert_array_equal(key.ctrl, convert.ctrl_from_mujoco(mj_model, mj_model.key_ctrl[i]))
        sim = carom.Simulation(model_, solver=carom.SolverMuJoCo(model_))
        sim.state.joint_q.numpy()[:] = key.joint_q
        sim.state.joint_qd.numpy()[:] = key.joint_qd
        sim.state.act.numpy()[:] = key.act
        sim.control.ctrl.numpy()[:] = key.ctrl
        sim.step()
        mujoco.mj_step(mj_model, data)
        stepped = convert.qvel_to_joint_qd(mj_model, data.qpos, data.qvel)
        np.testing.assert_allclose(sim.state.joint_qd.numpy(), stepped, rtol=1e-9, atol=1e-9)


CHILD = """<mujoco model="ch"><worldbody><body name="z"><joint name="jz"/><geom size=".1"/></body>
<body name="h" mocap="true" pos="1 2 3"/><body name="b"><joint name="j"/><geom name="g" size=".1"/><body>
<joint name="j2" ref="30"/><joint type="ball"/><geom size=".1"/></body></body><body name="h2" mocap="true"/></worldbody>
<actuator><motor name="mz" joint="jz"/><general name="m" joint="j" dyntype="filter"/>
<motor name="other" joint="j2"/></actuator>
<keyframe><key name="k" time="3" qpos="9 2 4 1 2 3 4" qvel="1 2 3 4 5 6" ctrl="3 5 7" act="2" mpos="1 1 1 2 2 2"
mquat="1 1 0 0 0 1 0 0"/><key name="l" qpos="9 2"/></keyframe></mujoco>"""


@pytest.mark.parametrize("compiler", ["", '<compiler fusestatic="true"/>'])
@pytest.mark.parametrize("attach", [
    '<attach model="ch" body="b" prefix="x_"/>',
    '<attach model="ch" body="b" prefix="x_"/><attach model="ch" body="b" prefix="y_"/>',
    '<body><geom size=".1"/><attach model="ch" body="b" prefix="x_"/></body>', '<attach model="ch" prefix="x_"/>',
    '<replicate count="3" offset="0 0 1"><attach model="ch" body="b" prefix="x_"/></replicate>',
])  # fmt: skip
def test_keyframes_of_attached_bodies(tmp_path, attach, compiler):
    """They tell of the attached part, and follow those of the file."""
    child = CHILD
    if "replicate" in attach:  # MuJoCo leaves a second actuator behind when it takes the first body away
        child = CHILD.replace('<motor name="other" joint="j2"/>', "").replace('ctrl="3 5 7"', 'ctrl="3 5"')
    (tmp_path / "child.xml").write_text(child)
    path = tmp_path / "parent.xml"
    path.write_text(f"""<mujoco>{compiler}<asset><model name="ch" file="child.xml"/></asset><worldbody>
        <body name="o"><joint name="jo"/><geom size=".1"/><body><geom size=".1"/></body></body>{attach}
        <body name="o2"><joint/><geom size=".1"/></body></worldbody><actuator><motor name="mo" joint="jo"/></actuator>
        <keyframe><key name="own" qpos="7" ctrl="1"/></keyframe></mujoco>""")
    assert differences(our_fields(path), mujoco.MjModel.from_xml_path(str(path))) == []


MIDDLE = """<mujoco model="mid"><asset><model name="ch" file="child.xml"/></asset><worldbody><body name="q"><joint/>
<geom size=".1"/></body><frame pos="0 0 1"><attach model="ch" {0} prefix="in_"/></frame></worldbody><actuator>
<motor joint="in_j"/></actuator><keyframe><key name="mid" qpos=".1 .2 .3"/></keyframe></mujoco>"""


@pytest.mark.parametrize("inner", ["", 'body="b"'])
@pytest.mark.parametrize("outer", ["", 'body="in_b"', 'body="q"'])
@pytest.mark.parametrize("scale", ["", 'scale="2"'])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_keyframes_of_nested_attachments(tmp_path, inner, outer, scale):
    """A model that attaches another one is attached itself: keys of both tell of what comes along."""
    (tmp_path / "child.xml").write_text(CHILD.replace('<motor name="other" joint="j2"/>', "").replace("3 5 7", "3 5"))
    (tmp_path / "mid.xml").write_text(MIDDLE.format(inner).replace('<motor joint="in_j"/>', ""))
    path = tmp_path / "parent.xml"
    path.write_text(f"""<mujoco><asset><model name="mid" file="mid.xml"/></asset><worldbody>
        <body name="o"><joint name="jo"/><geom size=".1"/></body><frame {scale}>
        <attach model="mid" {outer} prefix="x_"/></frame></worldbody><actuator><motor joint="jo"/></actuator>
        <keyframe><key name="own" qpos="7" ctrl="1"/></keyframe></mujoco>""")
    ours = our_fields(path)
    assert differences(ours, mujoco.MjModel.from_xml_path(str(path))) == []
    assert ours["name_key"] == ["own", "x_mid", "in_k", "in_l"]


@pytest.mark.parametrize("name", ["mujoco/humanoid.xml", "menagerie/unitree_go1/go1.xml"])
def test_files(name):
    """Keyframes of files, against MuJoCo's."""
    path = find_model(name)
    mj_model = mujoco.MjModel.from_xml_path(str(path))
    keys = carom.load_keyframes(path)
    assert len(keys) == mj_model.nkey > 0
    for i, key in enumerate(keys):
        expected = carom.mujoco.qpos_to_joint_q(mj_model, mj_model.key_qpos[i])
        np.testing.assert_allclose(key.joint_q, expected, atol=1e-15)
        assert key.name == mj_model.key(i).name


CUSTOM = """<custom><numeric name="n" data="1 2 3" size="5"/><numeric name="z" size="2"/>
<text name="t" data="hello world"/>
<text name="c"><![CDATA[a <b> & c]]></text><tuple name="u"><element objtype="body" objname="a" prm="2"/>
<element objtype="geom" objname="gb"/></tuple></custom>"""


def test_custom():
    """Numbers, texts and tuples are those that MuJoCo has."""
    text = mjcf(ARM, "", CUSTOM)
    custom = carom.load_custom(text)
    mj_model = mujoco.MjModel.from_xml_string(text)
    assert custom["numeric"] == {"n": mj_model.numeric("n").data.tolist(), "z": mj_model.numeric("z").data.tolist()}
    assert custom["text"]["t"] == "hello world" and custom["text"]["c"] == "a <b> & c"
    assert bytes(mj_model.text_data).split(b"\0")[:2] == [text.encode() for text in ("hello world", "a <b> & c")]
    assert custom["tuple"] == {"u": [("body", "a", 2.0), ("geom", "gb", 0.0)]}


def mujoco_tuples(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    words = {mujoco.mjtObj.mjOBJ_BODY: "body", mujoco.mjtObj.mjOBJ_XBODY: "xbody", mujoco.mjtObj.mjOBJ_GEOM: "geom",
             mujoco.mjtObj.mjOBJ_ACTUATOR: "actuator", mujoco.mjtObj.mjOBJ_SENSOR: "sensor",
             mujoco.mjtObj.mjOBJ_NUMERIC: "numeric", mujoco.mjtObj.mjOBJ_MESH: "mesh"}  # fmt: skip
    rows = list(zip(model.tuple_objtype.tolist(), model.tuple_objid.tolist(), model.tuple_objprm.tolist()))
    return {model.tuple(i).name: [(words[mujoco.mjtObj(kind)], mujoco.mj_id2name(model, kind, row), number)
                                  for kind, row, number in rows[adr : adr + size]]
            for i, (adr, size) in enumerate(zip(model.tuple_adr, model.tuple_size))}  # fmt: skip


TUPLES = """<mujoco model="ch"><asset><mesh name="m" vertex="0 0 0 1 0 0 0 2 0 0 0 3"/></asset><worldbody>
<body name="a"><joint name="j"/><geom name="ga" size=".1"/></body><body name="b"><joint name="k"/>
<geom name="gb" size=".1"/></body></worldbody><actuator><motor name="ma" joint="j"/><motor name="mb" joint="k"/>
</actuator><sensor><jointpos name="qa" joint="j"/></sensor><custom><numeric name="n" data="1"/>
<tuple name="t{}"><element objtype="body" objname="a" prm="2"/>{}</tuple></custom></mujoco>"""
ELEMENTS = [("", ""), ("geom", "ga"), ("geom", "gb"), ("actuator", "ma"), ("actuator", "mb"), ("sensor", "qa"),
            ("body", "world"), ("numeric", "n"), ("mesh", "m"), ("xbody", "a")]  # fmt: skip


@pytest.mark.parametrize("attach", [
    '<attach model="ch" body="a" prefix="x_"/>', '<attach model="ch" body="b" prefix="x_"/>',
    '<attach model="ch" prefix="x_"/>', '<attach body="S" prefix="x_"/>',
    '<replicate count="2"><body name="R"><joint/><geom size=".1"/></body></replicate>'])  # fmt: skip
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tuples_of_attached_parts(tmp_path, attach):
    """They come along with all that they name, or not at all; replicates have one each."""
    path = tmp_path / "parent.xml"
    name = "R" if "replicate" in attach else "S"
    path.write_text(f"""<mujoco><asset><model name="ch" file="child.xml"/></asset><worldbody>
        <body name="S"><joint/><geom size=".1"/></body>{attach}</worldbody><custom><tuple name="own">
        <element objtype="body" objname="{name}" prm="3"/></tuple></custom></mujoco>""")
    for kind, named in ELEMENTS:
        element = f'<element objtype="{kind}" objname="{named}"/>' if kind else ""
        (tmp_path / "child.xml").write_text(TUPLES.format("", element))
        assert carom.load_custom(path)["tuple"] == mujoco_tuples(path)


@pytest.mark.parametrize("element", [
    '<numeric name="n"/>', '<numeric data="1"/>', '<numeric name="n" size="1" data="1 2"/>',
    '<numeric name="n" size="0"/>',
    '<text name="t"/>', '<text data="t"/>', '<tuple name="t"/>', '<numeric name="n" data="x"/>',
    '<tuple name="t"><element objtype="body" objname="x"/></tuple>',
    '<tuple name="t"><element objtype="body"/></tuple>',
    '<tuple name="t"><element objtype="x" objname="a"/></tuple>', '<number name="n"/>'])  # fmt: skip
def test_custom_that_cannot_be(element):
    """MuJoCo refuses them, and so does the reader."""
    text = mjcf(ARM, "", f"<custom>{element}</custom>")
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match="MJCF:"):
        our_fields(text)


LOOKS = """<visual><global fovy="30" offwidth="100"/><map znear=".1"/><rgba haze="1 1 1 1"/><quality shadowsize="0"/>
<headlight ambient="1 1 1"/><scale com="2"/></visual><statistic center="1 2 3" extent="4"/>
<asset><texture name="x" type="2d" builtin="checker" width="4" height="4" rgb1="1 0 0"/>
<material name="y" texture="x" texrepeat="3 3" rgba="1 1 1 1"/></asset>"""


def seen(body="", site="", asset="", camera="", light=""):
    bodies = f'<body name="a"><joint/><geom size=".1" {body}/><site {site}/></body><camera {camera}/><light {light}/>'
    return mjcf(bodies, LOOKS + f"<asset>{asset}</asset>")


@pytest.mark.parametrize("more", [
    {"body": 'material="y"'}, {"site": 'material="y"'}, {"camera": 'mode="targetbody" target="a"'},
    {"light": 'mode="targetbodycom" target="a"'},
    {"asset": '<material name="z"><layer texture="x" role="rgb"/></material>'},
])  # fmt: skip
def test_what_is_only_seen(more):
    """It changes no field, and nobody is warned."""
    text = seen(**more)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


@pytest.mark.parametrize(("more", "place"), [
    ({"body": 'material="z"'}, "<geom>: attribute 'material': there is no material 'z'"),
    ({"site": 'material="z"'}, "<site>: attribute 'material'"),
    ({"camera": 'mode="targetbody" target="z"'}, "<camera>: attribute 'target'"),
    ({"camera": 'mode="look"'}, "<camera>: attribute 'mode'"), ({"camera": 'lens="3"'}, "<camera>: attribute 'lens'"),
    ({"light": 'target="z" mode="targetbody"'}, "<light>: attribute 'target'"), ({"light": 'colour="3"'}, "<light>"),
    ({"asset": '<material name="z" texture="w"/>'}, "<material>: attribute 'texture'"),
    ({"asset": '<material name="z" texture="x"><layer texture="x" role="rgb"/></material>'}, "<material>"),
    ({"asset": '<material name="z" texturr="x"/>'}, "<material>: attribute 'texturr'"),
    ({"asset": '<texture name="z" builtin="stars"/>'}, "<texture>"), ({"asset": '<paint name="z"/>'}, "<paint>"),
])  # fmt: skip
def test_names_and_attributes_of_what_is_seen(more, place):
    """MuJoCo refuses them, and so does the reader, with element and attribute."""
    text = seen(**more)
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match=place):
        our_fields(text)


@pytest.mark.parametrize(("before", "after"), [
    ("", '<custom><numeric name="n" size="2000000000"/></custom>'), ('<size nkey="2000000000"/>', ""),
    ("", '<sensor><user dim="2000000000"/></sensor>'), ("", '<sensor><user dim="2000000000"/></sensor>' * 2),
    ("", '<sensor><jointpos joint="ja" nsample="2000000000"/></sensor>'),
])  # fmt: skip
def test_few_words_that_ask_for_much(before, after):
    """... end soon, by limits.numbers."""
    with pytest.raises(carom.Error, match="limits.numbers"):
        our_fields(mjcf(ARM, before, after))


def test_materials_of_classes():
    """What a class says and nobody takes is not looked for."""
    text = mjcf('<geom size=".1"/>', default("", x='<geom material="z"/>'))
    our_fields(text)
    with pytest.raises(carom.Error, match="no material 'z'"):
        our_fields(mjcf('<geom size=".1" class="x"/>', default("", x='<geom material="z"/>')))
