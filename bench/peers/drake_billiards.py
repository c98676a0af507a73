"""drake_billiards.py SCHEME ACCURACY SECONDS [SCALE]: the break of sixteen billiard balls of bench/events_f64/worlds.cpp in
Drake, whose continuous plants push by compliant points and are integrated with a variable step. Its points have a linear
stiffness: that which gives the break the same deepest overlap of two balls as Hertz's law, times SCALE."""

import json
import math
import sys
import time

try:
    import pydrake.all as drake
except ImportError:
    print(json.dumps({"missing": "pip install drake"}))
    sys.exit()

RADIUS, LONG, WIDE, GAP = 0.03, 2.24, 1.12, 1e-4  # [m]
MASS = 1768 * 4 / 3 * math.pi * RADIUS**3
SPEED = math.hypot(3, 0.1)  # of the cue ball [m/s]
# Drake combines the friction of shapes, not of pairs: a ball is two spheres, one for the table, one for all else.
FRICTION = {"ball": 0, "foot": 0.8, "table": 0.8, "cushion": 0}


def stiffness() -> float:
    """Of a ball [N/m]: two in a row have half of it."""
    modulus = 5.4e9 / (1 - 0.34**2) / 2
    hertz = 4 / 3 * math.sqrt(RADIUS / 2) * modulus
    deepest = (1.25 * MASS / 2 * SPEED**2 / hertz) ** 0.4
    return 2 * MASS / 2 * SPEED**2 / deepest**2


def properties(kind: str, scale: float) -> drake.ProximityProperties:
    found = drake.ProximityProperties()
    drake.AddContactMaterial(dissipation=1.0 if kind == "table" else 0.0, point_stiffness=scale * stiffness(),
                             friction=drake.CoulombFriction(FRICTION[kind], FRICTION[kind]), properties=found)
    return found


def balls() -> list[tuple[float, float]]:
    pitch = 2 * RADIUS + GAP
    rack = [(LONG / 6 + row * math.sqrt(3) / 2 * pitch, (k - row / 2) * pitch) for row in range(5) for k in range(row + 1)]
    return [(-0.8, -0.1), *rack]


def build(scale: float):
    builder = drake.DiagramBuilder()
    plant, scene = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
    found: dict[str, list] = {kind: [] for kind in FRICTION}

    def shape(body, at, form, name: str, kind: str):
        found[kind].append(plant.RegisterCollisionGeometry(body, at, form, name, properties(kind, scale)))

    def apart(a: list, b: list):
        scene.collision_filter_manager().Apply(drake.CollisionFilterDeclaration().ExcludeBetween(
            drake.GeometrySet(a), drake.GeometrySet(b)))
    plant.set_contact_model(drake.ContactModel.kPoint)
    plant.set_stiction_tolerance(0.01)

    def box(name: str, at: list[float], half: list[float], kind: str):
        shape(plant.world_body(), drake.RigidTransform(at), drake.Box(*(2 * h for h in half)), name, kind)

    box("table", [0, 0, -0.025], [LONG / 2, WIDE / 2, 0.025], "table")
    height, half = 7 * RADIUS / 5, 0.025
    for side in range(4):
        sign, end = (-1 if side % 2 == 0 else 1), side < 2
        at = [sign * (LONG / 2 + half), 0, height] if end else [0, sign * (WIDE / 2 + half), height]
        box(f"cushion_{side}", at, [half if end else LONG / 2 + half, WIDE / 2 if end else half, height / 6], "cushion")
    bodies = []
    for i, _ in enumerate(balls()):
        inertia = drake.SpatialInertia(MASS, [0, 0, 0], drake.UnitInertia.SolidSphere(RADIUS))
        bodies.append(plant.AddRigidBody(f"ball_{i}", inertia))
        for kind in ("ball", "foot"):
            shape(bodies[-1], drake.RigidTransform(), drake.Sphere(RADIUS), f"{kind}_{i}", kind)
    apart(found["ball"], found["table"])
    apart(found["foot"], found["foot"] + found["ball"] + found["cushion"])
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    of_plant = plant.GetMyMutableContextFromRoot(context)
    sink = MASS * 9.81 / (scale * stiffness() / 2)  # as deep as it rests
    for i, (x, y) in enumerate(balls()):
        plant.SetFreeBodyPose(of_plant, bodies[i], drake.RigidTransform([x, y, RADIUS - sink]))
    plant.SetFreeBodySpatialVelocity(bodies[0], drake.SpatialVelocity([0, 0, 0], [3, 0.1, 0]), of_plant)
    return diagram, context, plant, bodies


def main(scheme: str, accuracy: str, seconds: str, scale: str = "1"):
    diagram, context, plant, bodies = build(float(scale))
    simulator = drake.Simulator(diagram, context)
    drake.ResetIntegratorFromFlags(simulator, scheme, 0.1)
    integrator = simulator.get_mutable_integrator()
    integrator.set_fixed_step_mode(False)
    integrator.set_target_accuracy(float(accuracy))
    integrator.set_requested_minimum_step_size(1e-12)
    simulator.Initialize()
    start = time.perf_counter()
    simulator.AdvanceTo(float(seconds))
    took = time.perf_counter() - start
    of_plant = plant.GetMyContextFromRoot(simulator.get_context())
    cue = plant.EvalBodyPoseInWorld(of_plant, bodies[0]).translation()
    print(json.dumps({"seconds": took, "steps": integrator.get_num_steps_taken(),
                      "evaluations": integrator.get_num_derivative_evaluations(), "cue": [float(x) for x in cue]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
