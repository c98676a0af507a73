"""Arrays: the same memory through indexing, numpy and DLPack."""

import gc

import numpy as np
import pytest


def address(array):
    return array.__array_interface__["data"][0]


def test_numbers_have_the_precision_of_the_module(carom, real, model):
    """carom holds float32, carom.f64 holds float64; integers are int32 in both."""
    assert model.body_mass.dtype == real
    assert model.body_mass.numpy().dtype == real
    assert model.body_world.dtype == np.int32
    assert model.body_world.numpy().dtype == np.int32


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("body_mass", (4,)),
        ("body_com", (4, 3)),
        ("body_q", (4, 7)),
        ("body_qd", (4, 6)),
        ("body_inertia", (4, 3, 3)),
        ("joint_dof_dim", (4, 2)),
        ("joint_q", (22,)),
        ("tri_indices", (0, 3)),
        ("tet_poses", (0, 3, 3)),
        ("equality_constraint_polycoef", (0, 5)),
    ],
)
def test_shape_follows_the_element(model, name, shape):
    """An array shows its elements as rows of numbers."""
    array = getattr(model, name)
    assert array.shape == shape
    assert array.numpy().shape == shape
    assert len(array) == shape[0]


def test_numpy_shows_the_same_memory(model):
    """Two views of a state array have one address, and writing through one is seen in the other."""
    state = model.state()
    view, other = state.body_q.numpy(), state.body_q.numpy()
    assert address(view) == address(other)
    view[1, :3] = [1, 2, 3]
    assert state.body_q[1, :3].tolist() == [1, 2, 3]
    assert np.asarray(state.body_q)[1, 0] == 1


def test_a_view_outlives_what_it_came_from(model):
    """The memory lives as long as a view of it."""
    state = model.state()
    view = state.joint_q.numpy()
    view[:] = np.arange(len(view))
    del state
    gc.collect()
    assert view.tolist() == list(range(22))


def test_index_slice_ellipsis_and_mask(model):
    """Indexing works as in numpy, in both directions."""
    state = model.state()
    state.joint_q[:] = np.arange(22)
    assert state.joint_q[3] == 3
    assert state.joint_q[-1] == 21
    assert state.joint_q[2:4].tolist() == [2, 3]
    state.body_q[..., 0] = 5
    assert state.body_q[:, 0].tolist() == [5, 5, 5, 5]
    mask = model.body_world.numpy() == 1
    state.body_qd[mask] = 7
    assert state.body_qd[:, 5].tolist() == [0, 0, 7, 7]
    assert [row[0] for row in state.body_qd] == [0, 0, 7, 7]
    with pytest.raises(IndexError):
        state.joint_q[22]


def test_dlpack_shows_the_same_memory(model):
    """numpy takes a state array through DLPack without a copy and can write to it."""
    state = model.state()
    imported = np.from_dlpack(state.body_f)
    assert address(imported) == address(state.body_f.numpy())
    assert state.body_f.__dlpack_device__() == (1, 0)
    # Before numpy 2.1 an import is marked read-only, whatever the producer says.
    if imported.flags.writeable:
        imported[0, 0] = 4
        assert state.body_f[0, 0] == 4


def test_dlpack_copies_when_asked(model):
    """copy=True gives memory of its own."""
    state = model.state()
    capsule_owner = type("Copy", (), {})()
    capsule_owner.__class__.__dlpack__ = lambda self, **kwargs: state.body_f.__dlpack__(copy=True)
    capsule_owner.__class__.__dlpack_device__ = lambda self: (1, 0)
    assert address(np.from_dlpack(capsule_owner)) != address(state.body_f.numpy())


def test_assign_checks_the_shape(carom, model):
    """assign() takes values of the same shape, from numpy, lists or another Array."""
    state = model.state()
    state.joint_qd.assign(np.ones(19))
    assert state.joint_qd.numpy().sum() == 19
    state.joint_qd.assign(model.joint_qd)
    assert state.joint_qd.numpy().sum() == 0
    with pytest.raises(carom.Error, match="shape"):
        state.joint_qd.assign([1, 2])
    with pytest.raises(carom.Error, match="shape"):
        state.joint_qd.assign(model.body_mass)


def test_assign_converts_numbers(model):
    """Values of another type are converted, those of another Array, too."""
    masses = model.body_mass.clone()
    masses.assign(model.body_world)
    assert (masses.numpy() == model.body_world.numpy()).all()
    masses.assign(np.arange(4, dtype=np.int64))
    assert (masses.numpy() == np.arange(4)).all()


def test_assign_on_cuda(carom):
    """Between arrays of one GPU, to it from numpy and from the CPU, and back."""
    if carom.cuda_device_count() == 0:
        pytest.skip("needs a GPU")
    host = carom.ModelBuilder()
    host.add_body(mass=1)
    source, target = (host.finalize(device="cuda").state().body_qd for _ in range(2))
    values = np.arange(6, dtype=np.float32).reshape(target.shape)
    source.assign(values)
    target.assign(source)
    assert (target.numpy() == values).all()
    cpu = host.finalize().state().body_qd
    cpu.assign(target)
    target.assign(cpu.numpy() + 1)
    assert (target.numpy() == values + 1).all()


def test_clone_is_independent(model):
    """clone() has memory of its own and can be written even when it comes from a model."""
    copy = model.body_mass.clone()
    copy[:] = 0
    assert model.body_mass[0] != 0
    assert copy.device == "cpu"


def test_text(model, real):
    """repr names shape, type and device; str shows the numbers."""
    assert repr(model.body_com) == f"Array(shape=(4, 3), dtype={np.dtype(real).name}, device='cpu')"
    assert str(model.body_world) == "[0 0 1 1]"


def test_array_protocol_converts(model):
    """np.asarray can change the type on the way."""
    assert np.asarray(model.body_world, dtype=np.float64).dtype == np.float64
    assert np.array(model.body_world).flags.owndata


def test_an_unknown_device_is_an_error(carom, model):
    """Device names are checked."""
    with pytest.raises(carom.Error):
        model.body_mass.to("tpu")
