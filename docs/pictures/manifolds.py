"""Draws docs/pictures/manifolds.svg: shapes resting on a box, seen from above, with the contact points that carom finds.

usage: .venv/bin/python docs/pictures/manifolds.py
"""

import math
import pathlib

import carom
import numpy as np

OUT = pathlib.Path(__file__).with_suffix(".svg")
CELL, SCALE = 190, 110  # [px], [px/m]


def turned(z: float, axis: tuple[float, float, float], angle: float, x: float = 0.0) -> tuple[float, ...]:
    s = math.sin(angle / 2)
    return (x, 0, z, axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2))


def octagon() -> "carom.Mesh":
    corners = [(0.5 * math.cos(k * math.pi / 4), 0.5 * math.sin(k * math.pi / 4), z) for z in (-0.3, 0.3) for k in range(8)]
    return carom.Mesh(np.array(corners), np.zeros(0, int))


Z, Y = (0, 0, 1), (0, 1, 0)
CASES = {
    "box": (turned(0.3, Z, 0.0), lambda b, body: b.add_shape_box(body, hx=0.5, hy=0.35, hz=0.3)),
    "box, turned 0.4": (turned(0.6, Z, 0.4), lambda b, body: b.add_shape_box(body, hx=0.6, hy=0.6, hz=0.6)),
    "box over the edge": (turned(0.3, Z, 0.3, 0.55), lambda b, body: b.add_shape_box(body, hx=0.4, hy=0.3, hz=0.3)),
    "cylinder": (turned(0.3, Z, 0.0), lambda b, body: b.add_shape_cylinder(body, radius=0.45, half_height=0.3)),
    "cylinder, lying": (turned(0.3, Y, math.pi / 2), lambda b, body: b.add_shape_cylinder(body, radius=0.3, half_height=0.5)),
    "cone": (turned(0.4, Z, 0.0), lambda b, body: b.add_shape_cone(body, radius=0.45, half_height=0.4)),
    "capsule, lying": (turned(0.25, Y, math.pi / 2), lambda b, body: b.add_shape_capsule(body, radius=0.25, half_height=0.4)),
    "hull": (turned(0.3, Z, 0.2), lambda b, body: b.add_shape_convex_hull(body, mesh=octagon())),
    "mesh": (turned(0.3, Z, 0.0), lambda b, body: b.add_shape_mesh(body, mesh=carom.make_box_mesh(0.5, 0.35, 0.3))),
    "ellipsoid": (turned(0.3, Z, 0.0), lambda b, body: b.add_shape_ellipsoid(body, rx=0.5, ry=0.4, rz=0.3)),
}


def contacts_of(xform, add) -> tuple[np.ndarray, int]:
    builder = carom.ModelBuilder()
    builder.default_shape_cfg = carom.ShapeConfig(thickness=0)
    ground = builder.add_link()
    builder.add_articulation([builder.add_joint_fixed(-1, ground)])
    builder.add_shape_box(ground, hx=0.6, hy=0.6, hz=0.5, xform=(0, 0, -0.5, 0, 0, 0, 1))
    add(builder, builder.add_body(xform=xform))
    model = builder.finalize()
    contacts = model.collide(model.state())
    return contacts.rigid_contact_point.numpy(), int(contacts.rigid_contact_count[0])


def cell(name: str, column: int, row: int, points: np.ndarray, count: int) -> str:
    cx, cy = (column + 0.5) * CELL, (row + 0.5) * CELL
    parts = [f'<rect x="{cx - 0.6 * SCALE}" y="{cy - 0.6 * SCALE}" width="{1.2 * SCALE}" height="{1.2 * SCALE}" '
             'fill="#eef2f7" stroke="#9aa7b5"/>']
    if count > 2:
        centre = points.mean(axis=0)
        order = np.argsort(np.arctan2(points[:, 1] - centre[1], points[:, 0] - centre[0]))
        outline = " ".join(f"{cx + SCALE * x:.1f},{cy - SCALE * y:.1f}" for x, y, _ in points[order])
        parts.append(f'<polygon points="{outline}" fill="#ffd9a8" stroke="#d9822b"/>')
    parts += [f'<circle cx="{cx + SCALE * x:.1f}" cy="{cy - SCALE * y:.1f}" r="4" fill="#c23030"/>' for x, y, _ in points]
    parts.append(f'<text x="{cx}" y="{cy + 0.5 * CELL - 8}" text-anchor="middle">{name}: {count}</text>')
    return "\n".join(parts)


def main():
    columns = 5
    cells = [cell(name, i % columns, i // columns, *contacts_of(*case)) for i, (name, case) in enumerate(CASES.items())]
    rows = -(-len(cells) // columns)
    OUT.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * CELL}" height="{rows * CELL}" '
                   f'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n'
                   + "\n".join(cells) + "\n</svg>\n")
    print(f"written: {OUT.name}")


if __name__ == "__main__":
    main()
