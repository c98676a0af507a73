// Scenes that are written once and used by the tests, the benchmarks, the demo and the docs.
// Each returns a builder without worlds, to be copied with add_world() or replicate(), unless it says otherwise.
#pragma once

#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom::inline CAROM_PRECISION::scenes {

// A six-legged walker: a free trunk and six legs, 20 links and 25 shapes, 25 degrees of freedom.
ModelBuilder walker();

// A chain of `links` capsules hanging from the world, with revolute joints about x and y in turn.
ModelBuilder chain(int links);

// A box on a slider with a pole on a universal joint: a cart that balances in two directions.
ModelBuilder cart_pole();

// A free body carrying an arm with every type of joint; for tests of kinematics.
ModelBuilder joint_zoo();

// A humanoid with arms and legs: 15 bodies, 27 degrees of freedom, 21 motors with inputs from -1 to 1, 40.8 kg. It
// stands with its torso at `height` above the origin; at the default height the soles just touch the ground z = 0.
constexpr Real kHumanoidStanding = Real(1.282);  // [m]
constexpr Real kHumanoidStep = Real(0.005);      // timestep that suits it [s]
ModelBuilder humanoid(Real height = kHumanoidStanding);
// Many of them, one per world, on a ground that all share.
ModelBuilder humanoids(int worlds, Real height = kHumanoidStanding);

// Bodies of 10 cm dropped into a bin of 1.2 m: one large world, with a plane and four walls. Boxes are turned at
// random.
enum class BinOf { kSpheres, kBoxes };
struct BinArgs {
  Real half = Real(0.6);  // from the middle to a wall [m]
  Real scale = 1;         // of all lengths, `half` among them
  ShapeConfig material{};
};
ModelBuilder bin(int bodies, BinOf shape, const BinArgs& args = {});

// A wall of boxes of 1 m on a plane, `base` in the lowest row and one fewer in each row above, every box on two others
// and beside its neighbours without a gap: one large world of base (base + 1) / 2 bodies.
ModelBuilder pyramid(int base, const ShapeConfig& material = {});

// The worlds of the first page of the docs: two free spheres in one world, two boxes on a hinge in the other, with a
// ground plane before and a box after them. Already has its two worlds.
ModelBuilder two_worlds();

}  // namespace carom::inline CAROM_PRECISION::scenes
