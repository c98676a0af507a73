"""Model, State and Control: frozen arrays, editing, keys, lookup, worlds, files."""

import numpy as np
import pytest


def test_a_model_is_frozen(carom, model):
    """A model's arrays cannot be written, neither directly nor through numpy."""
    with pytest.raises(carom.Error, match="edit"):
        model.body_mass[0] = 3
    with pytest.raises(ValueError, match="read-only"):
        model.body_mass.numpy()[0] = 3
    assert not model.body_mass.writeable
    with pytest.raises(AttributeError):
        model.body_mass = 3


def test_edit_writes_and_refreshes(model):
    """Inside edit() columns can be written; on leaving, the inverse masses follow and the arrays are frozen again."""
    with model.edit() as edited:
        assert edited is model
        model.body_mass[0] = 4
        model.body_mass.numpy()[1] = 8
    assert model.body_inv_mass[:2].tolist() == [0.25, 0.125]
    assert not model.body_mass.writeable


def test_edit_reaches_the_columns_of_a_world(model):
    """model.world(i) shows the same memory, frozen and writeable together with the model."""
    right = model.world(1)
    assert right.body_mass.shape == (2,)
    assert not right.body_mass.writeable
    with model.edit():
        right.body_mass[0] = 16
    assert model.body_mass[2] == 16
    assert model.body_inv_mass[2] == 1 / 16


def test_what_finalize_works_out_stays_frozen(carom, model):
    """Derived arrays cannot be written even inside edit(): its end makes them anew."""
    with pytest.raises(carom.Error, match="body_inv_mass is worked out"), model.edit():
        model.body_inv_mass[0] = 1


def test_edit_cannot_be_nested_and_ends_with_an_error(carom, model):
    """A second edit() is an error; after any error the model is frozen again."""
    with pytest.raises(carom.Error, match="already"), model.edit(), model.edit():
        pass
    assert not model.body_mass.writeable


def test_keys_and_lookup(carom, model):
    """Keys are lists of names; the find methods give rows and refuse what is unknown or ambiguous."""
    assert model.body_key == ["first", "second", "first", "arm"]
    assert model.world_key == ["left", "right"]
    assert len(model.shape_key) == model.shape_count == 6
    assert model.find_body("arm") == 3
    assert model.find_body("first", world=1) == 2
    assert model.find_joint(key="elbow") == 3
    assert model.find_world("right") == 1
    with pytest.raises(carom.Error):
        model.find_body("first")
    with pytest.raises(carom.Error, match="no body has the key 'nobody'; near are "):
        model.find_body("nobody")
    with pytest.raises(carom.Error, match="no joint has the key 'elbo'; near are 'elbow'"):
        model.find_joint("elbo")
    assert not hasattr(model, "body_key_id")


def test_counts(model):
    """Every kind of entity is counted."""
    assert (model.world_count, model.body_count, model.joint_count) == (2, 4, 4)
    assert (model.joint_dof_count, model.joint_coord_count) == (19, 22)
    assert (model.particle_count, model.tri_count, model.equality_constraint_count) == (0, 0, 0)


def test_enums_compare_with_arrays(carom, model):
    """Types are integers in arrays and named in Python."""
    assert (model.joint_type.numpy() == carom.JointType.FREE).sum() == 3
    assert model.joint_type[3] == carom.JointType.REVOLUTE
    assert carom.ShapeType(int(model.shape_type[0])) is carom.ShapeType.PLANE
    assert model.body_flags[0] & carom.BodyFlag.DYNAMIC


def test_states_are_independent(model):
    """Every state() has arrays of its own, with the model's initial values."""
    a, b = model.state(), model.state()
    a.joint_q[:] = 9
    assert (b.joint_q.numpy() == model.joint_q.numpy()).all()
    copy = a.clone()
    copy.joint_q[:] = 1
    assert a.joint_q[0] == 9
    b.assign(a)
    assert b.joint_q[0] == 9


def test_state_of_a_world_is_a_view(model):
    """state.world(i) writes into the state it came from."""
    state = model.state()
    state.world(1).body_qd[:] = 3
    assert state.body_qd[:, 0].tolist() == [0, 0, 3, 3]


def test_copy_worlds_takes_a_mask(carom, model):
    """Only the worlds whose mask is set are copied."""
    source, target = model.state(), model.state()
    source.body_qd[:] = 2
    target.copy_worlds(source, np.array([False, True]))
    assert target.body_qd[:, 0].tolist() == [0, 0, 2, 2]
    target.copy_worlds(other=source, mask=[True, False])
    assert target.body_qd[:, 0].tolist() == [2, 2, 2, 2]
    for bad in ([0, 1], [True], np.zeros((2, 1), bool), [], "left"):
        with pytest.raises(carom.Error):
            target.copy_worlds(source, bad)


def test_repr_shows_the_size(model):
    """A model says what it holds."""
    assert repr(model) == "Model(world_count=2, body_count=4, shape_count=6, joint_count=4, device='cpu')"


def test_read_worlds_takes_a_mask(carom, model):
    """The chosen worlds come back as a state of their own."""
    state = model.state()
    state.body_qd[:] = np.arange(4)[:, None]
    chosen = state.read_worlds(np.array([False, True]))
    assert chosen.body_qd[:, 0].tolist() == [2, 3]
    assert chosen.world(0).body_qd[:, 0].tolist() == [2, 3]
    chosen.body_qd[:] = 9
    assert state.body_qd[:, 0].tolist() == [0, 1, 2, 3]
    with pytest.raises(carom.Error):
        state.read_worlds([True])


def test_reset_takes_a_mask(model):
    """Chosen worlds go back to the initial state."""
    state = model.state()
    state.body_qd[:] = 2
    model.reset(state, mask=[True, False])
    assert state.body_qd[:, 0].tolist() == [0, 0, 2, 2]
    model.reset(state)
    assert not state.body_qd.numpy().any()


def test_clear_forces(model):
    """Forces go to zero."""
    state = model.state()
    state.body_f[:] = 2
    state.clear_forces()
    assert not state.body_f.numpy().any()


def test_control(model):
    """A control has one number per degree of freedom, and worlds like a state."""
    control = model.control()
    assert control.joint_f.shape == (19,)
    control.world(1).joint_f[:] = 1
    assert control.joint_f.numpy().sum() == 7
    other = model.control()
    other.copy_worlds(control, [False, True])
    assert other.joint_f.numpy().sum() == 7


def test_gravity(carom):
    """Gravity is a vector per world, and of the global entities at the end."""
    builder = carom.ModelBuilder()
    assert builder.gravity == (0, 0, -9.81)
    builder.begin_world(gravity=(0, 0, -1.5))
    builder.add_body(mass=1)
    builder.end_world()
    builder.gravity = [0, 0, -2]
    builder.begin_world()
    builder.add_body(mass=1)
    builder.end_world()
    model = builder.finalize()
    assert model.gravity.numpy()[:2].tolist() == [[0, 0, -1.5], [0, 0, -2]]
    model.set_gravity((0, 0, -4), world=0)
    assert model.gravity[0].tolist() == [0, 0, -4]
    model.set_gravity((0, 1, 0))
    assert model.gravity.numpy().tolist() == [[0, 1, 0]] * 3


def test_save_and_load(carom, model, tmp_path):
    """A loaded model has the same arrays and names."""
    path = tmp_path / "two.carom"
    model.save(path)
    loaded = carom.load(str(path))
    assert loaded.body_key == model.body_key
    assert (loaded.body_mass.numpy() == model.body_mass.numpy()).all()
    assert loaded.shape_world_start.numpy().tolist() == [1, 3, 5, 6]
    with pytest.raises(carom.Error):
        carom.load(tmp_path / "nothing.carom")


def test_shape_sources_are_the_objects_that_were_given(carom):
    """Shapes share a mesh, and the model gives it back."""
    mesh = carom.make_box_mesh(1, 1, 1)
    builder = carom.ModelBuilder()
    body = builder.add_body(mass=1)
    builder.add_shape_mesh(body, mesh=mesh)
    builder.add_shape_mesh(body, mesh=mesh)
    model = builder.finalize()
    assert model.shape_source.numpy().tolist() == [0, 0]
    assert model.shape_sources[0] is mesh
