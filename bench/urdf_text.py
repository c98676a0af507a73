"""A robot of about so many bytes: arms of six links on one base, as exporters write them."""

LINKS = 6  # of an arm

LINK = """  <link name="{name}">
    <inertial>
      <origin rpy="0.01 -0.02 {turn:.17g}" xyz="0.0012345678901234 -0.0023456789012345 0.10000000000000001"/>
      <mass value="1.2345678901234567"/>
      <inertia ixx="0.012345678901234567" ixy="0.00012345678901234" ixz="-1.2345678901234e-05" iyy="0.013456789012345" iyz="2.3456789012345e-05" izz="0.0098765432109876"/>
    </inertial>
    <visual>
      <origin rpy="0 0 0" xyz="0 0 0.1"/>
      <geometry>
        <cylinder length="0.20000000000000001" radius="0.040000000000000001"/>
      </geometry>
      <material name="grey">
        <color rgba="0.5 0.5 0.5 1"/>
      </material>
    </visual>
    <collision>
      <origin rpy="0 0 0" xyz="0 0 0.1"/>
      <geometry>
        <cylinder length="0.20000000000000001" radius="0.050000000000000003"/>
      </geometry>
    </collision>
  </link>
"""
JOINT = """  <joint name="{name}_joint" type="revolute">
    <origin rpy="1.5707963267948966 0 {turn:.17g}" xyz="0 0 0.20000000000000001"/>
    <parent link="{parent}"/>
    <child link="{name}"/>
    <axis xyz="0 0 1"/>
    <limit effort="87" lower="-2.8972999999999999" upper="2.8972999999999999" velocity="2.1749999999999998"/>
    <dynamics damping="0.5" friction="0.01"/>
  </joint>
"""


def robot(size: int) -> str:
    parts = ['<?xml version="1.0"?>\n<robot name="arms">\n', LINK.format(name="base", turn=0)]
    length, arm = sum(map(len, parts)), 0
    while length < size:
        parent = "base"
        for link in range(LINKS):
            name, turn = f"arm_{arm}_link_{link}", 0.001 * arm + 0.1 * link
            parts += [LINK.format(name=name, turn=turn), JOINT.format(name=name, parent=parent, turn=turn)]
            length += len(parts[-1]) + len(parts[-2])
            parent = name
        arm += 1
    return "".join([*parts, "</robot>\n"])
