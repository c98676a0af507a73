"""EventStepper from Python: a bounce, events of one's own, worlds side by side, bad input."""

import math

import numpy as np
import pytest

import carom
import carom.f64

G = 9.81


def ball(height=1.0, restitution=0.7, key="ball"):
    builder = carom.f64.ModelBuilder(gravity=(0, 0, -G))
    builder.default_shape_cfg.restitution = restitution
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, 0.1 + height, 0, 0, 0, 1))
    builder.add_shape_sphere(body, radius=0.1, key=key)
    return builder


def test_a_ball_bounces_at_the_closed_form():
    model = ball().finalize()
    stepper = carom.f64.EventStepper(model)
    stepper.run(3, sample_interval=0.01)
    first = math.sqrt(2 / G)
    impacts = [event for event in stepper.events if event.kind == "impact"]
    expected = [first + 2 * first * sum(0.7**i for i in range(1, n + 1)) for n in range(len(impacts))]
    np.testing.assert_allclose([event.time for event in impacts], expected, atol=1e-9)
    assert impacts[-1].accumulates_at == pytest.approx(2.558633966, abs=2e-9)
    assert stepper.events[-1].kind == "stick"
    pair = carom.f64.pair_id(0, 1)
    assert list(stepper.contact_dict) == [pair] == list(stepper.last_contact_dict)
    assert stepper.contact_dict[pair].contact and stepper.no_contact_dict == {}
    samples = stepper.samples()
    assert samples.joint_q.numpy().shape == (301, 7) and samples.joint_qd.numpy().shape == (301, 6)
    times = samples.time.numpy()
    flight = times < first
    np.testing.assert_allclose(samples.nearest.numpy()[flight], 1 - G / 2 * times[flight] ** 2, atol=1e-9)
    counts = stepper.counts()
    assert counts.events == len(stepper.events) and counts.evaluations >= 6 * counts.steps


def test_impacts_come_to_an_end_without_a_threshold():
    stepper = carom.f64.EventStepper(ball().finalize(), stick_speed=0)
    stepper.run(3)
    assert stepper.events[-1].kind == "stick" and stepper.time() == 3
    assert stepper.events[-1].time == pytest.approx(2.558633966, abs=1e-6)
    assert 20 < len(stepper.events) < 100


def test_events_of_users():
    model = ball(height=10).finalize()
    stepper = carom.f64.EventStepper(model)
    seen = []

    def throw_up(time, state, control, world):
        seen.append((time, world))
        state.joint_qd.numpy()[2] = 5
        return "restart"

    stepper.add_event("falls_fast", lambda time, state, world: state.body_qd.numpy()[0, 2] + 4, -1, throw_up)
    stepper.add_time_event(0.25, "look")
    stepper.add_time_event(1, "enough", lambda time, state, control, world: "terminate")
    stepper.run(5)
    assert [(e.name, e.restart) for e in stepper.events] == [
        ("look", "none"), ("falls_fast", "restart"), ("enough", "terminate")]
    assert seen == [(pytest.approx(4 / G, abs=1e-12), -1)]
    assert stepper.terminated() and stepper.time() == 1
    t = 1 - 4 / G
    height = 10.1 - G / 2 * (4 / G) ** 2 + 5 * t - G / 2 * t * t
    assert stepper.state.joint_q.numpy()[2] == pytest.approx(height, abs=1e-9)


def test_worlds_go_on_at_their_own_pace():
    """The same events whatever other worlds do beside."""
    scene = carom.f64.ModelBuilder(gravity=(0, 0, -G))
    heights = [1.0, 0.3, 2.0]
    for height in heights:
        scene.add_world(ball(height))
    together = carom.f64.EventStepper(scene.finalize())
    together.run(2)
    for world, height in enumerate(heights):
        alone = carom.f64.EventStepper(ball(height).finalize())
        alone.run(2)
        mine = [event for event in together.events if event.world == world]
        assert [(e.time, e.kind, e.normal_velocity) for e in mine] == [
            (e.time, e.kind, e.normal_velocity) for e in alone.events]
        assert together.time(world) == 2


def test_restart_with_another_model():
    stepper = carom.f64.EventStepper(ball(1).finalize())
    stepper.run(0.5)
    other = ball(5).finalize()
    with pytest.raises(carom.Error, match="state"):  # of the model before: nothing is lost
        stepper.restart_with(other, stepper.state, stepper.time())
    assert [event.kind for event in stepper.events] == ["impact"] and stepper.time() == 0.5
    stepper.restart_with(other, other.state(), stepper.time())
    stepper.step_to(1)
    assert stepper.time() == 1 and [event.kind for event in stepper.events] == ["impact"]
    assert stepper.state.joint_q.numpy()[2] == pytest.approx(5.1 - G / 2 * 0.5**2, abs=1e-9)


def test_a_restart_has_no_past():
    model = ball(1).finalize()
    stepper = carom.f64.EventStepper(model)
    stepper.run(3, sample_interval=0.1)
    first = [(event.time, event.kind) for event in stepper.events]
    stepper.restart(model.state())
    assert stepper.events == [] and stepper.time() == 0 and stepper.counts().steps == 0
    assert stepper.samples().time.numpy().size == 0 and stepper.contact_dict == {}
    assert stepper.state.joint_q.numpy()[2] == 1.1
    stepper.run(3)
    assert [(event.time, event.kind) for event in stepper.events] == first
    with pytest.raises(carom.Error, match="time must be finite"):
        stepper.restart(model.state(), math.nan)
    with pytest.raises(carom.Error, match="direction 2"):
        stepper.add_event("odd", lambda time, state, world: 1.0, 2)


def test_run_to_event():
    stepper = carom.f64.EventStepper(ball(1).finalize())
    assert stepper.run_to_event(3)
    assert stepper.time() == pytest.approx(math.sqrt(2 / G), abs=1e-9)
    assert not stepper.run_to_event(stepper.time() + 0.1)


@pytest.mark.parametrize("arguments, message", [
    ({"tolerance": 0}, "tolerance"),
    ({"tolerance": math.nan}, "tolerance"),
    ({"method": "euler"}, "\"rk45\", \"bdf\", \"adams\""),
    ({"response": "soft"}, "\"impulse\", \"elastic\""),
    ({"hits": "never"}, "\"together\", \"in_turn\""),
    ({"stick_speed": -1}, "stick_speed"),
    ({"max_step": 0}, "max_step"),
    ({"materials": {"ball": "Stel"}}, "'Steel'"),
    ({"nz_max": 0}, "nz_max"),
])
def test_bad_arguments(arguments, message):
    with pytest.raises(carom.Error, match=message):
        carom.f64.EventStepper(ball().finalize(), **arguments)


def test_errors_leave_the_last_good_state():
    """More contacts than nz_max: the pairs are named, and the state is that of the event before."""
    builder = carom.f64.ModelBuilder(gravity=(0, 0, -G))
    builder.add_ground_plane()
    for i, height in enumerate([0.5, 1.0]):
        body = builder.add_body(xform=(i, 0, 0.1 + height, 0, 0, 0, 1))
        builder.add_shape_sphere(body, radius=0.1, key=f"ball_{i}")
    stepper = carom.f64.EventStepper(builder.finalize(), response="elastic", nz_max=1)
    with pytest.raises(carom.Error, match="'ball_0'.*'ball_1'"):
        stepper.run(1)
    assert stepper.time() == pytest.approx(math.sqrt(2 / G), abs=1e-9)
    assert np.isfinite(stepper.state.joint_q.numpy()).all()


def test_what_it_cannot_move_is_refused():
    builder = ball()
    builder.add_particle(pos=(0, 0, 1), vel=(0, 0, 0), mass=1)
    with pytest.raises(carom.Error, match="EventStepper"):
        carom.f64.EventStepper(builder.finalize())


@pytest.mark.parametrize("height, depth", [(-0.05, 0.05), (-0.1, 0.1)])
def test_deep_overlap_is_refused(height, depth):
    with pytest.raises(carom.Error, match=rf"'ball'.*overlap by {depth}.* m"):
        carom.f64.EventStepper(ball(height).finalize())


def test_coinciding_centres_are_refused():
    builder = carom.f64.ModelBuilder()
    for key in ("one", "other"):
        builder.add_shape_sphere(builder.add_body(), radius=0.1, key=key)
    with pytest.raises(carom.Error, match="'one' and 'other' overlap by 0.2 m"):
        carom.f64.EventStepper(builder.finalize())


def test_loops_are_refused_by_name():
    builder = ball(key="ball")
    builder.add_equality_constraint_weld(body1=0, body2=-1, key="tie")
    with pytest.raises(carom.Error, match="tie"):
        carom.f64.EventStepper(builder.finalize())


def test_states_that_are_not_finite_are_refused():
    model = ball().finalize()
    stepper = carom.f64.EventStepper(model)
    state = model.state()
    state.joint_qd.numpy()[2] = math.nan
    with pytest.raises(carom.Error, match=r"joint_qd\[2\] is nan"):
        stepper.restart(state)


def test_other_models_states_are_refused():
    stepper = carom.f64.EventStepper(ball().finalize())
    with pytest.raises(carom.Error, match="state"):
        stepper.restart(ball().finalize().state())


def test_exceptions_of_callbacks_come_through():
    stepper = carom.f64.EventStepper(ball().finalize())

    def broken(time, state, world):
        if time > 0.2:
            raise ValueError("broken")
        return 1.0

    stepper.add_event("broken", broken)
    with pytest.raises(ValueError, match="broken"):
        stepper.run(1)
    assert stepper.time() <= 0.3


def test_an_action_goes_on_with_another_model():
    falling = ball(restitution=0).finalize()
    builder = carom.f64.ModelBuilder(gravity=(0, 0, -G))
    builder.add_ground_plane()
    for x in (0, 1):
        builder.add_shape_sphere(builder.add_body(xform=(x, 0, 5, 0, 0, 0, 1)), radius=0.1)
    two = builder.finalize()
    stepper = carom.f64.EventStepper(falling)

    def add_one(time, state, control, world):
        both = two.state()
        both.joint_q.numpy()[:7] = state.joint_q.numpy()
        both.joint_qd.numpy()[:6] = state.joint_qd.numpy()
        return two, both

    stepper.add_time_event(0.2, "another one", add_one)
    stepper.run(0.3)
    assert [(event.name, event.restart) for event in stepper.events] == [("another one", "full")]
    assert stepper.time() == 0.3
    np.testing.assert_allclose(stepper.state.joint_q.numpy()[[2, 9]], [1.1 - G / 2 * 0.3**2, 5 - G / 2 * 0.1**2],
                               atol=1e-9)

    itself = [stepper]
    stepper.add_time_event(0.4, "runs", lambda time, state, control, world: itself[0].run(1))
    with pytest.raises(carom.Error, match="an action called run"):
        stepper.run(0.5)
    itself.clear()  # no cycle of references stays behind
    other = carom.f64.EventStepper(falling)
    other.add_time_event(0.1, "says three", lambda time, state, control, world: (1, 2, 3))
    with pytest.raises(carom.Error, match="not a model and a state"):
        other.run(0.2)
