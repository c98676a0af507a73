"""Both precisions run the same tests: `carom` is the module under test, `real` its number type."""

import importlib

import numpy as np
import pytest


@pytest.fixture(params=["carom", "carom.f64"], ids=["f32", "f64"])
def carom(request):
    return importlib.import_module(request.param)


@pytest.fixture
def real(carom):
    return {"carom": np.float32, "carom.f64": np.float64}[carom.__name__]


def two_worlds(carom):
    """The model of the worlds document: a plane, two worlds of two bodies each, a box at the back."""
    builder = carom.ModelBuilder()
    builder.add_ground_plane()

    builder.begin_world(key="left")
    body00 = builder.add_body(mass=1.1, key="first")
    body01 = builder.add_body(mass=1.2, key="second")
    builder.add_shape_sphere(body=body00)
    builder.add_shape_sphere(body=body01)
    builder.end_world()

    builder.begin_world(key="right")
    body10 = builder.add_body(mass=1.0, key="first")
    body11 = builder.add_link(mass=2.0, key="arm")
    builder.add_joint_revolute(parent=body10, child=body11, key="elbow")
    builder.add_shape_box(body=body10)
    builder.add_shape_box(body=body11)
    builder.end_world()

    builder.add_shape_box()
    return builder


@pytest.fixture
def builder(carom):
    return two_worlds(carom)


@pytest.fixture
def model(builder):
    return builder.finalize()
