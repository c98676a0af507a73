"""Made scenes of the suite `spine`, once with carom's ModelBuilder and once as MJCF text for MuJoCo.

    chain:N    N capsules in a chain that hangs from a hinge; they touch nothing
    bodies:N   N free bodies that lie and slide on a plane, spheres and capsules in turn

The programs of both sides print mean_speed() after the warm-up, and the suite compares: it must be the same scene.
"""

import numpy as np

DT = 0.002          # [s]
DENSITY = 1000      # [kg/m^3]
LINK, LINK_RADIUS = 0.2, 0.02  # length between joints, radius [m]
DAMPING, ARMATURE = 0.01, 0.001
RADIUS, HALF_HEIGHT = 0.1, 0.2  # of the lying bodies [m]
DEPTH = 0.001       # they lie a little inside the plane: at 0 rounding would decide who touches [m]
SPACING = 1.0       # they never meet [m]
ROOT_HALF = 0.5**0.5


def parse(subject: str) -> tuple[str, int]:
    kind, count = subject.split(":")
    return kind, int(count)


def _axis(link: int) -> tuple[int, int, int]:
    return (0, 1, 0) if link % 2 == 0 else (1, 0, 0)


def _place(body: int) -> tuple[float, float, float]:
    return (SPACING * (body % 8), SPACING * (body // 8), RADIUS - DEPTH)


def start(subject: str, worlds: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Coordinates and velocities of every world, the same numbers for carom and MuJoCo; None where the model's are
    right. A row does not depend on how many there are."""
    kind, count = parse(subject)
    rng = np.random.default_rng(7)
    if kind == "chain":
        return rng.uniform(-0.5, 0.5, (worlds, count)), None
    velocity = np.zeros((worlds, count, 6))
    velocity[:, :, :2] = rng.uniform(-0.2, 0.2, (worlds, count, 2))
    return None, velocity.reshape(worlds, -1)


def mean_speed(subject: str, velocities: np.ndarray) -> float:
    """Of hinges, and of the centres of free bodies: their angular velocities are in other axes on each side."""
    some = velocities[:16]
    if subject.startswith("bodies:"):
        some = some.reshape(len(some), -1, 6)[:, :, :3]
    return float(np.abs(some).mean())


# -- carom

def builder(carom, subject: str):
    kind, count = parse(subject)
    return _chain(carom, count) if kind == "chain" else _bodies(carom, count)


def _chain(carom, count: int):
    result, joints, parent = carom.ModelBuilder(), [], -1
    cfg = carom.ShapeConfig(density=DENSITY, thickness=0, collision_group=0)
    for i in range(count):
        link = result.add_link()
        result.add_shape_capsule(link, radius=LINK_RADIUS, half_height=LINK / 2 - LINK_RADIUS,
                                 xform=(0, 0, -LINK / 2, 0, 0, 0, 1), cfg=cfg)
        frame = (0, 0, -LINK if i else 0, 0, 0, 0, 1)
        joints.append(result.add_joint_revolute(parent, link, axis=_axis(i), parent_xform=frame, damping=DAMPING,
                                                armature=ARMATURE))
        parent = link
    result.add_articulation(joints)
    return result


def _bodies(carom, count: int):
    result = carom.ModelBuilder()
    cfg = carom.ShapeConfig(density=DENSITY, thickness=0, contact_margin=0, gap=0)
    result.add_ground_plane(cfg=cfg)
    for i in range(count):
        body = result.add_body(xform=(*_place(i), 0, 0, 0, 1))
        if i % 2 == 0:
            result.add_shape_sphere(body, radius=RADIUS, cfg=cfg)
        else:
            result.add_shape_capsule(body, radius=RADIUS, half_height=HALF_HEIGHT, cfg=cfg,
                                     xform=(0, 0, 0, 0, ROOT_HALF, 0, ROOT_HALF))
    return result


# -- MuJoCo

def mjcf(subject: str) -> str:
    kind, count = parse(subject)
    content = _chain_mjcf(count) if kind == "chain" else _bodies_mjcf(count)
    return (f'<mujoco><option timestep="{DT}"/><default><geom density="{DENSITY}"/></default>'
            f"<worldbody>{content}</worldbody></mujoco>")


def _text(numbers) -> str:
    return " ".join(map(str, numbers))


def _chain_mjcf(count: int) -> str:
    text = ""
    for i in reversed(range(count)):
        text = (f'<body pos="0 0 {-LINK if i else 0}">'
                f'<joint axis="{_text(_axis(i))}" damping="{DAMPING}" armature="{ARMATURE}"/>'
                f'<geom type="capsule" size="{LINK_RADIUS} {LINK / 2 - LINK_RADIUS}" pos="0 0 {-LINK / 2}" contype="0" '
                f'conaffinity="0"/>{text}</body>')
    return text


def _bodies_mjcf(count: int) -> str:
    text = '<geom type="plane" size="0 0 1"/>'
    for i in range(count):
        shape = f'type="capsule" size="{RADIUS} {HALF_HEIGHT}" quat="{ROOT_HALF} 0 {ROOT_HALF} 0"'
        if i % 2 == 0:
            shape = f'type="sphere" size="{RADIUS}"'
        text += f'<body pos="{_text(_place(i))}"><freejoint/><geom {shape}/></body>'
    return text
