"""Length ranges of actuators that a simulation finds are those of MuJoCo's compiler, and what has none is an Error."""

import re

import numpy as np
import pytest

import carom.f64 as carom

from mjcf_cases import ARM, mjcf
from mjcf_fields import differences, our_fields
from mujoco_states import mujoco

PRECISION = 1e-10
STRICT = '<option tolerance="1e-16" iterations="200"/>'

# An arm of three joints, two of them of one body, with sites to pull at and a ball and a rod to wrap around.
LIMB = """
<body name="upper" pos="0 0 1"><joint name="swing" axis="0 1 0" range="-60 50"/>
  <joint name="turn" axis="0 0 1" range="-30 30" armature=".01"/><geom type="capsule" size=".04" fromto="0 0 0 .4 0 0"/>
  <site name="on upper" pos=".3 0 .1"/>
  <body name="lower" pos=".4 0 0"><joint name="elbow" axis="0 1 .2" range="-70 10"/>
    <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/><site name="on lower" pos=".1 .01 .05"/>
    <body name="hand" pos=".3 0 0"><joint name="wrist" axis="0 1 0" range="-40 40"/><geom size=".04"/>
      <site name="on hand" pos=".05 0 .02"/></body>
  </body>
  <geom name="ball" size=".06" pos=".4 0 .02"/>
  <geom name="rod" type="cylinder" size=".05 .2" pos=".4 0 0" euler="90 0 0"/>
  <site name="above" pos=".4 0 .2"/>
</body>
<site name="on wall" pos="0 .1 1.3"/>"""
LOOSE = """
<body name="loose" pos="0 1 1"><freejoint name="free"/><geom size=".1"/><site name="on loose" pos=".05 0 0"/></body>"""
SOCKET = """
<body pos="0 2 1"><joint name="ball" type="ball" range="0 60"/><geom size=".1" pos=".1 0 0"/></body>"""
GIMBAL = """
<body pos="0 3 1" euler="20 30 10"><joint name="outer" axis="1 0 0" range="-60 50"/>
  <joint name="inner" axis="0 1 0" range="-30 30"/><geom size=".1" pos=".2 .1 0"/>
  <site name="on gimbal" pos=".3 0 .1" euler="10 20 30"/></body>"""
CART = """
<body name="cart" pos="1 0 0"><joint name="slide" type="slide" axis="1 0 0"/><geom size=".1"/><site name="on cart"/>
  <body pos="0 0 .3"><joint name="pendulum" axis="0 1 0" range="-100 80"/><geom size=".05" pos="0 0 .2"/></body>
</body>"""


def sites(*names):
    return "".join(f'<site site="{name}"/>' if name != "pulley" else '<pulley divisor="2"/>' for name in names)


TENDONS = f"""<tendon>
<spatial name="straight">{sites("on wall", "on lower")}</spatial>
<spatial name="long">{sites("on wall", "on upper", "on lower", "on hand")}</spatial>
<spatial name="pulleys">{sites("on wall", "on upper", "pulley", "on upper", "on lower")}</spatial>
<spatial name="ball"><site site="on upper"/><geom geom="ball"/><site site="on lower"/></spatial>
<spatial name="rod"><site site="on upper"/><geom geom="rod" sidesite="above"/><site site="on hand"/></spatial>
<fixed name="sum"><joint joint="swing" coef="1.5"/><joint joint="elbow" coef="-.5"/></fixed>
<fixed name="stopped" range="-.3 .4"><joint joint="wrist" coef="2"/><joint joint="elbow" coef="1"/></fixed>
</tendon>"""


def limb(actuators, how="", before="", after="", bodies=LIMB):
    elements = "".join(f"\n<{actuator}/>" for actuator in actuators)
    head = f"<compiler><lengthrange {how}/></compiler>{before}"
    return mjcf(bodies, head, f"{TENDONS}{after}<actuator>{elements}</actuator>")


MUSCLES = [f'muscle joint="{joint}"' for joint in ("swing", "turn", "elbow")] + [
    f'muscle tendon="{tendon}"' for tendon in ("straight", "pulleys", "ball", "rod", "sum", "stopped")
]
MUSCLE = ['muscle tendon="straight"', 'muscle joint="elbow"']
CURVES = ".75 1.05 -1 200 .5 1.6 1.5 1.3 1.2"
CASES = {
    "joints and tendons": limb(MUSCLES),
    "slow ones": limb(['muscle joint="wrist"', 'muscle tendon="long"'], 'inttotal="30"'),
    "gears": limb(['muscle joint="elbow" gear="-2.5"', 'muscle tendon="straight" gear="3"',
                   'muscle tendon="sum" gear="-1"']),
    "other actuators": limb(['motor joint="swing" armature=".3"', *MUSCLE,
                             'position joint="wrist" kp="300" armature=".1"',
                             'dcmotor joint="elbow" resistance="2" motorconst="3" controller="1 2 3 4 5 6" input="pos"',
                             'damper tendon="sum" kv="3" ctrlrange="0 1"', 'motor tendon="sum" armature=".05"']),
    "some are known": limb(['muscle joint="elbow" lengthrange="1 2"', *MUSCLE]),
    "useexisting false": limb(['muscle joint="elbow" lengthrange="1 2"', *MUSCLE], 'useexisting="false"'),
    "uselimit": limb(MUSCLES, 'uselimit="true"'),
    "mode all": limb(['motor joint="swing"', 'muscle tendon="ball"', 'position tendon="straight"',
                      'intvelocity joint="elbow" kp="3" actrange="-1 1"', 'pid joint="turn"',
                      'motor site="on lower" refsite="on wall" gear="1 0 0 0 0 0"',
                      'motor cranksite="on lower" slidersite="on wall" cranklength="2"'], 'mode="all"'),
    "ball joints": limb(['motor joint="ball" gear="1 0 0"', 'orientation joint="ball"', 'motor joint="swing"',
                         'motor jointinparent="ball" gear="0 2 1"'], 'mode="all"', bodies=LIMB + SOCKET),
    "orientation of a site": limb(['orientation site="on gimbal" refsite="on wall"', 'motor joint="swing"'],
                                  'mode="all" inttotal="30"', bodies=LIMB + GIMBAL),
    "delays": limb(['muscle joint="elbow" delay=".1" nsample="9"', 'motor joint="swing" delay=".2" nsample="30"']),
    "mode muscleuser": limb(['motor joint="swing"', *MUSCLE], 'mode="muscleuser"'),
    "weaker": limb(MUSCLE, 'accel="3"'),
    "maxforce": limb(MUSCLES, 'maxforce="1.5"'),
    "slower": limb(['muscle joint="swing"', 'muscle joint="turn"'], 'timeconst=".3" inttotal="40"'),
    "timestep": limb(MUSCLE, 'timestep=".004"'),
    "timestep of the options": limb(MUSCLE, 'timestep="0" inttotal="8" interval="0"', '<option timestep=".005"/>'),
    "longer": limb(MUSCLE, 'inttotal="15" interval="1" tolrange=".01"'),
    "interval of 0": limb(MUSCLE, 'inttotal="8" interval="0"'),
    "flags and options": limb(MUSCLE, "", """<option gravity="9 8 7" density="1000" viscosity="1"
        wind="3 0 0" actuatorgroupdisable="0">
        <flag limit="disable" equality="disable" actuation="disable"/></option>"""),
    **{integrator: limb([*MUSCLE, 'muscle joint="swing"'], 'interval="0"', f'<option integrator="{integrator}"/>')
       for integrator in ("RK4", "implicit", "implicitfast", "discrete")},
    "sleep": limb(MUSCLE, "", '<option><flag sleep="enable"/></option>',
                  bodies=LIMB.replace('name="upper"', 'name="upper" sleep="init"') + CART),
    "cone and impratio": limb(MUSCLE, "", '<option cone="elliptic" impratio="10"/>'),
    "passive forces": limb(MUSCLE, "", '<default><joint stiffness="3" damping="2" frictionloss="1"/></default>'),
    "ranges of forces": limb(MUSCLE, "", '<default><joint actuatorfrcrange="-.1 .1"/></default>'),
    "limits with margins": limb(MUSCLES, "", '<default><joint margin=".05" solreflimit=".05 .8"/></default>'),
    "contacts": limb(MUSCLE, bodies=LIMB + '<geom type="plane" size="1 1 1" pos="0 0 .9"/>'),
    "a loose body": limb(MUSCLE, bodies=LIMB + LOOSE),
    "to a loose body that is held": limb(
        ['muscle tendon="held"'], "",
        after=f'<tendon><spatial name="held">{sites("on hand", "on loose")}</spatial></tendon>'
        '<equality><connect body1="loose" anchor="0 0 0"/></equality>', bodies=LIMB + LOOSE),
    "equalities": limb(
        [*MUSCLE, 'muscle joint="wrist"'], "",
        after='<equality><joint joint1="elbow" joint2="wrist" polycoef="0 -1 .2"/></equality>'),
    "connect": limb(
        [*MUSCLE, 'muscle joint="wrist"'], "",
        after='<equality><connect body1="hand" body2="upper" anchor=".05 0 0"/></equality>'),
    "tendon equality": limb(
        MUSCLE, "", after='<equality><tendon tendon1="sum" tendon2="stopped" polycoef="0 .5"/></equality>'),
    "an unlimited joint beside": limb([*MUSCLE, 'muscle joint="pendulum"'], bodies=LIMB + CART),
    "mocap": limb(MUSCLE, "", after='<equality><weld body1="hand" body2="target"/></equality>',
                  bodies=LIMB + '<body name="target" mocap="true" pos=".7 0 1"/>'),
    "no actuators": limb([]),
    "gain or bias": limb([f'general joint="elbow" gaintype="muscle" gainprm="{CURVES}"',
                     f'general joint="turn" biastype="muscle" biasprm="{CURVES}" gear="-3"']),
    "arm of the other tests": mjcf(ARM, "", '<actuator><muscle joint="ja"/><muscle joint="jb" gear="2"/></actuator>'),
}  # fmt: skip


def compile_strictly(text):
    """MuJoCo's model; its solver goes on to the end, as Newton's method does here: constraints that all but hold each
    other leave it a choice before."""
    return mujoco.MjModel.from_xml_string(text.replace("<worldbody>", f"{STRICT}<worldbody>", 1))


def our_ranges(text):
    return np.reshape(our_fields(text)["actuator_lengthrange"], (-1, 2))


@pytest.mark.parametrize("name", CASES)
def test_ranges(name):
    """Every field is MuJoCo's, ranges of lengths to 1e-10 of the range."""
    theirs = compile_strictly(CASES[name])
    ours = our_fields(CASES[name])
    found = np.reshape(ours["actuator_lengthrange"], (-1, 2))
    assert found.shape == theirs.actuator_lengthrange.shape
    scale = np.ptp(theirs.actuator_lengthrange, axis=1, keepdims=True)
    assert (np.abs(found - theirs.actuator_lengthrange) <= PRECISION * scale).all(), found - theirs.actuator_lengthrange
    ours["actuator_lengthrange"] = theirs.actuator_lengthrange
    assert differences(ours, theirs) == []


def random_limb(rng):
    """A chain with limits, fixed and spatial tendons, and a muscle for each of them."""
    bodies, after, tendons, muscles = "", "", "", ""
    count = rng.integers(2, 6)
    for i in range(count):
        axis, pos = rng.normal(size=3), rng.uniform(-.3, .3, 3)
        lower, upper = -rng.uniform(10, 80), rng.uniform(10, 80)
        slides = rng.random() < .3
        span = f"{lower / 200:.4f} {upper / 200:.4f}" if slides else f"{lower:.4f} {upper:.4f}"
        bodies += f"""<body pos="{pos[0]:.4f} {pos[1]:.4f} {pos[2]:.4f}">
            <joint name="j{i}" axis="{axis[0]:.4f} {axis[1]:.4f} {axis[2]:.4f}" range="{span}"
            {'type="slide"' if slides else ''}/>
            <geom size="{rng.uniform(.03, .1):.4f}" pos="{rng.uniform(-.1, .1):.4f} .05 0"/>
            <site name="s{i}" pos="{rng.uniform(-.1, .1):.4f} {rng.uniform(-.1, .1):.4f} .1"/>"""
        after += "</body>"
        muscles += f'<muscle joint="j{i}" gear="{rng.uniform(-2, 2):.4f}"/>'
    first, last = rng.choice(count, 2, replace=False)
    tendons += f'<fixed name="f"><joint joint="j{first}" coef="2"/><joint joint="j{last}" coef="-1.5"/></fixed>'
    tendons += f'<spatial name="t"><site site="w"/><site site="s{first}"/><site site="s{last}"/></spatial>'
    muscles += '<muscle tendon="f"/><muscle tendon="t"/>'
    return mjcf(f'{bodies}{after}<site name="w" pos=".3 .4 .5"/>', "",
                f"<tendon>{tendons}</tendon><actuator>{muscles}</actuator>")  # fmt: skip


def ranges_or_none(text, accel):
    how = f'<compiler><lengthrange accel="{accel!r}"/></compiler>'
    try:
        return compile_strictly(text.replace("<worldbody>", f"{how}<worldbody>", 1)).actuator_lengthrange
    except ValueError:
        return None


def test_random_limbs():
    """As above; and where MuJoCo finds none, there is none. Some limbs go on beating against their limits, and rounding
    decides where they are at the end: an end that MuJoCo itself finds elsewhere, or not at all, when the pull changes
    by 1e-13 of itself counts up to that."""
    compared = settled = refused = 0
    for seed in range(40):
        text = random_limb(np.random.default_rng(seed))
        pulled = [ranges_or_none(text, 20 + k * 2e-12) for k in range(4)]
        if any(ranges is None for ranges in pulled):
            if all(ranges is None for ranges in pulled):
                refused += 1
                with pytest.raises(carom.Error, match="a simulation"):
                    our_ranges(text)
            continue
        scale, spread = np.ptp(pulled[0], axis=1, keepdims=True), np.ptp(pulled, axis=0)
        compared, settled = compared + spread.size, settled + (spread < 1e-9 * scale).sum()
        difference = np.abs(our_ranges(text) - pulled[0])
        assert (difference <= PRECISION * scale + 10 * spread).all(), (seed, difference, spread)
    assert refused > 0 and compared > 200 and settled > 0.9 * compared, (refused, compared, settled)


REFUSED = {
    "nothing holds it": (
        limb(['motor joint="swing"', 'muscle joint="slide"'], bodies=LIMB + CART), "did not come to rest"
    ),
    "too short a time": (limb(MUSCLE, 'inttotal="1"'), "a simulation of 1 s that pulls at it did not come to rest"),
    "interval of all": (limb(MUSCLE, 'interval="20"'), "did not come to rest"),
    "no tolerance": (limb(MUSCLE, 'tolrange="-1"'), "did not come to rest"),
    "no acceleration": (limb(MUSCLE, 'accel="0"'), "found no range of lengths"),
    "backwards": (limb(MUSCLE, 'accel="-20"'), "found no range of lengths"),
    "no time": (limb(MUSCLE, 'inttotal="0"'), "found no range of lengths"),
    "a site": (limb(['motor site="on hand" gear="0 0 0 0 1 0"'], 'mode="all"'), "found no range of lengths"),
    "a free joint": (limb(['motor joint="free"'], 'mode="all"', bodies=LIMB + LOOSE), "found no range of lengths"),
    "adhesion": (limb(['adhesion body="hand" ctrlrange="0 1"'], 'mode="all"'), "found no range of lengths"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_no_range(name):
    """MuJoCo refuses it, and so does the reader, with the line of the actuator and a way out."""
    text, words = REFUSED[name]
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(carom.Error, match=re.escape(words)) as caught:
        carom.ModelBuilder().add_mjcf(text)
    assert re.match(r"MJCF:\d+: <(muscle|motor|adhesion)>: ", str(caught.value))
    assert "give lengthrange" in str(caught.value)
    carom.load_keyframes(text)  # wants no lengths
