"""Draws docs/pictures/convergence.svg: how far the fourth impact of a pendulum on a wall is from its closed form, over the
tolerance.

usage: .venv/bin/python docs/pictures/convergence.py [FILE]
"""

import math
import pathlib
import sys

import carom.f64

WIDTH, HEIGHT, LEFT, TOP = 460, 300, 70, 40  # [px]
COLORS = {"rk45": "#2b5fc2", "bdf": "#c23030", "adams": "#2b8a3e"}
DECADES = range(-11, -4)  # of the tolerance
LOW, HIGH = -14, -3  # of the error [s]


def pendulum() -> carom.f64.Model:
    builder = carom.f64.ModelBuilder(gravity=(0, 0, -9.81))
    cfg = builder.default_shape_cfg
    cfg.restitution, cfg.mu = 1, 0
    link = builder.add_link(xform=(0, 0, -0.15, 0, 0, 0, 1))
    builder.add_shape_sphere(link, radius=0.01)
    hinge = builder.add_joint_revolute(-1, link, axis=(0, 1, 0), child_xform=(0, 0, 0.15, 0, 0, 0, 1))
    builder.add_articulation([hinge])
    builder.add_shape_box(-1, hx=0.05, hy=0.05, hz=0.05, xform=(0.06, 0, -0.15, 0, 0, 0, 1))
    return builder.finalize()


def quarter_period() -> float:
    """At 60 degrees, by the arithmetic-geometric mean [s]."""
    a, b = 1.0, math.cos(math.pi / 6)
    for _ in range(6):
        a, b = (a + b) / 2, math.sqrt(a * b)
    inertia = 0.15**2 + 0.4 * 0.01**2  # over the mass
    return math.pi / (2 * a) * math.sqrt(inertia / (9.81 * 0.15))


def error_of(model: carom.f64.Model, method: str, tolerance: float) -> float:
    stepper = carom.f64.EventStepper(model, tolerance=tolerance, method=method)
    state = model.state()
    state.joint_q.numpy()[0] = math.pi / 3
    stepper.restart(state)
    stepper.run(1.6)
    return abs(stepper.events[3].time - 7 * quarter_period())


def x(decade: float) -> float:
    return LEFT + WIDTH * (decade - DECADES[0]) / (DECADES[-1] - DECADES[0])


def y(decade: float) -> float:
    return TOP + HEIGHT * (HIGH - decade) / (HIGH - LOW)


def draw(out: pathlib.Path):
    model = pendulum()
    parts = [f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y(d):.1f}" y2="{y(d):.1f}" stroke="#dde3ea"/>'
             f'<text x="{LEFT - 8}" y="{y(d) + 4:.1f}" text-anchor="end">1e{d}</text>' for d in range(LOW, HIGH + 1, 2)]
    parts += [f'<line x1="{x(d):.1f}" x2="{x(d):.1f}" y1="{TOP}" y2="{TOP + HEIGHT}" stroke="#eef1f5"/>'
              f'<text x="{x(d):.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">1e{d}</text>' for d in DECADES]
    for row, (method, color) in enumerate(COLORS.items()):
        points = [(x(d), y(math.log10(max(error_of(model, method, 10.0**d), 10.0**LOW)))) for d in DECADES]
        parts.append(f'<polyline points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in points)}" fill="none" stroke="{color}" '
                     'stroke-width="1.5"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}"/>' for a, b in points]
        parts.append(f'<text x="{LEFT + 16}" y="{TOP + 22 + 18 * row}" fill="{color}" font-weight="bold">{method}</text>')
    parts.append(f'<text x="{LEFT}" y="{TOP - 12}">error of an instant [s] over the tolerance</text>')
    out.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 24}" height="{TOP + HEIGHT + 30}" '
                   'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n'
                   + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    draw(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_suffix(".svg")))
