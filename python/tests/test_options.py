"""model.options: they travel with builders and files, and what does not fit is refused by name."""

import pytest


def robot(carom, **options):
    builder = carom.ModelBuilder()
    builder.add_body(mass=1, inertia=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    builder.options = carom.ModelOptions(**options)
    return builder


def test_defaults(carom):
    options = carom.ModelBuilder().options
    assert (options.integrator, options.euler_damping) == ("euler", True)
    assert (options.cone, options.impratio) == ("pyramidal", 1)
    assert carom.Simulation(carom.ModelBuilder().finalize()).dt == pytest.approx(1 / 240)


@pytest.mark.parametrize("add", ["add_world", "add_builder", "replicate"])
def test_they_travel_with_a_builder(carom, add):
    scene, count = carom.ModelBuilder(), [3] if add == "replicate" else []
    given = robot(carom, timestep=0.002, integrator="implicitfast", cone="elliptic", impratio=5, euler_damping=False)
    getattr(scene, add)(given, *count)
    options = scene.finalize().options
    assert (options.timestep, options.integrator) == (pytest.approx(0.002), "implicitfast")
    assert (options.cone, options.impratio, options.euler_damping) == ("elliptic", 5, False)
    assert carom.Simulation(scene.finalize()).dt == pytest.approx(0.002)
    assert carom.Simulation(scene.finalize(), dt=0.01).dt == pytest.approx(0.01)


def test_builders_without_options_take_those_of_the_others(carom):
    scene = carom.ModelBuilder()
    scene.add_world(robot(carom, timestep=0.002))
    scene.add_world(robot(carom))
    assert scene.options.timestep == pytest.approx(0.002)


def test_two_that_differ_cannot_be_put_together(carom):
    scene = carom.ModelBuilder()
    scene.add_world(robot(carom, timestep=0.002))
    words = "add_world: the options .*timestep 0.004, implicitfast, elliptic cone.*0.002, euler, pyramidal cone"
    with pytest.raises(carom.Error, match=words):
        scene.add_world(robot(carom, timestep=0.004, integrator="implicitfast", cone="elliptic"))
    assert scene.world_count == 1


def test_they_are_part_of_a_file(carom, tmp_path):
    path = str(tmp_path / "robot.carom")
    given = {"integrator": "rk4", "cone": "elliptic", "impratio": 2, "euler_damping": False, "combine": "geometric",
             "soft_contact_ke": 200, "soft_contact_restitution": 0.5, "particle_cohesion": 0.25}  # fmt: skip
    robot(carom, timestep=0.003, **given).finalize().save(path)
    options = carom.load(path).options
    assert options.timestep == pytest.approx(0.003)
    assert {name: getattr(options, name) for name in given} == given


@pytest.mark.parametrize(
    "words, options",
    [
        ("timestep must be positive, is 0", {"timestep": 0}),
        ("timestep is nan", {"timestep": float("nan")}),
        ("impratio must be positive, is -1", {"impratio": -1}),
        ("impratio is inf", {"impratio": float("inf")}),
        ("soft_contact_ke must not be negative, is -1", {"soft_contact_ke": -1}),
        ("particle_cohesion is nan", {"particle_cohesion": float("nan")}),
    ],
)
def test_numbers_outside_their_range(carom, words, options):
    with pytest.raises(carom.Error, match=words):
        robot(carom, **options).finalize()


def test_unknown_names(carom):
    words = 'there is no integrator .rk45.; use "euler", "implicitfast", "rk4", "implicit" or "discrete"'
    with pytest.raises(carom.Error, match=words):
        carom.ModelOptions(integrator="rk45")
    with pytest.raises(carom.Error, match="there is no cone 'round'; use \"pyramidal\" or \"elliptic\""):
        carom.ModelOptions(cone="round")
    words = "there is no combine rule 'sum'; use \"average\", \"max\", \"min\" or \"geometric\""
    with pytest.raises(carom.Error, match=words):
        carom.ModelOptions(combine="sum")


def test_gravity_travels_where_it_is_not_the_default(carom):
    """Of worlds that are made of the builder; others have that of the scene."""
    moon, scene = robot(carom), carom.ModelBuilder()
    moon.gravity = (0, 0, -1.62)
    scene.gravity = (0, 0, -3.7)
    scene.add_world(moon)
    scene.replicate(moon, 2)
    scene.add_world(robot(carom))
    found = scene.finalize().gravity.numpy()[:, 2]
    assert found == pytest.approx([-1.62, -1.62, -1.62, -3.7, -3.7])
