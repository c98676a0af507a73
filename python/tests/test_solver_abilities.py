"""What solvers declare that they can do; and that what one cannot do it refuses by the name of what asks for it, with
the solvers that can."""

import re

import numpy as np
import pytest

CLASSES = {"mujoco": "SolverMuJoCo", "semi_implicit": "SolverSemiImplicit", "featherstone": "SolverFeatherstone",
           "xpbd": "SolverXPBD"}  # fmt: skip
HERE = (0, 0, 0, 0, 0, 0, 1)
BODY = {"mass": 1, "inertia": np.eye(3)}


def base(carom):
    """A builder with an arm on a hinge."""
    builder = carom.ModelBuilder()
    arm = builder.add_link(com=(1, 0, 0), key="arm", **BODY)
    builder.add_articulation([builder.add_joint_revolute(-1, arm, key="hinge")])
    return builder


def joint(kind, **numbers):
    """Another body with this joint."""

    def add(builder):
        body = builder.add_link(xform=(0.3, 0, 0, 0, 0, 0, 1), **BODY)
        ends = {"child": body} if kind == "free" else {"parent": -1, "child": body}
        added = getattr(builder, f"add_joint_{kind}")(**ends, key="limb", **numbers)
        builder.add_articulation([added])
        return added

    return add


def edited(kind, column, rows):
    """... whose numbers are changed later, in these of its degrees of freedom."""

    def add(builder):
        joint(kind)(builder)

        def edit(model):
            start = int(model.joint_qd_start.numpy()[model.find_joint("limb")])
            with model.edit():
                getattr(model, column).numpy()[[start + row for row in rows]] = 0.5

        return edit

    return add


def shape(**cfg):
    def add(builder):
        builder.add_shape_sphere(0, radius=0.1, key="pad", cfg=builder.ShapeConfig(**cfg))

    return add


def contact_pair(builder):
    pad = builder.add_shape_sphere(0, radius=0.1)
    wall = builder.add_shape_box(-1, hx=1, hy=1, hz=1, xform=(3, 0, 0, 0, 0, 0, 1))
    builder.add_contact_pair(pad, wall, key="both")


def option(**numbers):
    def add(builder):
        for name, value in numbers.items():
            setattr(builder.options, name, value)

    return add


def tendon(builder):
    return builder.add_tendon_fixed([(0, 1.0)], key="string")


def ball_actuator(builder):
    builder.add_actuator(joint("ball")(builder), wrench=(0, 0, 0, 0, 0, 1), key="motor")


def body_of_its_own(builder):
    """Beside the arm, which is of no world then."""
    builder.begin_world()
    builder.add_body(**BODY)
    builder.end_world()


# How it is called, what asks for it, and what does so in a builder.
CASES = {
    "damped string": ("damping, friction and armature of distance joints", "joint 'limb'",
                      edited("distance", "joint_damping", range(6))),
    "spring of a free body": ("springs of free and distance joints", "joint 'limb'", joint("free", stiffness=3)),
    "drive of a free body": ("drives of free and distance joints (use body_f, add_actuator())", "joint 'limb'",
                             joint("free", target_ke=5)),
    "drive by speed": ("drives of free and distance joints (use body_f, add_actuator())", "joint 'limb'",
                       joint("free", target_kd=5)),
    "bounds of a free body": ("limits of free joints", "joint 'limb'", joint("free", limit_lower=-1)),
    "upper bounds": ("limits of free joints", "joint 'limb'", joint("free", limit_upper=1)),
    "least angle of a ball": ("lower limits of ball joints", "joint 'limb'",
                              joint("ball", limit_lower=0.2, limit_upper=1)),
    "effort of a ball": ("effort limits of free, distance and ball joints", "joint 'limb'",
                         joint("ball", effort_upper=5)),
    "uneven ball": ("springs, damping and armature that differ between the axes of a free or ball joint",
                    "joint 'limb'", edited("ball", "joint_damping", [1])),
    "yielding": ("springs that yield", "joint 'limb'", joint("revolute", stiffness=9, spring_yield=0.1)),
    "hardening": ("springs and dampers that are not linear", "joint 'limb'",
                  joint("prismatic", stiffness=9, stiffness_poly=(1, 0))),
    "drag": ("springs and dampers that are not linear", "joint 'limb'", joint("revolute", damping_poly=(0, 2))),
    "speed": ("velocity limits", "joint 'limb'", joint("revolute", velocity_limit=2)),
    "disabled": ("disabled joints", "joint 'limb'", joint("revolute", enabled=False)),
    "motor of a ball": ("actuators of ball and free joints, tendons, sites and bodies", "actuator 'motor'",
                        ball_actuator),
    "motor of a tendon": ("actuators of ball and free joints, tendons, sites and bodies", "actuator 'motor'",
                          lambda builder: builder.add_actuator_tendon(tendon(builder), key="motor")),
    "thruster": ("actuators of ball and free joints, tendons, sites and bodies", "actuator 'motor'",
                 lambda builder: builder.add_actuator_site((0, HERE), (0, 0, 1, 0, 0, 0), key="motor")),
    "sucker": ("actuators of ball and free joints, tendons, sites and bodies", "actuator 'motor'",
               lambda builder: builder.add_actuator_body(0, key="motor")),
    "filter": ("actuators with activation dynamics, gain slopes or laws of their own", "actuator 'motor'",
               lambda builder: builder.add_actuator(0, dynamics="filter", key="motor")),
    "slope": ("actuators with activation dynamics, gain slopes or laws of their own", "actuator 'motor'",
              lambda builder: builder.add_actuator(0, gain_slope=(1, 0), key="motor")),
    "delay": ("delays of actuators", "actuator 'motor'",
              lambda builder: builder.add_actuator(0, delay=0.02, delay_samples=12, key="motor")),
    "string": ("tendons", "tendon 'string'", tendon),
    "weightless": ("gravcomp of bodies", "body 'balloon'", lambda builder: builder.add_articulation(
        [builder.add_joint_revolute(-1, builder.add_link(gravcomp=0.5, key="balloon", **BODY))])),
    "air": ("fluids", "options.density, viscosity", option(density=1.2)),
    "honey": ("fluids", "options.density, viscosity", option(viscosity=3)),
    "sleep": ("sleep", "options.sleep", option(sleep=True)),
    "pair": ("contact pairs with numbers of their own", "contact_pair 'both'", contact_pair),
    "sticky": ("adhesion of shapes as a force (ka of a material is another one)", "shape 'pad'", shape(adhesion=1)),
    "belt": ("surface velocities of shapes, as of belts", "shape 'pad'", shape(surface_velocity=(1, 0, 0, 0, 0, 0))),
    "dust": ("particles, cloth and soft bodies", "2 particles",
             lambda builder: [builder.add_particle((x, 0, 1), (0, 0, 0), 0.1) for x in (0, 1)]),
    "of all worlds": ("global bodies and equality constraints beside worlds", "body 'arm'", body_of_its_own),
}  # fmt: skip
# Refused for the tendons and springs that they need.
UNREACHED = {"springs of free joints that yield", "equality constraints of tendons"}
BY_ALL = {
    "distance joints": joint("distance"),
    "equality constraints: connect, weld, joint":
        lambda builder: builder.add_equality_constraint_joint(0, joint("revolute")(builder)),
    "actuators of joint axes, affine in ctrl, position and velocity":
        lambda builder: builder.add_actuator(0, gain=2, bias=(0, -2, -1)),
}  # fmt: skip


def built(carom, add):
    builder = base(carom)
    edit = add(builder)
    model = builder.finalize()
    if callable(edit):
        edit(model)
    return model


def test_what_is_declared(carom):
    names = carom.solver_names()
    assert set(names) == set(CLASSES)
    features = None
    for name in names:
        abilities = carom.solver_abilities(name)
        assert abilities.coordinates and abilities.contacts
        assert all(type(supported) is bool for supported in abilities.features.values())
        features = features or list(abilities.features)
        assert list(abilities.features) == features  # in one order
        assert all(abilities.features[feature] for feature in BY_ALL)
        with pytest.raises(AttributeError):
            abilities.coordinates = "others"
    with pytest.raises(carom.Error, match="'bullet' is unknown; there is \"mujoco\""):
        carom.solver_abilities("bullet")
    with pytest.raises(TypeError):
        carom.solver_abilities(3)


def test_every_feature_that_is_refused_is_tried(carom):
    abilities = [carom.solver_abilities(name).features for name in CLASSES]
    refused = {feature for feature in abilities[0] if not all(one[feature] for one in abilities)}
    assert refused == {feature for feature, _, _ in CASES.values()} | UNREACHED


@pytest.mark.parametrize("feature", BY_ALL)
def test_what_all_support(carom, feature):
    model = built(carom, BY_ALL[feature])
    for name in CLASSES:
        assert not carom.Simulation(model, name, dt=0.001).step(5).numpy().any()


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("case", CASES)
def test_refusals_name_solver_and_thing(carom, case, name):
    """A solver takes what it declares, and refuses the rest: the class of the solver, the feature, who has it, and who
    supports it."""
    feature, who, add = CASES[case]
    model = built(carom, add)
    able = [other for other in CLASSES if carom.solver_abilities(other).features[feature]]
    if name in able:
        carom.Simulation(model, name, dt=0.001)
        return
    with pytest.raises(carom.Error) as error:
        carom.Simulation(model, name, dt=0.001)
    said = str(error.value)
    begin = f"{CLASSES[name]} does not support {feature} ({who})"
    assert begin in said
    assert re.findall(r'"(\w+)"', said[said.index(begin) + len(begin):]) == able


@pytest.mark.parametrize("name", [name for name in CLASSES if name != "mujoco"])
def test_edits_cannot_smuggle_it_in(carom, name):
    """A step after an edit that asks for more is refused in the same words."""
    builder = base(carom)
    model = builder.finalize()
    sim = carom.Simulation(model, name, dt=0.001)
    sim.step()
    with model.edit():
        model.joint_velocity_limit[0] = 1
    with pytest.raises(carom.Error, match=f"{CLASSES[name]} does not support velocity limits \\(joint 'hinge'\\)"):
        sim.step()
    with model.edit():
        model.joint_velocity_limit[0] = 1e6
    assert not sim.step(3).numpy().any()


# A word of the refusal, and what asks for it in a file.
FILES = {
    "tendons (tendon 'string')": '<tendon><fixed name="string"><joint joint="hinge" coef="1"/></fixed></tendon>',
    "tendons (tendon 'rope')": '<tendon><spatial name="rope"><site site="near"/><site site="far"/></spatial></tendon>',
    "actuators of ball and free joints, tendons, sites and bodies (actuator 'cup')":
        '<actuator><adhesion name="cup" body="arm" ctrlrange="0 1"/></actuator>',
    "actuators of ball and free joints, tendons, sites and bodies (actuator 'jet')":
        '<actuator><motor name="jet" site="far" gear="0 0 1 0 0 0"/></actuator>',
    "actuators with activation dynamics, gain slopes or laws of their own (actuator 'm')":
        '<actuator><muscle name="m" joint="hinge" lengthrange=".1 1"/></actuator>',
    "actuators with activation dynamics, gain slopes or laws of their own (actuator 'speed')":
        '<actuator><intvelocity name="speed" joint="hinge" kp="5" actrange="-1 1"/></actuator>',
    "contact pairs with numbers of their own (contact_pair 'two')":
        '<contact><pair name="two" geom1="floor" geom2="foot"/></contact>',
    "fluids (options.density, viscosity)": '<option density="1.2"/>',
    "sleep (options.sleep)": '<option><flag sleep="enable"/></option>',
}  # fmt: skip


@pytest.mark.parametrize("refused", FILES)
def test_files(carom, refused):
    """... come to the same, and go on in SolverMuJoCo."""
    model = carom.load_mjcf(f"""<mujoco><worldbody>
      <geom name="floor" type="plane" size="0 0 1" pos="0 0 -2"/><site name="near"/>
      <body name="arm"><joint name="hinge" axis="0 1 0"/><geom name="foot" size=".1" pos=".5 0 0" mass="1"/>
        <site name="far" pos=".5 0 0"/></body></worldbody>{FILES[refused]}</mujoco>""")
    assert not carom.Simulation(model, "mujoco").step().numpy().any()
    for name, solver in CLASSES.items():
        if carom.solver_abilities(name).features[refused.partition(" (")[0]]:
            carom.Simulation(model, name)
            continue
        with pytest.raises(carom.Error, match=re.escape(f"{solver} does not support {refused}; \"mujoco\"")):
            carom.Simulation(model, name)
