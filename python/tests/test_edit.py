"""Model.edit(): what can be written, what is refused, and that nothing reaches a frozen model."""

import threading

import numpy as np
import pytest


def numbers(model):
    """All arrays of a model that hold numbers."""
    return {n: getattr(model, n).numpy().copy() for n in dir(model) if hasattr(getattr(model, n), "__dlpack__")}


def expect_same(model, before):
    for name, values in numbers(model).items():
        assert np.array_equal(values, before[name], equal_nan=True), name


def test_structure_cannot_be_written(carom, model):
    """A write to structure is an error that names the column, also inside of an edit; the process goes on."""
    for name in ("joint_child", "joint_parent", "shape_body", "shape_type", "body_world", "joint_dof_dim"):
        with pytest.raises(carom.Error, match=f"{name} is structure.*ModelBuilder"), model.edit():
            getattr(model, name)[0] = 99
        with model.edit():
            assert not getattr(model, name).writeable
            assert not getattr(model, name).numpy().flags.writeable
    model.collide(model.state())


@pytest.mark.parametrize(
    ("name", "row", "value", "says"),
    [
        ("body_mass", 3, -1, "body 3 'arm'.*body_mass.*-1"),
        ("body_mass", 0, np.nan, "body 0 'first'.*body_mass.*finite"),
        ("shape_transform", 3, [0] * 7, "shape 3 .*shape_transform.*quaternion"),
        ("joint_X_p", 3, [0, 0, 0, 0, 0, 0, 9], "joint 3 'elbow'.*joint_X_p.*normalise"),
        ("gravity", 1, [0, 0, np.inf], "world 1 'right'.*gravity"),
        ("shape_condim", 2, 5, "shape 2 .*shape_condim"),
        ("body_q", 3, [1, 0, 0, 0, 0, 0, 1], "body 3 'arm'.*body_q.*joint_q"),
    ],
)
def test_a_wrong_number_takes_the_whole_edit_back(carom, model, name, row, value, says):
    """The error names column, row and key, and the model has its old numbers."""
    before = numbers(model)
    with pytest.raises(carom.Error, match=says), model.edit():
        model.body_mass[1] = 50
        model.gravity[0] = 1
        getattr(model, name)[row] = value
    expect_same(model, before)


def test_an_exception_takes_the_edit_back(model):
    """An edit that is left by an exception changes nothing."""
    before = numbers(model)
    with pytest.raises(ZeroDivisionError), model.edit():
        model.body_mass[1] = 50
        raise ZeroDivisionError
    expect_same(model, before)


def test_what_is_kept_of_an_edit_reaches_nothing(carom, model):
    """Arrays, numpy views and DLPack imports from an edit, and from before it, cannot write into the frozen model."""
    early = model.body_mass
    with model.edit():
        array, view, imported = model.body_mass, model.body_mass.numpy(), np.from_dlpack(model.body_mass)
        with pytest.raises(carom.Error, match="model.body_mass"):
            early[0] = 7
        view[0] = 4
        assert array[0] == 4
    assert model.body_mass[0] == 4
    view[0] = imported[0] = 1000
    with pytest.raises(carom.Error, match="ended"):
        array[0] = 1000
    assert model.body_mass[0] == 4
    assert model.body_inv_mass[0] == 0.25


def test_dlpack_of_a_frozen_model_is_a_copy(model):
    """Some consumers write whatever the flags say: they get memory of their own, or are told that it is read-only."""
    own = model.body_mass.numpy()
    imported = np.from_dlpack(model.body_mass)
    assert not np.shares_memory(own, imported)

    class Old:  # a consumer before DLPack 1
        def __init__(self, **wish):
            self.wish = wish

        def __dlpack__(self, **kwargs):
            return model.body_mass.__dlpack__(**self.wish)

        def __dlpack_device__(self):
            return (1, 0)

    assert not np.shares_memory(own, np.from_dlpack(Old()))
    with pytest.raises(BufferError, match="read-only"):
        np.from_dlpack(Old(copy=False))
    shown = np.from_dlpack(Old(copy=False, max_version=(1, 0)))
    assert np.shares_memory(own, shown)
    assert not shown.flags.writeable


def test_gravity_can_be_edited(carom):
    """gravity is written like a column, and the next step falls by it."""
    builder = carom.ModelBuilder()
    one = carom.ModelBuilder()
    one.add_body(mass=1, inertia=np.eye(3))
    builder.replicate(one, 2)
    model = builder.finalize()
    simulation = carom.Simulation(model, dt=0.5)
    simulation.step()
    with model.edit():
        model.gravity[1] = [0, 0, 4]
    simulation.reset()
    simulation.step()
    assert simulation.state.joint_qd[8] == 2
    assert simulation.state.joint_qd[2] == pytest.approx(-4.905)
    model.set_gravity((0, 0, -2), world=0)
    simulation.reset()
    simulation.step()
    assert simulation.state.joint_qd[2] == -1


def test_collide_notices_edits(carom, model):
    """Flags of one world count from the next call on, with the model's own pipeline and with others."""
    pipeline = carom.CollisionPipeline(model)
    state = model.state()
    starts = model.shape_world_start.numpy()

    def worlds(contacts):
        start = contacts.rigid_contact_world_start.numpy()
        return np.diff(start)[:2].tolist()

    before = worlds(model.collide(state))
    assert min(before) > 0
    with model.edit():
        model.shape_flags[starts[1] : starts[2]] = 0
    assert worlds(model.collide(state)) == [before[0], 0]
    assert worlds(pipeline.collide(state)) == [before[0], 0]


def test_threads_share_the_pipeline_of_a_model(carom, builder):
    """collide() from several threads at once makes one pipeline and finds the same contacts."""
    for _ in range(20):
        model = builder.finalize()
        state = model.state()
        expected = len(carom.CollisionPipeline(model).collide(state).rigid_contact_depth)
        counts, gate = [], threading.Barrier(8)

        def work(model=model, state=state, counts=counts, gate=gate):
            gate.wait()
            for _ in range(5):
                counts.append(len(model.collide(state).rigid_contact_depth))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counts == [expected] * 40


def test_nothing_needs_a_refresh(carom, model):
    """There is no way left to have an edit overlooked."""
    assert not hasattr(model, "refresh")
    assert not hasattr(carom.SolverMuJoCo, "refresh")
