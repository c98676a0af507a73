"""Draws docs/pictures/quadrotor.svg: what accelerometer and gyroscope of a quadrotor feel when it hits a wall and when a
hand hits it.

The engine finds the contacts and their impulses; the flight is integrated here, as in a simulator of one's own.

usage: .venv/bin/python docs/pictures/quadrotor.py [FILE]
"""

import dataclasses
import pathlib
import sys

import carom.f64 as carom
import numpy as np

DT = 0.0005  # [s]
CONTACT_TIME = 0.01  # [s], how long a guard yields
MASS, INERTIA = 0.71, np.array((0.0061, 0.00653, 0.0116))  # [kg], [kg m^2]
GRAVITY = np.array((0, 0, -9.81))
ROTORS = [(x, y, 0) for x in (-0.12, 0.12) for y in (-0.12, 0.12)]  # [m]
HAND_TIME, HAND_VELOCITY = 0.6, np.array((0.3, -2.0, 0.4))  # [s], [m/s]
YAW = 0.3  # so that one rotor meets the wall first [rad]
DAMPING = 0.02  # of the flight controller [N m s/rad]


@dataclasses.dataclass
class Hit:
    what: str
    time: float
    impulse: np.ndarray  # on the quadrotor, body frame [N s]
    moment: np.ndarray  # r x J, body frame [N m s]


@dataclasses.dataclass
class Flight:
    time: list[float]
    accelerometer: list[np.ndarray]  # specific force, body frame [m/s^2]
    gyroscope: list[np.ndarray]  # angular velocity, body frame [rad/s]
    hits: list[Hit]


def make_model() -> carom.Model:
    builder = carom.ModelBuilder()
    guard = carom.ShapeConfig(density=0, restitution=0.5, mu=0.3)
    quadrotor = builder.add_link(mass=MASS, inertia=np.diag(INERTIA), key="quadrotor")
    for x, y, z in ROTORS:
        builder.add_shape_sphere(quadrotor, radius=0.03, xform=(x, y, z, 0, 0, 0, 1), cfg=guard)
    builder.add_shape_box(-1, hx=0.1, hy=2, hz=2, xform=(1, 0, 0, 0, 0, 0, 1), cfg=guard)
    hand = builder.add_link(xform=(0, 5, 0, 0, 0, 0, 1), is_kinematic=True, key="hand")
    builder.add_shape_sphere(hand, radius=0.06, cfg=guard)
    return builder.finalize()


def rotation(q: np.ndarray) -> np.ndarray:
    """R_WB of a quaternion xyzw."""
    v, w = q[:3], q[3]
    cross = np.array(((0, -v[2], v[1]), (v[2], 0, -v[0]), (-v[1], v[0], 0)))
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def turned(q: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """The quaternion after a small turn about a vector in the body frame [rad]."""
    x, y, z = angle / 2
    ax, ay, az, aw = q
    step = np.array((ax + aw * x + ay * z - az * y, ay + aw * y + az * x - ax * z, az + aw * z + ax * y - ay * x,
                     aw - ax * x - ay * y - az * z))
    return step / np.linalg.norm(step)


class Collisions:
    """The engine: poses and velocities in, impulses on the quadrotor out."""

    def __init__(self):
        self.model = make_model()
        self.pipeline = carom.CollisionPipeline(self.model)
        self.resolver = carom.ImpulseResolver(self.model)
        self.state, self.after = self.model.state(), self.model.state()

    def impulses(self, p, q, v, w, hand_p) -> list[tuple[str, np.ndarray, np.ndarray]]:
        """Per contact: with what, the impulse and the arm; world frame."""
        self.state.body_q.numpy()[:] = ((*p, *q), (*hand_p, 0, 0, 0, 1))
        self.state.body_qd.numpy()[:] = ((*v, *w), (*HAND_VELOCITY, 0, 0, 0))
        contacts = self.pipeline.collide(self.state)
        on_shape1 = self.resolver.resolve(self.state, self.after, contacts).numpy()
        body = self.model.shape_body.numpy()
        found = []
        for c in range(int(contacts.rigid_contact_count[0])):
            bodies = [int(body[int(shape[c])]) for shape in (contacts.rigid_contact_shape0, contacts.rigid_contact_shape1)]
            impulse = on_shape1[c] if bodies[1] == 0 else -on_shape1[c]
            if np.any(impulse != 0):
                found.append(("the hand" if 1 in bodies else "the wall", impulse, contacts.rigid_contact_point.numpy()[c] - p))
        return found


def fly(duration: float = 0.9) -> Flight:
    engine, flight, forces = Collisions(), Flight([], [], [], []), []
    p, q, v, w = np.zeros(3), np.array((0, 0, np.sin(YAW / 2), np.cos(YAW / 2))), np.array((2.5, 0.4, 0)), np.zeros(3)
    hand_p = np.array((0, 5.0, 0))
    for step in range(round(duration / DT)):
        R = rotation(q)
        if step == round(HAND_TIME / DT):  # beside a rotor, on its way there
            hand_p = p + R @ ROTORS[1] - 0.06 * HAND_VELOCITY - (0, -0.09, 0)
        if not forces:
            for what, J, r in engine.impulses(p, q, v, R @ w, hand_p):
                J, r = R.T @ J, R.T @ r
                forces.append(carom.ImpulseSpread(J, r, CONTACT_TIME, carom.ImpulseProfile.HERTZ))
                flight.hits.append(Hit(what, step * DT, J, np.cross(r, J)))
        force, torque = -MASS * (R.T @ GRAVITY), -DAMPING * w  # thrust and flight controller
        for spread in forces:
            more_force, more_torque = spread.step(DT)
            force, torque = force + more_force, torque + more_torque
        forces = [spread for spread in forces if not spread.finished]

        flight.time.append(step * DT)
        flight.accelerometer.append(force / MASS)
        flight.gyroscope.append(w)
        w = w + DT * carom.angular_acceleration_by_torque(torque, INERTIA, w)
        v = v + DT * (R @ force / MASS + GRAVITY)
        p, q, hand_p = p + DT * v, turned(q, DT * w), hand_p + DT * HAND_VELOCITY
    return flight


# -- The picture: a column per hit, a row per sensor.

WIDTH, HEIGHT, LEFT, TOP, GAP = 400, 170, 60, 52, 44  # [px], of a plot
BEFORE, AFTER = 0.01, 0.05  # [s], about the hit
COLORS = {"x": "#c23030", "y": "#2b8a3e", "z": "#2b5fc2"}


class Plot:
    def __init__(self, left: float, top: float, values: np.ndarray):
        self.left, self.top, self.low, self.high = left, top, values.min(), values.max()

    def x(self, time: float) -> float:  # since the hit [s]
        return self.left + WIDTH * (time + BEFORE) / (BEFORE + AFTER)

    def y(self, value: float) -> float:
        return self.top + HEIGHT * (self.high - value) / (self.high - self.low)

    def grid(self) -> list[str]:
        span = self.high - self.low
        unit = 10 ** np.floor(np.log10(span))
        tick = next(unit * k for k in (0.2, 0.5, 1, 2) if span / (unit * k) < 6)
        lines = []
        for k in range(int(np.ceil(self.low / tick)), int(np.floor(self.high / tick)) + 1):
            y = self.y(k * tick)
            lines.append(f'<line x1="{self.left}" x2="{self.left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dde3ea"/>'
                         f'<text x="{self.left - 8}" y="{y + 4:.1f}" text-anchor="end">{k * tick:g}</text>')
        for t in np.arange(-BEFORE, AFTER + 1e-9, 0.01):
            lines.append(f'<line x1="{self.x(t):.1f}" x2="{self.x(t):.1f}" y1="{self.top}" y2="{self.top + HEIGHT}" '
                         f'stroke="{"#9aa7b5" if abs(t) < 1e-9 else "#eef1f5"}"/>')
        return lines

    def curves(self, time: np.ndarray, values: np.ndarray) -> list[str]:
        return [f'<polyline points="{" ".join(f"{self.x(t):.1f},{self.y(v):.1f}" for t, v in zip(time, column))}" '
                f'fill="none" stroke="{COLORS[name]}" stroke-width="1.5"/>' for name, column in zip("xyz", values.T)]


def draw(flight: Flight, out: pathlib.Path):
    parts, time = [], np.array(flight.time)
    for column, what in enumerate(("the wall", "the hand")):
        start = next(hit.time for hit in flight.hits if hit.what == what)
        shown = (time >= start - BEFORE) & (time <= start + AFTER)
        left = LEFT + column * (WIDTH + LEFT + 20)
        parts.append(f'<text x="{left}" y="24" font-weight="bold" font-size="15">{what}</text>')
        for row, (title, values) in enumerate((("accelerometer [m/s²]", flight.accelerometer),
                                               ("gyroscope [rad/s]", flight.gyroscope))):
            values = np.array(values)[shown]
            plot = Plot(left, TOP + row * (HEIGHT + GAP), values)
            parts += [f'<text x="{left}" y="{plot.top - 8}">{title}</text>', *plot.grid()]
            parts += plot.curves(time[shown] - start, values)
        for t in np.arange(0, AFTER + 1e-9, 0.01):
            parts.append(f'<text x="{plot.x(t):.1f}" y="{plot.top + HEIGHT + 18}" text-anchor="middle">{1000 * t:.0f}</text>')
        parts.append(f'<text x="{left + WIDTH}" y="{plot.top + HEIGHT + 36}" text-anchor="end">since the contact [ms]</text>')
    width = 2 * (LEFT + WIDTH + 20)
    parts += [f'<text x="{width - 90 + 24 * i}" y="24" fill="{COLORS[name]}" font-weight="bold">{name}</text>'
              for i, name in enumerate("xyz")]
    out.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + 2 * HEIGHT + GAP + 46}" '
                   'font-family="sans-serif" font-size="13">\n<rect width="100%" height="100%" fill="white"/>\n'
                   + "\n".join(parts) + "\n</svg>\n")


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).with_suffix(".svg")
    flight = fly()
    for hit in flight.hits:
        print(f"{hit.time:.4f} s, {hit.what}: impulse {np.round(hit.impulse, 4)} N s, moment {np.round(hit.moment, 4)} N m s")
    peak = np.abs(flight.accelerometer).max()
    print(f"largest reading {peak:.0f} m/s^2, {np.abs(flight.gyroscope).max():.1f} rad/s")
    draw(flight, out)
    print(f"written: {out.name}")


if __name__ == "__main__":
    main()
