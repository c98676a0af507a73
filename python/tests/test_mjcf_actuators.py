"""Actuators and tendons of MJCF files: every field of the compiled model is MuJoCo's; what it refuses is refused."""

import pytest

import carom.f64 as carom

from mjcf_cases import ARM, FREE, SOCKET, default, mjcf
from mjcf_fields import differences, our_fields
from mujoco_states import mujoco

TENDONS = """
<tendon><fixed name="t" range="-1 1"><joint joint="ja" coef="2"/><joint joint="jb" coef="-1"/></fixed>
<spatial name="u"><site site="sa"/><site site="sf"/></spatial></tendon>"""
MOTOR = 'dcmotor joint="ja" resistance="2" motorconst="3"'


def model(actuators, classes=""):
    elements = "".join(f"<{actuator}/>" for actuator in actuators)
    return mjcf(ARM + FREE + SOCKET, default(classes), f"{TENDONS}<actuator>{elements}</actuator>")


LINE = model([]).count("\n") + 1  # of the actuators


def so3(more):
    return f'general joint="jo" gaintype="so3" biastype="so3" gainprm="3" biasprm="0 -3 -1" {more}'


def general_pid(more):
    return f'general joint="ja" gaintype="pid" biastype="affine" {more}'


ALONE = [
    MOTOR,
    *(f"{MOTOR} {more}" for more in (
        'inductance=".1"', 'inductance="0 .3"', 'inductance=".1 .3"', 'thermal="1 2 0 4 5 6"', 'thermal="2 0 6 4"',
        'thermal="0 2 6 4 5 6"', 'thermal="2 7 6 4 5 6"', 'thermal="0 0 0 1 2 3"', 'saturation="9"',
        'saturation="0 5"', 'saturation="9 5 7" inductance=".1"', 'saturation="-1 -2 -3"', 'cogging="1 2 3"',
        'cogging="0 2"', 'lugre="1 2 3 4 5"', 'lugre="1"', 'lugre="0 1 2 3 4"', 'lugre="-1"',
        'controller="1 2 3 4 5 6" input="pos"', 'controller="1 0 3 4 0 6" input="vel"',
        'controller="1 2 3 4 5 6" input="pos vel ff voltage" ctrlrange="-1 1"', 'controller="0 0 0 3" input="ff"',
        'input="none" ctrlrange="-1 1"', 'input=""', 'ctrlrange="1 -1"', 'controller="0 0 0 0 0 6"',
        'inductance=".1" thermal="1 2 0 4 5 6" lugre="1 2 3 4 5" controller="1 2 3 4 5 6" input="pos vel ff voltage"',
        'delay=".1" nsample="5" interp="cubic" input="pos vel" group="3" armature=".1" damping="1 2" gear="3"')),
    *(f'dcmotor joint="ja" {more}' for more in (
        'motorconst="3 4" resistance="2"', 'nominal="12 3 4"', 'nominal="12 3 4" resistance="5"',
        'nominal="12 3 4" motorconst="5"', 'nominal="12 3 4" motorconst="5" resistance="7"',
        'nominal="12 3 4" motorconst="5 2"', 'nominal="12 3 4" motorconst="0 5"', 'motorconst="0 7" resistance="1"',
        'motorconst="0 0" resistance="1" input="none"', 'resistance="1" input="none"')),
    *(f'pid joint="ja" {more}' for more in (
        "", 'kp="3" kv="2"', 'kp="3" dampratio="1"', 'ki="2"', 'ki="2" imax="4"', 'imax="4"', 'slewmax="5"',
        'ki="2" imax="4" slewmax="5"', 'input="pos"', 'input="vel"', 'input="ff"', 'input="pos vel ff"',
        'input="pos vel ff" posrange="-1 1" velrange="-2 2" ffrange="-3 3"', 'input="pos vel ff" ctrlrange="-1 1"',
        'input="vel ff" ctrlrange="-1 1"', 'input="pos ff" velrange="-1 1"', 'posrange="-1 1" ctrlrange="-2 2"',
        'velrange="-1 1" ctrllimited="false"', 'inheritrange="1"', 'inheritrange=".5" velrange="-3 3"',
        'inheritrange="1" input="vel"', 'kp="-1"', 'delay=".1" nsample="5" input="pos vel ff"')),
    'pid tendon="t" inheritrange="1"', 'pid joint="jo" gear="1 2 3"', 'pid site="sa"', 'pid tendon="u" dampratio=".3"',
    *(f'orientation {more}' for more in (
        'joint="jo"', 'joint="jo" kp="3" kv="2"', 'joint="jo" kp="3" dampratio="1"', 'joint="jo" input="quat"',
        'joint="jo" input="expmap" ctrlrange="-1 1" forcerange="0 3"', 'joint="jo" input="quat" ctrlrange="-1 1"',
        'site="sb" refsite="sf"', 'site="sb" refsite="sf" kp="4" dampratio=".5"', 'joint="jo" kp="-1"')),
    so3(""), so3('input="quat"'), so3('dyntype="integrator"'), so3('gear="2 3 4" armature="1" damping="1 2 3"'),
    so3('lengthrange="1 2"'), so3('dyntype="integrator" actrange="-1 1"'),
    'general joint="jo" gaintype="so3" biastype="so3" gainprm="5" biasprm="0 -5 .5" dyntype="integrator"',
    general_pid('gainprm="3" biasprm="0 -4 -2" dyntype="pid" dynprm="7 8"'),
    general_pid('gainprm="3" biasprm="0 -4 .2" dyntype="pid" dynprm="0" input="pos vel ff" ffrange="-3 3"'),
    general_pid('gainprm="0" biasprm="0 -4 -2" dyntype="none"'),
    general_pid('gainprm="2" biasprm="0 -3 1" dyntype="pid" dynprm="0" inheritrange=".5" actearly="true"'),
    'general joint="ja" dyntype="dcmotor" gaintype="dcmotor" biastype="dcmotor" gainprm="3 4 5" dynprm=".1 .2" '
    'biasprm="1 2 3" actearly="true" input="pos voltage"',
    *(f'general joint="ja" {more}' for more in (
        'input="pos"', 'input="vel"', 'input="pressure"', 'input="expmap"', 'velrange="-1 1"', 'inheritrange="1"',
        'inheritrange="1" dyntype="integrator"', 'inheritrange="1" gainprm="3" biastype="affine" biasprm="0 -3 0"',
        'inheritrange="1" ctrlrange="-1 1" gainprm="3" biastype="affine" biasprm="0 -3 0"',
        'inheritrange="1" dyntype="integrator" gainprm="3" biastype="affine" biasprm="0 -3 0"', 'actearly="true"')),
    *(f'muscle joint="ja" lengthrange="1 2" {more}' for more in (
        'timeconst="-1 1"', 'vmax="-1"', 'force="0"', 'scale="-3"', 'range="-1 2"')),
    *(f"cylinder joint=\"ja\" {more}" for more in ('timeconst="-1"', 'diameter="-1"', 'area="-1"')),
    *(f'motor joint="ja" {more}' for more in (
        'interp="cubic" nsample="3" delay=".2"', 'nsample="3" delay="-1"', 'damping="-1"', 'armature="-1"',
        'ctrlrange="1 -1"', 'forcerange="1 1"', 'forcerange="2 1"', 'ctrlrange="2 1" ctrllimited="false"',
        'user="1 2 3"', 'group="-3"')),
]  # fmt: skip

MOTOR_CLASS = """<dcmotor resistance="2" motorconst="3" inductance=".1" controller="1 2 3 4 5 6" input="pos ff"
saturation="5 0 8" lugre="1 2 3 4 5" thermal="1 2 0 4 5 6" cogging="1 2 3"/>"""
PID_CLASS = '<pid kp="3" kv="2" ki="1" imax="4" slewmax="5" input="pos ff" posrange="-2 2" ffrange="-3 3"/>'
TURNING_CLASS = '<orientation kp="3" kv="2" input="quat"/>'
GENERAL_MOTOR = """<general gainprm="3 4 5" dyntype="dcmotor" gaintype="dcmotor" biastype="dcmotor" dynprm=".1 .2"
biasprm="1 2 3" actearly="true"/>"""
GENERAL_PID = """<general gaintype="pid" gainprm="3" biasprm="0 -4 -2" biastype="affine" dyntype="pid"
dynprm="7 8"/>"""
UNDER_CLASSES = {
    MOTOR_CLASS: [
        *(f'dcmotor joint="ja" {more}' for more in (
            "", 'resistance="5"', 'motorconst="5"', 'motorconst="0 5"', 'nominal="12 3 4"', 'controller="7"',
            'controller="7 8 9 0 0 0"', 'inductance="0"', 'inductance="0 0"', 'saturation="6"', 'saturation="6 0 0"',
            'saturation="0"', 'saturation="0 0 8"', 'lugre="0"', 'lugre="7"', 'thermal="7"', 'thermal="0 0 0 0 0 0"',
            'thermal="0 7 9"', 'cogging="9"')),
        'general joint="ja"', 'motor joint="ja"', 'pid joint="ja"', 'position joint="ja"'],
    PID_CLASS: [
        'pid joint="ja"', 'pid joint="ja" ki="0"', 'pid joint="ja" slewmax="0"', 'pid joint="ja" kp="9"',
        'general joint="ja"', 'motor joint="ja"', 'position joint="ja"', f"{MOTOR}"],
    '<pid kp="3" dampratio="1"/>': ['pid joint="ja"', 'pid joint="ja" kp="9"', 'pid joint="ja" kv="9"'],
    TURNING_CLASS: ['orientation joint="jo"', 'orientation joint="jo" kp="5"', 'general joint="jo"',
                    'motor joint="jo"', 'pid joint="ja"'],
    '<orientation kp="3" dampratio="2"/>': ['orientation joint="jo"', 'orientation joint="jo" kp="5"'],
    GENERAL_MOTOR: ['dcmotor joint="ja"', MOTOR, 'motor joint="ja"', 'position joint="ja"'],
    GENERAL_PID: ['pid joint="ja"', 'pid joint="ja" kp="2"', 'motor joint="ja"'],
    '<general gaintype="so3" biastype="so3" gainprm="4" biasprm="0 -4 -1" input="quat"/>': ['orientation joint="jo"'],
    '<general gear="3"/>': ['orientation joint="jo"'],
    '<general input="quat"/>': ['orientation joint="jo"'],
    '<general input="vel"/>': ['position joint="ja"', 'motor joint="ja"', 'general joint="ja" input="pos"',
                               'pid joint="ja"', 'muscle joint="ja" lengthrange="1 2"'],
    '<position kp="3" kv="2" ctrlrange="-1 1"/>': ['pid joint="ja"', MOTOR, 'orientation joint="jo"'],
    '<general gainprm="3" biasprm="0 -3 -2" biastype="affine"/>': ['pid joint="ja"'],
    '<general forcelimited="false" forcerange="-1 1"/>': [MOTOR, f'{MOTOR} saturation="5"'],
    '<general forcelimited="true" forcerange="-1 1"/>': [f'{MOTOR} saturation="0 0 3"'],
    '<general actearly="true" dyntype="filterexact" biastype="affine"/>': ['position joint="ja"', 'motor joint="ja"'],
    '<intvelocity actrange="-1 1"/>': [f'{MOTOR} inductance="1"'],
    '<dcmotor nominal="6 2 3"/>': ['dcmotor joint="ja" nominal="12 3 4"'],
}  # fmt: skip

REFUSED = [
    *(f"{MOTOR} {more}" for more in (
        'inductance="-1"', 'inductance="0 -1"', 'thermal="-1 1"', 'thermal="0 0 3"', 'thermal="0 2 0 1"',
        'thermal="2"', 'controller="1 2 3"', 'controller="1 2 3" input="vel"', 'controller="0 0 0 3"',
        'input="vel pos"', 'input="pos pos"', 'input="pos none"', 'input="pressure"', 'forcerange="-1 1"',
        'ctrllimited="true"', 'delay=".1"', 'actrange="-1 1"')),
    *(f'dcmotor joint="ja" {more}' for more in (
        'resistance="7"', 'motorconst="7"', 'motorconst="0 0" resistance="1"', 'motorconst="-1" resistance="1"',
        'motorconst="1" resistance="-1"', 'nominal="12 3"', 'nominal="12 0 4"')),
    *(f'pid joint="ja" {more}' for more in (
        'kv="1" dampratio="1"', 'input="voltage"', 'input="none"', 'input="vel" ki="1"', 'input="vel" slewmax="1"',
        'velrange="-1 1" ctrllimited="true"', 'inheritrange="1" posrange="-1 1"', 'kv="-1"', 'ki="-1"', 'slewmax="-1"',
        'dampratio="-1"', 'ki="1" imax="-1"', 'delay=".1"')),
    *(f'orientation {more}' for more in (
        'joint="ja"', 'joint="jf"', 'site="sb"', 'joint="jo" kv="-1"', 'joint="jo" dampratio="-1"',
        'joint="jo" forcerange="-1 3"', 'joint="jo" tendon="t"', 'joint="jo" gear="2"')),
    so3('dyntype="integrator" input="quat"'), so3('dyntype="filter"'),
    'general joint="jo" gaintype="so3" biastype="none" gainprm="3"', 'general joint="jo" biastype="so3"',
    'general joint="jo" gaintype="so3" biastype="so3"',
    'general tendon="t" gaintype="so3" biastype="so3" gainprm="3" biasprm="0 -3 -1"',
    'general jointinparent="jo" gaintype="so3" biastype="so3" gainprm="3" biasprm="0 -3 -1"',
    general_pid('gainprm="3" dyntype="none"'), general_pid('gainprm="0" dyntype="pid" dynprm="0"'),
    general_pid('gainprm="0" dyntype="filter"'), 'general joint="ja" gaintype="pid" gainprm="0"',
    general_pid('gainprm="2" dyntype="pid" dynprm="0" actdim="2"'),
    *(f'general joint="ja" {more}' for more in (
        'dyntype="pid"', 'input="pos vel"', 'input="voltage"', 'input="none"', 'input="ff"', 'input="force"',
        'dyntype="filter" actdim="3"', 'dyntype="filter" actdim="0"', 'actdim="1"', 'actrange="-1 1"',
        'dyntype="dcmotor" gaintype="dcmotor" biastype="dcmotor"', 'gaintype="muscle" biastype="muscle" input="pos"')),
    *(f'position {more}' for more in (
        'joint="ja" inheritrange="1" ctrlrange="-1 1"', 'joint="jo" inheritrange="1"', 'site="sa" inheritrange="1"')),
    *(f'muscle joint="ja" lengthrange="1 2" {more}' for more in (
        'lmin="2" lmax="1"', 'range="2 1"', 'tausmooth="-1"', 'site="sa"')),
    'adhesion body="a" gain="3"', 'adhesion body="a" ctrlrange="-1 1"', 'adhesion body="a" ctrlrange="0 1" gain="-3"',
    'damper joint="ja"', 'damper joint="ja" ctrlrange="0 1" kv="-1"', 'motor joint="ja" delay=".1"',
    'motor joint="ja" cranklength="1"', 'motor site="sa" damping="1"', 'motor site="sa" armature="1"',
    'general slidersite="sa" cranksite="sb"', 'general slidersite="sa" cranksite="sb" cranklength="-1"',
    'motor joint="ja" ctrlrange="0 0" ctrllimited="true"', 'motor joint="ja" forcerange="1 -1" forcelimited="true"',
    'motor', 'motor joint="x"', 'motor joint="ja" class="x"',
]  # fmt: skip

BALLS = """
<body name="w" pos="0 0 .5"><joint name="jw" axis="1 1 0" springref="20"/><geom name="gs" size=".12" pos=".02 .01 0"/>
<geom name="gc" type="cylinder" size=".1 .3" euler="20 70 10"/><site name="in" pos=".02 .01 .01"/>
<site name="up" pos="0 .3 .3"/><site name="down" pos="0 -.3 -.3"/></body>
<body pos=".4 0 .5"><joint name="je" axis="0 1 0" range="-40 40"/><geom size=".05"/><site name="end" pos="0 0 .02"/>
</body>
<site name="start" pos="-.5 .05 .5"/>"""
ROUND = '<geom geom="{}"{}/>'
PATHS = {
    f"{geom} {side}": f'<site site="start"/>{ROUND.format(geom, f" sidesite={chr(34)}{side}{chr(34)}" if side else "")}'
    '<site site="end"/>'
    for geom in ("gs", "gc") for side in ("", "up", "down", "in")
}  # fmt: skip
PATHS["pulleys"] = f"""<site site="start"/>{ROUND.format("gs", "")}<site site="end"/>{ROUND.format("gc", "")}
<site site="start"/><pulley divisor="3"/><site site="up"/>{ROUND.format("gs", "")}<site site="end"/>
<pulley divisor=".5"/><site site="start"/><site site="end"/>"""


@pytest.mark.parametrize("actuator", ALONE)
def test_actuators(actuator):
    """One actuator of each kind between two motors: addresses of controls, states and outputs follow."""
    text = model(['motor joint="jb"', actuator, 'position joint="jb" kp="3" dampratio="1"'])
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


@pytest.mark.parametrize(("classes", "actuator"), [(c, a) for c, actuators in UNDER_CLASSES.items() for a in actuators])
def test_actuators_of_classes(classes, actuator):
    """What a default class gives to shortcuts, its own and others."""
    text = model([actuator], classes)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


LENGTHS = {
    'uselimit="true"': ['muscle joint="ja"', 'muscle joint="ja" gear="-2"', 'muscle tendon="t" gear="3"',
                        'muscle joint="ja" lengthrange="1 2"', 'muscle joint="ja" lengthrange="2 1"'],
    'uselimit="true" useexisting="false"': ['muscle joint="ja" lengthrange="1 2"'],
    'uselimit="true" mode="all"': ['motor joint="ja"', 'motor tendon="t" lengthrange="3 4"'],
    'mode="none"': ['muscle joint="ja" lengthrange="1 2"', 'motor joint="ja"'],
}  # fmt: skip


@pytest.mark.parametrize(("how", "actuator"), [(h, a) for h, actuators in LENGTHS.items() for a in actuators])
def test_lengths_of_limits(how, actuator):
    """Muscles take the lengths that their joint or tendon is limited to, if the compiler is told so."""
    elements = f"{TENDONS}<actuator><{actuator}/></actuator>"
    text = mjcf(ARM + FREE + SOCKET, f"<compiler><lengthrange {how}/></compiler>", elements)
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


@pytest.mark.parametrize("actuator", REFUSED)
def test_actuators_that_cannot_be(actuator):
    """MuJoCo refuses them, and so does the reader, with the line."""
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(model([actuator]))
    with pytest.raises(carom.Error, match=f"MJCF:{LINE}: <{actuator.split()[0]}>"):
        our_fields(model([actuator]))


@pytest.mark.parametrize("path", PATHS)
def test_tendons_around_geoms(path):
    """Lengths at qpos0 and where springs rest, and the inertia that an actuator feels."""
    text = mjcf(
        BALLS, "", f"""<tendon><spatial name="t" stiffness="3">{PATHS[path]}</spatial></tendon>
        <actuator><position tendon="t" kp="3" dampratio="1" gear="2"/></actuator>""",
    )
    assert differences(our_fields(text), mujoco.MjModel.from_xml_string(text)) == []


def test_armature_of_tendons_around_geoms():
    """MuJoCo has no armature of tendons that wrap."""
    text = mjcf(BALLS, "", f'<tendon><spatial armature="1">{PATHS["gs "]}</spatial></tendon>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match="<geom>: a tendon with armature"):
        our_fields(text)
    text = mjcf(BALLS, "", f"""<tendon><spatial name="t">{PATHS["gs "]}</spatial></tendon>
        <actuator><motor tendon="t" armature="1"/></actuator>""")
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match="<motor>: a tendon that wraps"):
        our_fields(text)
