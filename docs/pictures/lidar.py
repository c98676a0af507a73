"""Draws docs/pictures/lidar.svg: a lidar among shapes, seen from above, with what its rays meet and the normals there.

usage: .venv/bin/python docs/pictures/lidar.py
"""

import math
import pathlib

import carom
import numpy as np

OUT = pathlib.Path(__file__).with_suffix(".svg")
WIDTH, HEIGHT, SCALE = 760, 480, 60  # [px], [px], [px/m]
HEIGHT_OF_LIDAR, RANGE = 0.6, 5.5  # [m]
HULL = [(0.9 * math.cos(a), 0.6 * math.sin(a), z) for z in (-1, 1) for a in (0.2, 1.3, 2.6, 3.9, 5.2)]
NORMAL = 0.35  # drawn length [m]


def upright(x: float, y: float, angle: float = 0.0) -> tuple[float, ...]:
    return (x, y, HEIGHT_OF_LIDAR, 0, 0, math.sin(angle / 2), math.cos(angle / 2))


def make_scene() -> tuple[carom.Model, list[str]]:
    """The model, and the outline of each shape."""
    builder, outlines = carom.ModelBuilder(), []

    def add(method, outline, pose, **size):
        getattr(builder, f"add_shape_{method}")(builder.add_body(xform=pose), **size)
        x, y, turn = *to_picture(pose), -math.degrees(2 * math.atan2(pose[5], pose[6]))
        place = f"translate({x:.1f} {y:.1f}) rotate({turn:.1f}) scale({SCALE} -{SCALE})"
        outlines.append(f'<g transform="{place}">{outline}</g>')

    add("box", '<rect x="-.4" y="-1" width=".8" height="2"/>', upright(2.6, 0.6, 0.5), hx=0.4, hy=1, hz=1)
    add("cylinder", '<circle r=".7"/>', upright(-1.5, 2.0), radius=0.7, half_height=1)
    add("ellipsoid", '<ellipse rx="1.1" ry=".5"/>', upright(0.9, -2.3, 0.3), rx=1.1, ry=0.5, rz=0.9)
    add("capsule", '<rect x="-1" y="-.3" width="2" height=".6" rx=".3"/>', lying(-3.6, -0.6), radius=0.3,
        half_height=0.7)
    add("sphere", '<circle r=".5"/>', upright(1.3, 2.6), radius=0.5)
    corners = " ".join(f"{x:.3f},{y:.3f}" for x, y, z in HULL if z > 0)
    add("convex_hull", f'<polygon points="{corners}"/>', upright(-2.3, -2.5, 0.4),
        mesh=carom.Mesh(np.array(HULL), np.zeros(0, int)))
    return builder.finalize(), outlines


def lying(x: float, y: float) -> tuple[float, ...]:
    """Its axis along the world's x."""
    return (x, y, HEIGHT_OF_LIDAR, 0, math.sin(math.pi / 4), 0, math.cos(math.pi / 4))


def to_picture(p) -> tuple[float, float]:
    return WIDTH / 2 + SCALE * p[0], HEIGHT / 2 - SCALE * p[1]


def line(a, b, style: str) -> str:
    (x1, y1), (x2, y2) = to_picture(a), to_picture(b)
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def main():
    model, outlines = make_scene()
    origin = np.array((0, 0, HEIGHT_OF_LIDAR))
    pattern = carom.lidar_pattern(channels=1, horizontal_steps=72, lowest=0, highest=0).numpy()
    hits = carom.cast_rays(model, model.state(), origin, pattern, max_distance=RANGE)
    rays, points = [], []
    for direction, distance, normal in zip(pattern, hits.distance.numpy(), hits.normal.numpy()):
        met = distance >= 0
        end = origin + direction * (distance if met else RANGE)
        rays.append(line(origin, end, f'stroke="{"#d9822b" if met else "#d5dbe3"}" stroke-width=".8"'))
        if met:
            x, y = to_picture(end)
            points.append(line(end, end + NORMAL * normal, 'stroke="#1f6fb4" stroke-width="1.6"'))
            points.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="#c0392b"/>')
    x, y = to_picture(origin)
    body = "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">',
                      f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', *rays,
                      '<g fill="#e6ebf1" stroke="#7f8c9a" stroke-width=".02">', *outlines, "</g>", *points,
                      f'<circle cx="{x}" cy="{y}" r="6" fill="#2c3e50"/>', "</svg>"])
    OUT.write_text(body + "\n")


if __name__ == "__main__":
    main()
