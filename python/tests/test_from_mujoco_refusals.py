"""from_mujoco: what carom cannot express is refused in words, all of it at once; what does not matter is accepted."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from mujoco_states import GEOM, GYMNASIUM, compile_xml, load_model, mujoco

@pytest.mark.parametrize("name", GYMNASIUM)
def test_gymnasium_models_are_covered_or_refused_in_words(carom, name):
    """The error has one line for each problem of a model, and one that says what can be left out."""
    model, problems = load_model(name), GYMNASIUM[name]
    if not problems:
        assert carom.from_mujoco(model).shape_count == model.ngeom
        return
    with pytest.raises(carom.Error) as caught:
        carom.from_mujoco(model)
    *lines, left_out = str(caught.value).splitlines()[1:]
    assert len(lines) == len(problems) and left_out.startswith("what can be left out: ignore=[")
    for problem, line in zip(problems, lines):
        assert problem in line


HINGE = f'<body name="b"><joint name="j"/>{GEOM}</body>'
TWO_GEOMS = '<geom name="f" size="1"/>' + HINGE.replace("<geom", '<geom name="g"')
FLEX = '<flexcomp name="f" type="grid" count="2 2 1" spacing=".1 .1 .1" dim="2" mass="1" radius=".01"/>'


def with_attribute(body, text):
    return body.replace('name="j"', f'name="j" {text}')


def on_joint(attributes, kind="general"):
    return {"actuator": f'<{kind} name="u" joint="j" {attributes}/>'}


def fixed_tendon(attributes):
    return {"tendon": f'<fixed name="t" {attributes}><joint joint="j" coef="1"/></fixed>'}


# words of the error: (bodies, other sections)
REFUSED = {
    "enabled flag sleep without islands": (HINGE, {"flags": 'sleep="enable" island="disable"'}),
    "o_friction that differs between the two tangents": (
        HINGE,
        {"option": 'o_friction="1 .5"', "flags": 'override="enable"'},
    ),
    "flex: flex 'f'": (HINGE + FLEX, {}),
    "gain and bias that are not of one muscle: actuator 'u'": (
        HINGE,
        on_joint('gaintype="muscle" gainprm=".7 1 -1 200 .5 1.6 1.5 1.3 1.2" lengthrange="0 1"'),
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_expressed_is_named(carom, words):
    """One feature, one Error that names it and the thing that has it."""
    body, sections = REFUSED[words]
    with pytest.raises(carom.Error) as caught:
        carom.from_mujoco(compile_xml(body, **sections))
    assert words in str(caught.value)


def test_everything_that_cannot_be_expressed_is_listed_at_once(carom):
    """A line for each feature; the names of many things of one kind are cut short."""
    joints = "".join(f'<body><joint name="j{i}" type="ball"/>{GEOM}</body>' for i in range(9))
    model = compile_xml(joints, flags='sleep="enable" island="disable"')
    model.dof_damping[:] = range(model.nv)
    with pytest.raises(carom.Error) as caught:
        carom.from_mujoco(model)
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    uneven = "damping that differs between the axes of a joint"
    assert lines[-2].strip() == f"{uneven}: joint 'j0', 'j1', 'j2', 'j3', 'j4', 'j5' and 3 more"


HARMLESS = ['solver="PGS"', 'solver="CG"', 'jacobian="sparse"', 'tolerance="0"', 'magnetic="9 9 9"', 'wind="1 0 0"']


@pytest.mark.parametrize("option", HARMLESS)
def test_what_leads_to_the_same_motion_is_accepted(carom, option):
    """Other solvers reach the same optimum; sensors do not act."""
    assert carom.from_mujoco(compile_xml(HINGE, option=option)).body_count == 1


def test_a_model_of_nothing_but_mass_is_accepted(carom):
    """No geom, tendon, actuator or pair to look at."""
    body = '<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint/></body>'
    assert carom.from_mujoco(compile_xml(body)).shape_count == 0


def test_harmless_flags_are_accepted(carom):
    """Flags that leave the motion alone."""
    flags = 'warmstart="disable" sensor="disable" midphase="disable" multiccd="disable" energy="enable"'
    assert carom.from_mujoco(compile_xml(HINGE, flags=flags)).body_count == 1


def test_gravity_can_be_disabled(carom):
    """The flag gravity is expressed by the number."""
    model = compile_xml(HINGE, option='gravity="1 2 3"')
    assert carom.from_mujoco(model).gravity == (1, 2, 3)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    assert carom.from_mujoco(model).gravity == (0, 0, 0)


def test_other_things_than_models_are_refused(carom):
    """A path or a specification is no compiled model."""
    for other in ("ant.xml", mujoco.MjSpec(), None):
        with pytest.raises(carom.Error, match="MjModel"):
            carom.from_mujoco(other)


def test_an_old_mujoco_is_refused(carom, monkeypatch):
    """The error says which version is there and how to get another."""
    monkeypatch.setattr(mujoco, "__version__", "3.17.0")
    with pytest.raises(carom.Error, match=r"4\.0 or newer, found 3\.17\.0; .*carom\[mujoco\]"):
        carom.from_mujoco(compile_xml(HINGE))


def test_mujoco_is_not_needed_for_the_rest():
    """carom imports without MuJoCo, and from_mujoco says what is missing."""
    program = """
        import sys
        sys.modules["mujoco"] = None
        import carom
        try:
            carom.from_mujoco(None)
        except carom.Error as error:
            assert "pip install 'carom[mujoco]'" in str(error)
        else:
            raise AssertionError
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def everything():
    """A model with most of what can be left out."""
    hinge = with_attribute(HINGE, 'frictionloss="1" stiffness="1" springyield=".1"')
    body = hinge.replace('"b"', '"b" gravcomp="1"').replace("<geom", '<geom adhesion="1" surfacevel="1 0 0 0 0 0"')
    return compile_xml(
        body + FLEX,
        option='noslip_iterations="3" density="1.2"',
        flags='sleep="enable" island="disable"',
        equality='<joint joint1="j"/>',
    )


def test_what_is_ignored_is_left_out_with_a_warning_that_lists_it(carom):
    model, names = everything(), set(carom.mujoco.IGNORABLE) - {"pair", "plugin", "sensor"}
    with pytest.raises(carom.Error) as caught:
        carom.from_mujoco(model)
    # Unless one wants to leave them out:
    expressed = {"frictionloss", "gravcomp", "equality", "fluid", "pair", "noslip"}
    expressed |= {"adhesion", "surfacevel", "springyield"}
    assert str(caught.value).splitlines()[-1] == f"what can be left out: ignore={sorted(names - expressed)}"
    with pytest.warns(UserWarning, match="left out of model") as caught_warning:
        builder = carom.from_mujoco(model, ignore=names)
    lines = str(caught_warning[0].message).splitlines()
    assert len(lines) == 1 + len(names)
    assert "  frictionloss: joint 'j' (no dry friction)" in lines
    assert "  gravcomp: body 'b' (no compensation)" in lines
    built = builder.finalize()
    assert not carom.Simulation(built).step(10).numpy().any()


def test_what_is_not_ignored_is_still_an_error(carom):
    with pytest.raises(carom.Error) as caught:
        carom.from_mujoco(everything(), ignore=["noslip", "flag"])
    assert "sleep" not in str(caught.value) and "flex: flex 'f'" in str(caught.value)


@pytest.mark.parametrize("ignore", [["noslip", "sensors"], "noslip"])
def test_ignore_takes_names_that_exist(carom, ignore):
    with pytest.raises(carom.Error, match="ignore is a list of names out of: noslip, fluid, .*; unknown: '"):
        carom.from_mujoco(compile_xml(HINGE), ignore=ignore)


def test_nothing_to_leave_out_is_no_warning(carom, recwarn):
    carom.from_mujoco(compile_xml(HINGE), ignore=list(carom.mujoco.IGNORABLE))
    assert not recwarn.list


def test_what_is_not_a_number_is_named(carom):
    """In any array of the model or its options, all of it at once."""
    model = compile_xml(HINGE)
    model.geom_pos[0, 1] = model.jnt_axis[0, 2] = model.body_ipos[1] = np.nan
    model.opt.gravity[2] = model.opt.timestep = np.nan
    model.dof_invweight0[0] = np.nan  # of which the builder takes nothing
    with pytest.raises(carom.Error) as caught:
        carom.from_mujoco(model)
    lines = [line.strip() for line in str(caught.value).splitlines()[1:]]
    assert lines == [
        "not a number: body_ipos, row 1",
        "not a number: dof_invweight0, row 0",
        "not a number: geom_pos, row 0",
        "not a number: jnt_axis, row 0",
        "not a number: opt.gravity, row 2",
        "not a number: opt.timestep",
    ]


@pytest.mark.parametrize("name", ["geom_bodyid", "jnt_qposadr", "jnt_dofadr", "body_parentid", "body_jntadr"])
def test_indices_out_of_range_are_errors(carom, name):
    """A compiled model can be changed, and is then no longer one."""
    model = compile_xml(HINGE)
    getattr(model, name)[-1] = 99
    with pytest.raises(carom.Error):
        carom.from_mujoco(model)
