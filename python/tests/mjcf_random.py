"""Random MJCF models of scaled frames: frames in frames and in bodies, and what refers to what is in them."""

import numpy as np

from mjcf_cases import CORNERS, FACES, mjcf


BEFORE = f'<compiler angle="radian"/><asset><mesh name="m" {CORNERS} {FACES}/></asset>'


class RandomModel:
    """Frames in frames, in bodies, and bodies in them, with names; and what refers to any of those."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.uneven = bool(self.rng.integers(2))
        self.names = {kind: [] for kind in ("body", "slide", "hinge", "ball", "free", "geom", "site", "camera")}
        bodies = "".join(self.body(0) if self.rng.random() < 0.4 else self.frame(0) for _ in range(3))
        self.text = mjcf(bodies, BEFORE, self.references())

    def numbers(self, count, low=0.2, high=2.0):
        return " ".join(f"{number:.3f}" for number in self.rng.uniform(low, high, count))

    def name(self, kind):
        self.names[kind].append(f"{kind}{len(self.names[kind])}")
        return f'name="{self.names[kind][-1]}"'

    def turn(self, free=False):
        """Nearly by quarters where factors differ, so that axes are in line; not quite, so that no two poses are the
        same but for rounding."""
        turn = self.rng.normal(size=4)
        if self.uneven and not free:
            turn = self.rng.permutation([1, 1, 0, 0]) + 1e-4 * turn
        return 'quat="{} {} {} {}"'.format(*turn)

    def frame(self, depth):
        scale = [
            "", f'scale="{self.numbers(1)}"', f'scale="{self.numbers(1)}" massscale="{self.numbers(1)}"',
            f'scale="{self.numbers(1)}" scaling="geometry"', f'massscale="{self.numbers(1)}" scaling="geometry"',
            f'scale="{self.numbers(3 if self.uneven else 1)}" scaling="geometry"',
        ][self.rng.integers(6)]  # fmt: skip
        inside = "".join(self.element(depth + 1) for _ in range(2))
        return f'<frame pos="{self.numbers(3)}" {self.turn()} {scale}>{inside}</frame>'

    def element(self, depth):
        kind = self.rng.integers(4) if depth < 4 else 3
        if kind < 2:
            return self.body(depth)
        return self.frame(depth) if kind == 2 else self.shape()

    def shape(self):
        shape = self.rng.choice(['type="box"', 'type="ellipsoid"', 'type="mesh" mesh="m"'])
        turn = self.turn(free="mesh" in shape)
        return (f'<geom {self.name("geom")} {shape} size="{self.numbers(3)}" pos="{self.numbers(3)}" {turn} '
                f'margin="{self.numbers(1)}" friction="{self.numbers(3)}" surfacevel="{self.numbers(6)}"/>'
                f'<site {self.name("site")} pos="{self.numbers(3)}" {self.turn(free=True)} size="{self.numbers(3)}" '
                f'type="{self.rng.choice(["sphere", "capsule", "ellipsoid", "cylinder", "box"])}"/>'
                f'<camera {self.name("camera")} pos="{self.numbers(3)}" {self.turn(free=True)} {self.lens()}/>'
                )  # fmt: skip

    def lens(self):
        return self.rng.choice([
            'fovy="30"', f'sensorsize="{self.numbers(2)}" focal="{self.numbers(2)}" principal="{self.numbers(2)}"',
            f'sensorsize="{self.numbers(2)}" focalpixel="3 4" principalpixel="2 1" resolution="8 9"',
        ])  # fmt: skip

    def joint(self, depth):
        kind = self.rng.choice(["slide", "hinge", "ball", "free"][: 4 if depth == 0 else 3])
        if kind == "free":
            return f'<joint {self.name(kind)} type="free"/>'
        axis = self.rng.choice(["1 0 0", "0 1 0", "0 0 1"]) if self.uneven else self.numbers(3)
        limit = "" if kind == "ball" else f'axis="{axis}" range="-1 {self.numbers(1)}" ref="{self.numbers(1)}"'
        return (f'<joint {self.name(kind)} type="{kind}" pos="{self.numbers(3)}" {limit} damping="{self.numbers(3)}" '
                f'stiffness="{self.numbers(3)}" armature="{self.numbers(1)}" frictionloss="{self.numbers(1)}"/>'
                )  # fmt: skip

    def body(self, depth):
        joint = self.joint(0 if depth == 0 else 1)
        inside = "".join(self.element(depth + 1) for _ in range(2)) if depth < 4 else ""
        inertial = ""
        if self.rng.random() < 0.3:
            mass = f'mass="{self.numbers(1)}" diaginertia="{self.numbers(3, 1, 1.5)}"'
            inertial = f'<inertial pos="{self.numbers(3)}" {mass}/>'
        return (f'<body {self.name("body")} pos="{self.numbers(3)}" {self.turn()}>{inertial}{joint}{self.shape()}'
                f"{inside}</body>")  # fmt: skip

    def any(self, kind):
        return str(self.rng.choice(self.names[kind]))

    def drive(self, target):
        kind = self.rng.choice(["motor", 'position kp="3" kv="2"', 'velocity kv="3"', 'cylinder area="2" bias="1 2 -3"',
                                'intvelocity kp="2" actrange="-1 2"', 'damper kv="2" ctrlrange="0 1"'])  # fmt: skip
        return f'<{kind} gear="{self.numbers(6)}" forcerange="-1 {self.numbers(1)}" {target}/>'

    def references(self):
        axes = [kind for kind in ("slide", "hinge") if self.names[kind]]
        tendons, drives, sensors = [], [], []
        for i in range(4):
            pair = self.rng.choice(self.names["site"], 2, replace=False)
            numbers = f'range="0 {self.numbers(1)}" stiffness="{self.numbers(3)}" damping="{self.numbers(2)}"'
            tendons.append(f'<spatial name="p{i}" {numbers}><site site="{pair[0]}"/><site site="{pair[1]}"/></spatial>')
            targets = [f'site="{self.any("site")}"', f'tendon="p{i}"']
            targets += [f'joint="{self.any(kind)}"' for kind in (*axes, "ball", "free") if self.names[kind]]
            drives += [self.drive(target) for target in targets]
            sensors += [f'<framepos objtype="{kind}" objname="{self.any(kind)}" cutoff="1" noise="2"/>'
                        for kind in ("body", "geom", "site", "camera")]  # fmt: skip
            sensors += [f'<torque site="{self.any("site")}" cutoff="2"/>', f'<tendonvel tendon="p{i}" cutoff="3"/>']
        if len(axes) == 2:
            tendons.append(f'<fixed name="f" range="-1 1" stiffness="2"><joint joint="{self.any("slide")}" coef="2"/>'
                           f'<joint joint="{self.any("hinge")}" coef="3"/></fixed>')  # fmt: skip
            drives.append(self.drive('tendon="f"'))
        bodies = self.rng.permutation(self.names["body"])
        equalities = (f'<connect body1="{bodies[0]}" body2="{bodies[1]}" anchor="1 2 3"/><weld body1="{bodies[1]}" '
                      f'body2="{bodies[0]}" anchor="{self.numbers(3)}" relpose="{self.numbers(7)}"/>')  # fmt: skip
        geoms = self.rng.permutation(self.names["geom"])
        sections = {"equality": equalities, "tendon": "".join(tendons), "actuator": "".join(drives),
                    "sensor": "".join(sensors),
                    "contact": f'<pair geom1="{geoms[0]}" geom2="{geoms[1]}" margin=".1" adhesion="2"/>'}  # fmt: skip
        return "".join(f"<{name}>{inside}</{name}>" for name, inside in sections.items())
