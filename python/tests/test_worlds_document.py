"""The code blocks of the worlds document, with carom in the place of newton."""

import re

import numpy as np
import pytest


def printed(capsys):
    """What was printed, with one space between words, and numbers of numpy 2 shown as numbers."""
    text = re.sub(r"np\.int32\((-?\d+)\)", r"\1", capsys.readouterr().out)
    return [" ".join(line.split()) for line in text.splitlines()]


def build(newton):
    builder = newton.ModelBuilder()

    # Global entity at front (world -1)
    ground = builder.add_ground_plane()

    # World 0
    builder.begin_world()
    body00 = builder.add_body(mass=1.1)
    body01 = builder.add_body(mass=1.2)
    shape00 = builder.add_shape_sphere(body=body00)
    shape02 = builder.add_shape_sphere(body=body01)
    builder.end_world()

    # World 1
    builder.begin_world()
    body10 = builder.add_body(mass=1.0)
    body11 = builder.add_link(mass=2.0)
    joint11 = builder.add_joint_revolute(parent=body10, child=body11)
    shape10 = builder.add_shape_box(body=body10)
    shape11 = builder.add_shape_box(body=body11)
    builder.end_world()

    # Global entity at back (world -1)
    static_box = builder.add_shape_box()

    assert [ground, shape00, shape02, shape10, shape11, static_box] == [0, 1, 2, 3, 4, 5]
    assert joint11 == 3
    return builder.finalize()


def test_world_grouping_prints_what_the_document_says(carom, capsys):
    """The arrays x_world name the world of every entity."""
    model = build(carom)
    print("Body worlds:", model.body_world.numpy())
    print("Shape worlds:", model.shape_world.numpy())
    print("Joint worlds:", model.joint_world.numpy())
    assert printed(capsys) == ["Body worlds: [0 0 1 1]", "Shape worlds: [-1 0 0 1 1 -1]", "Joint worlds: [0 0 1 1]"]


def test_world_starts_print_what_the_document_says(carom, capsys):
    """The arrays x_world_start count the entities per world and the global ones."""
    model = build(carom)
    print("model.world_count :", model.world_count)
    shape_start = model.shape_world_start.numpy()
    print("Shape starts: ", shape_start)
    world_shape_counts = [shape_start[i + 1] - shape_start[i] for i in range(model.world_count)]
    global_shape_count = shape_start[-1] - shape_start[-2] + shape_start[0]
    print("Shape counts per world: ", world_shape_counts)
    print("Global shape count: ", global_shape_count)
    assert printed(capsys) == [
        "model.world_count : 2",
        "Shape starts: [1 3 5 6]",
        "Shape counts per world: [2, 2]",
        "Global shape count: 2",
    ]


def test_joint_dimensions_have_starts_of_their_own(carom):
    """Degrees of freedom, coordinates and articulations of two free bodies, and of a free body with a hinge."""
    model = build(carom)
    assert model.joint_dof_world_start.numpy().tolist() == [0, 12, 19, 19]
    assert model.joint_coord_world_start.numpy().tolist() == [0, 14, 22, 22]
    assert model.articulation_world_start.numpy().tolist() == [0, 2, 3, 3]
    assert model.num_bodies == model.body_count == 4


def test_the_documents_kernel_runs_on_carom_arrays(carom, real):
    """A Warp kernel over (world, body) sees carom's arrays through DLPack and writes into the state."""
    wp = pytest.importorskip("warp")
    wp.config.quiet = True
    wp.init()
    twist_type = wp.spatial_vectorf if real == np.float32 else wp.spatial_vectord
    scalar_type = wp.float32 if real == np.float32 else wp.float64

    def world_body_example(
        body_world_start: wp.array(dtype=wp.int32),
        body_world: wp.array(dtype=wp.int32),
        body_twist: wp.array(dtype=twist_type),
    ):
        world_id, body_world_id = wp.tid()
        world_start = body_world_start[world_id]
        num_bodies_in_world = body_world_start[world_id + 1] - world_start
        if body_world_id < num_bodies_in_world:
            global_body_id = world_start + body_world_id
            twist = body_twist[global_body_id]
            body_twist[global_body_id] = twist * scalar_type(body_world[global_body_id] + 2)

    kernel = wp.Kernel(world_body_example, key=f"world_body_example_{np.dtype(real).name}")
    model = build(carom)
    state = model.state()
    state.body_qd.numpy()[:] = 1

    body_world_start = model.body_world_start.numpy()
    num_bodies_per_world = [body_world_start[i + 1] - body_world_start[i] for i in range(model.world_count)]
    wp.launch(
        kernel,
        dim=(model.world_count, int(max(num_bodies_per_world))),
        inputs=[
            wp.from_dlpack(model.body_world_start),
            wp.from_dlpack(model.body_world),
            wp.from_dlpack(state.body_qd, dtype=twist_type),
        ],
        device="cpu",
    )
    assert state.body_qd.numpy()[:, 0].tolist() == [2, 2, 3, 3]
