"""Five seconds of motions without chaos, against MuJoCo in double precision, with every integrator."""

import pytest

from mujoco_motion import INTEGRATORS, check_motion
from mujoco_states import compile_xml

SECONDS, DT = 5, 0.005

ROD = '<geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="1" contype="0" conaffinity="0"/>'
PLANE = '<geom type="plane" size="0 0 1" friction=".4"/>'
BOX = '<geom type="box" size=".1 .1 .1" mass="1" friction=".4"/>'
SCENES = {
    "damped pendulum": (f'<body><joint axis="0 1 0" damping=".1"/>{ROD}</body>', {}),
    "ball joint pendulum": (f'<body><joint type="ball" damping=".02"/>{ROD}</body>', {}),
    "sliding box": (f'{PLANE}<body pos="0 0 .0999"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
                    f'<joint type="slide" axis="0 0 1"/>{BOX}</body>', {}),
    "settling ball": (f'{PLANE}<body pos="0 0 .3"><freejoint/><geom size=".1" mass="1"/></body>', {}),
    "four-bar": (f"""<body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".2"/>{ROD}
      <body pos=".5 0 0"><joint axis="0 1 0" damping=".2"/>{ROD}<site name="end" pos=".5 0 0"/></body></body>
      <body pos="0 0 .5"><joint axis="0 1 0" damping=".2"/>{ROD}<site name="tip" pos="1 0 .5"/></body>""",
                 {"equality": '<connect site1="end" site2="tip"/>', "actuator": '<motor joint="a" gear=".3"/>'}),
    "gripper": (f"""<body><joint name="l" axis="0 0 1" damping=".5"/>{ROD}</body>
      <body pos="0 .2 0"><joint name="r" axis="0 0 1" damping=".5"/>{ROD}</body>""",
                {"equality": '<joint joint1="l" joint2="r" polycoef="0 -1"/>',
                 "tendon": '<fixed name="t"><joint joint="l" coef=".5"/><joint joint="r" coef="-.5"/></fixed>',
                 "actuator": '<position tendon="t" kp="5" kv="1" timeconst=".1"/>'}),
    "crank": (f"""<body pos="0 0 .5"><joint axis="0 1 0" damping=".1"/>{ROD}<site name="pin" pos=".1 0 0"/></body>
      <body><joint type="slide" axis="1 0 0" damping="2" stiffness="10"/>{ROD}
        <site name="rail" euler="0 90 0"/></body>""",
              {"actuator": '<motor cranksite="pin" slidersite="rail" cranklength=".8"/>'}),
    "hoist": (f"""<site name="up" pos="0 0 2"/><site name="beside" pos="1 0 2"/>
      <body><joint type="slide" axis="0 0 1" damping="3"/>{ROD}<site name="left"/></body>
      <body pos="1 0 0"><joint type="slide" axis="0 0 1" damping="3"/>{ROD}{ROD}<site name="right"/></body>""",
              {"tendon": """<spatial stiffness="200" damping="5"><site site="left"/><site site="up"/>
                 <pulley divisor="2"/><site site="beside"/><site site="right"/></spatial>"""}),
    "sinking": (f'<body><freejoint/>{ROD}</body>', {"option": 'density="300" viscosity=".1"'}),
}


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("scene", SCENES)
def test_five_seconds(scene, integrator):
    bodies, sections = SCENES[scene]
    sections = dict(sections)
    option = f'timestep="{DT}" {INTEGRATORS[integrator]} {sections.pop("option", "")}'
    check_motion(compile_xml(bodies, option=option, **sections), int(SECONDS / DT), speed=0.5, ctrl_size=1, atol=1e-6)
