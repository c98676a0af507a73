"""Stages as text, for the tests of add_usd()."""


def usda(text, *, up="Z", meters=1, kilograms=1):
    """A stage with these units."""
    return f"""#usda 1.0
(
    metersPerUnit = {meters}
    kilogramsPerUnit = {kilograms}
    upAxis = "{up}"
)
{text}
"""


def prim(kind, name, apis=(), content="", metadata=""):
    """`def kind "name" (apis) { content }`"""
    schemas = ", ".join(f'"{api}"' for api in apis)
    head = f"prepend apiSchemas = [{schemas}]" if apis else ""
    return f'def {kind} "{name}" (\n{head}\n{metadata}\n)\n{{\n{content}\n}}\n'


def body(name, content="", *, at=(0, 0, 0), apis=(), kind="Xform"):
    return prim(kind, name, ["PhysicsRigidBodyAPI", "PhysicsMassAPI", *apis], f"{moved(at)}\n{content}")


def collider(kind, name, content="", *, apis=(), at=(0, 0, 0)):
    return prim(kind, name, ["PhysicsCollisionAPI", *apis], f"{moved(at)}\n{content}")


def moved(at=(0, 0, 0), *, turn=None, scale=None):
    """Ops that turn (degrees about x, y, z), scale and move."""
    ops = [("double3 xformOp:translate", at)]
    if turn is not None:
        ops.append(("float3 xformOp:rotateXYZ", turn))
    if scale is not None:
        ops.append(("float3 xformOp:scale", scale))
    names = ", ".join('"' + op.split()[1] + '"' for op, _ in ops)
    values = "\n".join(f"{op} = ({', '.join(map(repr, value))})" for op, value in ops)
    return f"{values}\nuniform token[] xformOpOrder = [{names}]\n"


def solid(mass=1.0, inertia=(0.1, 0.1, 0.1)):
    """Mass properties of a body."""
    return f"float physics:mass = {mass}\nfloat3 physics:diagonalInertia = ({', '.join(map(repr, inertia))})\n"


def add(carom, text, **options):
    """A builder with the stage, and what add_usd() returned."""
    builder = carom.ModelBuilder()
    return builder, builder.add_usd(text, **options)
