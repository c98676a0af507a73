"""Small MJCF models, one for each rule of reading and compiling, for the tests that compare with MuJoCo."""


def mjcf(bodies: str = "", before: str = "", after: str = "") -> str:
    """A model with these bodies, and sections before and after them."""
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"


def default(text: str, **classes: str) -> str:
    nested = "".join(f'<default class="{name}">{inside}</default>' for name, inside in classes.items())
    return f"<default>{text}{nested}</default>"


BALL = '<geom size=".1"/>'
BOX = '<geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler="40 50 60"/>'
ARM = """
<body name="a" pos="1 2 3" euler="10 20 30">
  <joint name="ja" range="-30 60" ref="10"/><geom name="ga" size=".1" mass="2"/><site name="sa" pos=".1 0 0"/>
  <body name="b" pos="0 1 0" euler="0 0 40">
    <joint name="jb" type="slide" axis="1 1 0" range="-1 2"/>
    <geom name="gb" type="box" size=".2 .1 .3" pos=".1 .2 .3"/>
    <geom name="gc" type="capsule" size=".05" fromto="0 0 0 .3 .4 .5"/>
    <site name="sb" pos=".2 0 0" euler="30 40 50"/>
  </body>
</body>"""
FREE = """
<body name="f" pos="0 0 2" quat="1 .2 .3 .4">
  <freejoint name="jf"/><geom name="gf" type="ellipsoid" size=".1 .2 .3" pos=".1 0 0"/><site name="sf"/>
</body>"""
SOCKET = """
<body name="o">
  <joint name="jo" type="ball" pos=".1 .2 .3" range="0 60" damping="1 2 3" stiffness="4 5 6" springyield="20"/>
  <geom name="go" type="cylinder" size=".1 .3" euler="10 0 0"/>
</body>"""
ENDS = "".join(
    f'<geom type="{kind}" size=".1 .2 .3" fromto="0 0 0 1 2 3"/><geom type="{kind}" size=".1" fromto="0 0 0 0 0 1"/>'
    f'<geom type="{kind}" size=".1" fromto="0 0 1 0 0 0"/>'
    for kind in ("capsule", "cylinder", "box", "ellipsoid")
)

CASES = {
    "empty": mjcf(),
    "name": '<mujoco model="hello world"/>',
    "arm": mjcf(ARM),
    "free joint": mjcf(FREE),
    "ball joint": mjcf(SOCKET),
    "several trees": mjcf(ARM + FREE + SOCKET),
    "options": """<mujoco><option timestep=".01" gravity="1 2 3" wind="1 0 0" magnetic="1 2 3" density="2"
        viscosity="3" impratio="4" integrator="RK4" cone="elliptic" noslip_iterations="3" noslip_tolerance="1e-3"
        sleep_tolerance=".5"
        o_margin=".1" o_solref="-1 -2" o_solimp=".1 .2" o_friction="1 2 3" actuatorgroupdisable="0 3 5">
        <flag gravity="disable" sleep="enable" multiccd="disable" island="disable" override="enable"
        eulerdamp="disable"/></option></mujoco>""",
    "options twice": '<mujoco><option timestep=".01"/><option density="3"/></mujoco>',
    "integrator discrete": '<mujoco><option integrator="discrete"/></mujoco>',
    "angle radian": mjcf(ARM, '<compiler angle="radian"/>'),
    "eulerseq": mjcf(ARM, '<compiler eulerseq="ZYx"/>'),
    "autolimits false": mjcf(
        f'<body><joint limited="true" range="-20 30"/>{BALL}</body>', '<compiler autolimits="false"/>'
    ),
    "limited false": mjcf(f'<body><joint limited="false" range="-20 30"/>{BALL}</body>'),
    "orientations": mjcf(
        "".join(
            f'<geom size=".1" {turn}/>'
            for turn in (
                'axisangle="1 2 3 40"', 'xyaxes="1 2 0 0 1 1"', 'zaxis="1 2 3"', 'zaxis="0 0 -1"', 'euler="10 20 30"',
                'quat="1 2 3 4"', 'xyaxes="-1 0 0 0 -1 0"', 'xyaxes="-1 0 0 0 1 0"', 'xyaxes="1 0 0 0 -1 0"',
            )
        )
    ),
    "classes": mjcf(
        f"""<body childclass="c1"><joint/>{BALL}<geom size=".1" class="c2" friction="5"/>
        <geom class="main" size=".3"/></body>{BALL}""",
        """<default><geom rgba="1 0 0 1" friction="1 2 3"/><joint damping="3"/><default class="c1">
        <geom friction="4" density="10"/><default class="c2"><geom contype="2" solimp=".1 .2"/></default></default>
        </default>""",
    ),
    "class before its parent's numbers": mjcf(
        '<geom class="x" size=".1"/>',
        """<default><default class="x"><geom friction="4"/></default><geom friction="1 2 3" margin=".1"/></default>""",
    ),
    "rotations of a class": mjcf(
        """<geom class="x" size=".1" quat="1 1 0 0"/><geom class="x" size=".1"/>
        <geom class="x" size=".1" zaxis="1 0 0"/>""",
        default("", x='<geom euler="10 20 30"/>'),
    ),
    "quat of a class": mjcf(
        '<geom class="x" size=".1" euler="1 10 0"/><geom class="x" size=".1"/>',
        default("", x='<geom quat="1 2 3 4" pos="1 2 3"/>'),
    ),
    "joints of a class": mjcf(
        f'<body><joint class="x"/><joint class="x" axis="0 1 0"/>{BALL}</body>',
        default("", x="""<joint type="slide" axis="1 2 3" limited="true" range="-1 1" actuatorfrcrange="-2 3"
        springdamper="1 .5" armature=".1"/>"""),
    ),
    "freejoint takes no class": mjcf(
        f'<body><freejoint/>{BALL}</body><body><joint type="free"/>{BALL}</body>',
        default('<joint damping="2" armature="3" stiffness="1" frictionloss=".5"/>'),
    ),
    "frames": mjcf(
        f"""<frame pos="1 2 3" euler="10 20 30">{BALL}<frame quat="1 1 0 0" pos="0 1 0"><body pos="1 0 0">
        <frame euler="0 30 0" pos=".1 .2 .3"><joint axis="1 1 0" pos="1 0 0"/>{BOX}<site pos="1 1 1"/>
        <geom type="capsule" size=".1" fromto="0 0 0 1 1 1"/></frame></body></frame></frame><geom size=".3"/>"""
    ),
    "class of a frame": mjcf(
        f'<frame childclass="x">{BALL}<body>{BALL}</body></frame>', default("", x='<geom friction="4"/>')
    ),
    "replicate": mjcf(
        """<replicate count="12" offset="1 0 0" euler="0 0 90"><body name="q" pos="0 0 1"><freejoint/>
        <geom name="g" size=".1" pos="1 0 0"/></body></replicate>"""
    ),
    "replicates inside": mjcf(
        f"""{BALL}<replicate count="2" offset="0 1 0" euler="90 0 0"><geom size=".4"/>
        <replicate count="2" sep="-" offset="1 0 0" euler="0 90 0"><geom name="Alice" size=".1"/>
        <body name="B">{BALL}</body></replicate></replicate><geom size=".5"/>"""
    ),
    "fromto": mjcf(ENDS),
    "sites": mjcf(
        '<site name="s0"/><body name="sb"><joint/><geom size=".1"/><site name="s1" size=".2"/>'
        + "".join(f'<site type="{kind}" size=".1 .2 .3" pos="1 2 3" euler="10 20 30"/>'
                  for kind in ("sphere", "capsule", "ellipsoid", "cylinder", "box"))
        + '<site name="s2" type="box" size=".1"/></body>'
    ),
    "cameras": mjcf(
        """<camera name="c0"/><body pos="1 0 0"><joint/><geom size=".1"/>
        <camera pos="1 2 3" euler="10 20 30" fovy="60"/><frame pos="0 1 0" euler="0 0 50">
        <camera name="c1" pos="1 2 3" xyaxes="0 1 0 -1 0 .1" resolution="10 20"/></frame>
        <camera mode="track"/><camera mode="targetbody" target="world"/><camera projection="orthographic" fovy="3"/>
        <camera sensorsize=".3 .2" focal=".1 .5" resolution="30 20"/>
        <camera sensorsize=".3 .2" focalpixel="7 11" principalpixel="2 3" resolution="30 20"/>
        <camera sensorsize=".3 .2" focal="0 .5" focalpixel="7 11" principal=".01 0" principalpixel="2 3"
        resolution="30 20"/><camera sensorsize=".3 .2"/></body><body><freejoint align="true"/>
        <geom type="box" size=".1 .2 .3" pos=".1 .2 .3" euler="40 50 60"/>
        <camera pos="1 2 3" euler="10 20 30"/></body>"""
    ),
    "classes of cameras": mjcf(
        '<camera/><camera fovy="20"/><camera class="k"/><camera class="k" quat="1 2 3 4" principal=".1 .2"/>',
        default('<camera fovy="30" pos="1 2 3" euler="0 0 90" resolution="5 6"/>',
                k='<camera sensorsize=".1 .2" focal=".3 .4"/>'),
    ),
    "fromto of sites": mjcf('<site type="capsule" size=".1" fromto="0 0 0 1 2 3"/><site pos="1 2 3" euler="1 2 3"/>'),
    "planes": mjcf('<geom type="plane" size="0 0 1"/><geom type="plane" size="1 2 .1" zaxis="1 0 1"/>'),
    "sizes that are too many": mjcf('<geom type="sphere" size=".1 .2 .3"/><geom type="capsule" size=".1 .2 .3"/>'),
    "inertia of geoms": mjcf(
        f"""<body><freejoint/><geom size=".1" pos="1 0 0"/>{BOX}
        <geom type="capsule" size=".1 .2" pos="0 1 0" mass="3"/>
        <geom type="cylinder" size=".1 .2" euler="40 0 0" pos="0 0 -1" density="500"/>
        <geom type="ellipsoid" size=".1 .2 .3"/></body>"""
    ),
    "inertiagrouprange": mjcf(
        f'<body><freejoint/><geom size=".1" pos="1 0 0" group="3"/>{BOX}</body>', '<compiler inertiagrouprange="0 2"/>'
    ),
    "inertial": mjcf(
        f"""<body><freejoint/>{BALL}<inertial pos="1 2 3" quat="1 1 0 0" mass="2" diaginertia="1 2 2.5"/></body>
        <body><joint/>{BALL}<inertial pos="0 0 0" mass="2" fullinertia="3 2 2.5 .1 .2 .3"/></body>
        <body><joint/><inertial pos="0 0 0" mass="2" fullinertia="1 2 2.5 0 0 0"/></body>"""
    ),
    "inertiafromgeom": mjcf(
        f'<body><freejoint/>{BOX}<inertial pos="1 2 3" quat="1 1 0 0" mass="2" diaginertia="1 2 2.5"/></body>',
        '<compiler inertiafromgeom="true"/>',
    ),
    "boundmass": mjcf(
        f'<body><freejoint/><geom size=".01"/></body><body>{BALL}</body><body/>',
        '<compiler boundmass=".5" boundinertia=".01"/>',
    ),
    "bodies without mass": mjcf(
        f"""<body pos="1 2 3" euler="10 20 30"><body pos="1 0 0"><joint/>{BALL}</body></body>
        <body pos="1 2 3"><geom size=".1" mass="0"/></body>"""
    ),
    "bodies without mass, bounded": mjcf(
        '<body pos="1 2 3" euler="10 20 30"><joint/></body>', '<compiler boundmass=".5" boundinertia=".01"/>'
    ),
    "balanceinertia": mjcf(
        '<body><freejoint/><inertial pos="0 0 0" mass="2" diaginertia="1 2 9"/></body>',
        '<compiler balanceinertia="true"/>',
    ),
    "settotalmass": mjcf(ARM + FREE, '<compiler settotalmass="7"/>'),
    "align": mjcf(
        f"""<body pos="1 2 3" euler="10 20 30"><freejoint align="true"/>{BOX}{BALL}
        <site pos="1 0 0" euler="1 2 3"/></body>"""
    ),
    "alignfree": mjcf(
        f"""<body pos="1 2 3" euler="10 20 30"><freejoint/>{BOX}</body>
        <body euler="10 20 30"><freejoint align="false"/>{BOX}</body>
        <body euler="10 20 30"><freejoint/>{BOX}<body>{BALL}</body></body>
        <body><joint type="free"/><geom size=".1" pos="1 0 0"/></body>""",
        '<compiler alignfree="true"/>',
    ),
    "mocap": mjcf(
        f"""<body mocap="true" pos="1 0 0">{BALL}<body name="x">{BALL}</body></body><body>{BALL}</body>
        <body mocap="true"/>"""
    ),
    "gravcomp and sleep": mjcf(
        f"""<body gravcomp=".5" sleep="never"><freejoint/>{BALL}</body><body sleep="init"><freejoint/>{BALL}</body>
        <body sleep="allowed"><freejoint/>{BALL}</body>"""
    ),
    "numbers of a geom": mjcf(
        """<geom size=".1" contype="2" conaffinity="3" condim="4" priority="2" group="3" friction="2 .1" solmix=".3"
        margin=".1" gap=".2" adhesion=".5" surfacevel="1 2 3" solref="-1 -2" solimp=".1 .2 .3 .4 5"/>"""
    ),
    "numbers of a joint": mjcf(
        f"""<body><joint type="hinge" axis="1 2 3" pos="1 0 0" limited="true" range="-10 20" actuatorfrcrange="-1 2"
        actuatorgravcomp="true" stiffness="1 2 3" damping="4 5 6" armature=".1" frictionloss=".2" springref="30"
        springyield=".4" ref="15" margin=".1" solreflimit=".1 2" solimplimit=".1 .2" solreffriction=".3"
        solimpfriction=".4 .5"/>{BALL}</body>"""
    ),
    "springdamper": mjcf(
        f"""<body><joint springdamper=".1 1" armature=".2"/><geom size=".1" pos="1 0 0"/>
        <body><joint springdamper=".2 .7" axis="1 0 0"/>{BOX}</body></body>
        <body><joint type="ball" springdamper="1 1"/><geom type="box" size=".1 .2 .3"/></body>"""
    ),
    "pairs and excludes": mjcf(
        ARM + FREE,
        default('<geom condim="6" friction="2"/><pair margin=".3"/>', p='<pair solref=".1 1"/>'),
        """<contact><pair geom1="gf" geom2="ga"/><pair name="x" geom1="gc" geom2="ga" class="p" condim="1"
        friction="1 2 3" gap=".1" adhesion=".5" solreffriction=".3 .4" solimp=".1"/><pair geom1="gc" geom2="gb"/>
        <exclude body1="f" body2="a"/><exclude body1="b" body2="world"/></contact>""",
    ),
    "tendons": mjcf(
        ARM + FREE,
        default('<tendon stiffness="1 2" damping="3" range="-1 1"/>',
                k='<tendon limited="false" solreflimit=".1" frictionloss=".2" margin=".3"/>'),
        """<tendon><fixed name="t"><joint joint="ja" coef="2"/><joint joint="jb" coef="-1"/></fixed>
        <spatial class="k"><site site="sa"/><site site="sb"/><pulley divisor="2"/><site site="sb"/><site site="sf"/>
        </spatial><fixed springlength=".1 .2" actuatorfrcrange="-1 1" armature=".5" springyield=".1">
        <joint joint="jb" coef="3"/></fixed><spatial limited="true" solimpfriction=".1 .2" solreffriction=".3">
        <site site="sf"/><site site="sb"/></spatial></tendon>""",
    ),
    "equality of tendons": mjcf(
        ARM, "",
        """<tendon><fixed name="t"><joint joint="ja" coef="1"/></fixed><fixed name="u"><joint joint="jb" coef="1"/>
        </fixed></tendon>
        <equality><tendon tendon1="t"/><tendon tendon1="t" tendon2="u" polycoef="1 2 3"/></equality>""",
    ),
    "equality of spatial tendons": mjcf(
        ARM + FREE + '<site name="side" pos="1.3 2 3"/>', "",
        """<tendon><fixed name="t"><joint joint="ja" coef="1"/></fixed>
        <spatial name="u"><site site="sb"/><geom geom="ga" sidesite="side"/><site site="sf"/><pulley divisor="2"/>
        <site site="sb"/><site site="sf"/></spatial><spatial name="v"><site site="sa"/><site site="sf"/></spatial>
        </tendon>
        <equality><tendon tendon1="u"/><tendon tendon1="u" tendon2="v" polycoef="1 2 3 .4 .5"/>
        <tendon tendon1="t" tendon2="u" polycoef="1 2 3 .4 .5"/></equality>""",
    ),
    "armature of tendons and actuators": mjcf(
        ARM + FREE, "",
        """<tendon><fixed name="t" armature=".3"><joint joint="ja" coef="2"/></fixed>
        <spatial name="u" armature=".2"><site site="sb"/><site site="sf"/></spatial></tendon>
        <actuator><motor joint="ja" gear="3" armature=".1"/><position tendon="u" kp="4" dampratio="1"/></actuator>""",
    ),
}

CORNERS = 'vertex="0 0 0 1 0 0 0 2 0 0 0 3"'
FACES = 'face="0 2 1 0 1 3 0 3 2 1 2 3"'
MESHES = (
    f"{CORNERS} {FACES}",
    f'{CORNERS} {FACES} scale="-1 1 2"',
    f'{CORNERS} {FACES} refpos="1 2 3" refquat="1 1 0 0" scale="1 2 4"',
    f'{CORNERS} {FACES} inertia="exact"',
    f'{CORNERS} {FACES} inertia="convex"',
    f'{CORNERS} {FACES} inertia="shell"',
)
for _mesh in MESHES:
    for _contype in (0, 1):
        CASES[f"mesh {_mesh} {_contype}"] = mjcf(
            f"""<body><freejoint/><geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30" conaffinity="0"
            contype="{_contype}"/></body><geom type="mesh" mesh="m" mass="3" contype="0" conaffinity="0"/>""",
            f'<asset><mesh name="m" {_mesh}/></asset>',
        )
for _type in ("mesh", "box"):
    CASES[f"surface velocity, {_type} of a mesh"] = mjcf(
        f"""<body><freejoint/><geom type="{_type}" mesh="m" pos="1 2 3" euler="10 20 30" surfacevel="1 2 3 4 5 6"/>
        </body>""",
        f'<asset><mesh name="m" {MESHES[0]}/></asset>',
    )
for _field in ('elevation="1 2 3 4 5 9"', 'elevation="5 5 5 5 5 5"', ""):
    CASES[f"hfield {_field}"] = mjcf(
        '<geom type="hfield" hfield="h" pos="1 2 3" euler="10 20 30"/>',
        f'<asset><hfield name="h" nrow="2" ncol="3" size="1 2 3 4" {_field}/></asset>',
    )

EQUALITIES = (
    '<connect body1="a" body2="f" anchor=".1 .2 .3" name="x"/>',
    '<connect body1="a" anchor=".1 .2 .3" active="false"/>',
    '<connect site1="sa" site2="sf"/>',
    '<weld body1="a" body2="f"/>',
    '<weld body1="a"/>',
    '<weld body1="a" body2="f" anchor=".1 .2 .3" solref=".1 2"/>',
    '<weld body1="a" body2="f" relpose="1 2 3 1 0 0 1"/>',
    '<weld body1="a" body2="f" anchor=".1 .2 .3" relpose="1 2 3 1 0 0 1" torquescale="2"/>',
    '<weld body1="a" body2="f" relpose="0 1 0 0 0 0 0"/>',
    '<weld site1="sa" site2="sf" torquescale=".5" solimp=".1 .2"/>',
    '<joint joint1="ja" joint2="jb" polycoef=".1 .2"/>',
    '<joint joint1="ja"/>',
)
for _equality in EQUALITIES:
    CASES[_equality] = mjcf(
        ARM + FREE, default('<equality solref=".3 .4" active="true"/>'), f"<equality>{_equality}</equality>"
    )

ACTUATORS = (
    'motor joint="ja" gear="3"',
    'motor jointinparent="jf" gear="1 2 3 4 5 6"',
    'motor joint="jf" gear="1 2 3 4 5 6"',
    'motor joint="jo" gear="1 2 3"',
    'motor joint="jo" gear="2 3 4" armature=".3"',
    'position joint="jf" gear="2 3 4 5 6 7" armature=".3" kp="4" dampratio="1"',
    'motor jointinparent="jo" gear="1 2 3"',
    'motor tendon="t" gear="2"',
    'motor tendon="u"',
    'motor site="sb" gear="1 2 3 4 5 6"',
    'motor site="sb" refsite="sa" gear="1 2 3 4 5 6"',
    'motor site="sb" refsite="sf" gear="1 2 3 4 5 6"',
    'general slidersite="sa" cranksite="sb" cranklength="2"',
    'position joint="ja" kp="3" kv="2" ctrlrange="-1 1" forcerange="-2 3"',
    'position joint="ja" kp="10" dampratio="1"',
    'position tendon="t" kp="10" dampratio=".7"',
    'position joint="ja" inheritrange="1"',
    'position joint="ja" inheritrange=".8" timeconst=".1"',
    'position tendon="t" inheritrange="2"',
    'intvelocity joint="jb" kp="3" actrange="-1 1"',
    'intvelocity joint="jb" inheritrange="1"',
    'intvelocity joint="ja" kp="4" dampratio="1" actrange="-1 1"',
    'velocity joint="ja" kv="4"',
    'damper joint="ja" kv="2" ctrlrange="0 3"',
    'cylinder joint="ja" timeconst=".2" area="3" bias="1 2 3"',
    'cylinder joint="ja" diameter="2"',
    'muscle joint="ja" lengthrange=".1 .5"',
    'muscle tendon="t" lengthrange="-1 1" timeconst=".02 .05" tausmooth=".1" range=".7 1" force="100" scale="300" '
    'lmin=".4" lmax="1.5" vmax="1.4" fpmax="1.2" fvmax="1.1" ctrlrange="0 1"',
    'adhesion body="a" ctrlrange="0 2" gain="3"',
    'general joint="ja" dyntype="filter" dynprm=".3" gaintype="affine" gainprm="1 2 3" biastype="affine" '
    'biasprm="4 5 6" actlimited="true" actrange="-1 2" group="2" actearly="true"',
    'general joint="jb" damping="1 2 3" armature=".4" lengthrange="1 2"',
    'motor joint="ja" delay=".1" nsample="5" interp="linear"',
    'general joint="ja" dyntype="integrator" ctrllimited="true" ctrlrange="-1 1" forcelimited="true" forcerange="0 3"',
    'general joint="ja" gainprm="2" biastype="affine" biasprm="0 -2 .5"',
    'general body="a"',
)
_TENDONS = """
<tendon><fixed name="t" range="-1 1"><joint joint="ja" coef="2"/><joint joint="jb" coef="-1"/></fixed>
<spatial name="u" springlength=".2"><site site="sa"/><site site="sf"/><pulley divisor="2"/><site site="sa"/>
<site site="sb"/></spatial></tendon>"""
for _actuator in ACTUATORS:
    CASES[_actuator] = mjcf(ARM + FREE + SOCKET, "", f"{_TENDONS}<actuator><{_actuator}/></actuator>")

# A shortcut under a class that was written with another one.
GENERAL = '<general gainprm="70" biasprm="0 -70 -5" biastype="affine"/>'
FILTERED = '<general gainprm="3" biasprm="1 -3 -2" dyntype="filterexact" dynprm="7 8 9" biastype="affine"/>'
AFFINE = """<general gainprm="3 4 -5 6 7" biasprm="1 2 -3" dyntype="filter" dynprm="7 8" gaintype="affine"
biastype="affine"/>"""
CLASSES_OF_ACTUATORS = {
    '<position kp="5" kv="1" timeconst=".1" ctrlrange="-1 1" gear="2"/>': ("motor", "velocity", "position", "general",
                                                                         "intvelocity", "cylinder"),
    GENERAL: ("position", 'position kp="3"', "motor", "velocity", "intvelocity", "cylinder"),
    FILTERED: ("position", 'position timeconst="0"', "motor", "velocity", "intvelocity", "cylinder", "general"),
    AFFINE: ("position", "motor", "velocity", 'damper ctrlrange="0 1"', "cylinder", "general"),
    '<velocity kv="3"/>': ("velocity", "position"),
    '<motor gear="3" ctrlrange="-2 2"/>': ("position",),
    '<cylinder timeconst="3" area="2"/>': ("cylinder", "general"),
    '<intvelocity kp="3" actrange="-1 1"/>': ("intvelocity",),
    '<position inheritrange="1"/>': ("position",),
    '<position dampratio="1" kp="4"/>': ("position",),
    '<damper kv="3" ctrlrange="0 1"/>': ("motor", "damper"),
    '<position kp="5"/><motor gear="3"/>': ("position", "motor"),
    '<position kp="5"/><general gainprm="3"/>': ("position",),
    '<general gainprm="3"/><position kv="5"/>': ("general",),
    '<muscle force="3" timeconst="3 4"/>': ('muscle lengthrange="0 1"', 'general lengthrange="0 1"', "motor"),
}
for _class, _shortcuts in CLASSES_OF_ACTUATORS.items():
    for _shortcut in _shortcuts:
        CASES[f"{_shortcut} under {_class}"] = mjcf(
            ARM, default(_class), f'<actuator><{_shortcut} joint="ja"/></actuator>'
        )
