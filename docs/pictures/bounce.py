"""Draws docs/pictures/bounce.svg: a ball that bounces until it rests, and one contact of the same ball with the elastic law.

usage: .venv/bin/python docs/pictures/bounce.py [FILE]
"""

import pathlib
import sys

import carom.f64
import numpy as np

WIDTH, HEIGHT, LEFT, TOP, GAP = 420, 170, 64, 46, 44  # [px], of a plot
LINE, MARK = "#2b5fc2", "#c23030"


def ball() -> carom.f64.Model:
    builder = carom.f64.ModelBuilder(gravity=(0, 0, -9.81))
    builder.default_shape_cfg.restitution = 0.7
    builder.add_ground_plane()
    body = builder.add_body(xform=(0, 0, 1.1, 0, 0, 0, 1))
    builder.add_shape_sphere(body, radius=0.1, key="ball")
    return builder.finalize()


def bounces():
    stepper = carom.f64.EventStepper(ball())
    stepper.run(3, sample_interval=0.005)
    samples = stepper.samples()
    return samples.time.numpy(), samples.nearest.numpy(), samples.joint_qd.numpy()[:, 2], stepper.events


def one_contact():
    stepper = carom.f64.EventStepper(ball(), response="elastic")
    stepper.run_to_event(1)  # it begins
    begin = stepper.time()
    stepper.run_to_event(1)
    end = stepper.time()
    stepper = carom.f64.EventStepper(ball(), response="elastic")
    margin = 0.15 * (end - begin)
    stepper.run(begin - margin)
    stepper.run(end + margin, sample_interval=(end - begin) / 200)
    samples = stepper.samples()
    return 1e6 * (samples.time.numpy() - begin), 1e6 * samples.nearest.numpy(), samples.joint_qd.numpy()[:, 2], \
        1e6 * (end - begin)


def plot(left: float, top: float, title: str, x: np.ndarray, y: np.ndarray, marks: list[float]) -> list[str]:
    low, high = y.min(), y.max()

    def at_x(value):
        return left + WIDTH * (value - x[0]) / (x[-1] - x[0])

    def at_y(value):
        return top + HEIGHT * (high - value) / (high - low)

    parts = [f'<text x="{left}" y="{top - 8}">{title}</text>']
    for values, place in ((x, at_x), (y, at_y)):
        span = values[-1] - values[0] if values is x else high - low
        unit = 10 ** np.floor(np.log10(span))
        tick = next(unit * k for k in (0.2, 0.5, 1, 2) if span / (unit * k) < 7)
        first = x[0] if values is x else low
        for k in range(int(np.ceil(first / tick)), int(np.floor((first + span) / tick)) + 1):
            p = place(k * tick)
            if values is x:
                parts.append(f'<line x1="{p:.1f}" x2="{p:.1f}" y1="{top}" y2="{top + HEIGHT}" stroke="#eef1f5"/>'
                             f'<text x="{p:.1f}" y="{top + HEIGHT + 17}" text-anchor="middle">{k * tick:g}</text>')
            else:
                parts.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{p:.1f}" y2="{p:.1f}" stroke="#dde3ea"/>'
                             f'<text x="{left - 8}" y="{p + 4:.1f}" text-anchor="end">{k * tick:g}</text>')
    parts += [f'<line x1="{at_x(m):.1f}" x2="{at_x(m):.1f}" y1="{top}" y2="{top + HEIGHT}" stroke="{MARK}" '
              'stroke-dasharray="3 3"/>' for m in marks]
    points = " ".join(f"{at_x(a):.1f},{at_y(b):.1f}" for a, b in zip(x, y))
    return [*parts, f'<polyline points="{points}" fill="none" stroke="{LINE}" stroke-width="1.5"/>']


def draw(out: pathlib.Path):
    time, height, speed, events = bounces()
    since, distance, contact_speed, duration = one_contact()
    marks = [event.time for event in events]
    right = LEFT + WIDTH + LEFT + 20
    low = TOP + HEIGHT + GAP
    parts = plot(LEFT, TOP, "impulse: distance from the ground [m]", time, height, marks)
    parts += plot(LEFT, low, "velocity [m/s], over time [s]", time, speed, marks)
    parts += plot(right, TOP, "elastic, the first contact: distance [µm]", since, distance, [0, duration])
    parts += plot(right, low, "velocity [m/s], since it began [µs]", since, contact_speed, [0, duration])
    out.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{right + WIDTH + 20}" height="{low + HEIGHT + 34}" '
                   'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n'
                   f'<text x="{LEFT}" y="20" font-weight="bold">dashed: events</text>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    draw(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).with_suffix(".svg")))
