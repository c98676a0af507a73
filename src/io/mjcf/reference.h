// The model at qpos0: Jacobians of its points and tendons, and the mass matrix, in blocks of one tree each.
#pragma once

#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

struct ReferenceDof {
  int body;     // that it moves, and all below
  bool slides;  // along the axis; otherwise about it
  Vec3d axis;   // world
  Vec3d anchor;
};

MjcfPose placed_site(const Compiling& c, int id);  // in the world

// A sparse row: numbers by degree of freedom.
using DofRow = std::map<int, double>;

struct ReferencePose {
  const Compiling& c;
  std::vector<ReferenceDof> dofs{};
  std::vector<std::vector<int>> dofs_of_body{};  // those that move it, from the root on

  // d(scale * direction . velocity of a point of a body), and of its angular velocity.
  void add_point(DofRow& row, int body, Vec3d point, Vec3d direction, double scale = 1) const;
  void add_turn(DofRow& row, int body, Vec3d direction, double scale = 1) const;
};

ReferencePose reference_pose(const Compiling& c);
DofRow tendon_row(const ReferencePose& pose, int tendon);
// At coordinates q, with the bodies where c.X_WB says.
double tendon_length(const Compiling& c, int tendon, const std::vector<double>& q);
// How the length of an actuator's transmission follows the degrees of freedom, times its gear.
// output: of the three that turn an orientation.
DofRow actuator_row(const ReferencePose& pose, int actuator, int output = 0);

// Cholesky factors of the mass matrix.
class ReferenceMass {
 public:
  explicit ReferenceMass(const ReferencePose& pose);
  // M^-1 row.
  DofRow solve(const DofRow& row) const;

 private:
  struct Block {
    std::vector<int> dofs;
    std::vector<double> factor;  // lower triangle, row by row
  };
  void make_blocks(const ReferencePose& pose);
  double& element(int row, int column);  // of the lower triangle
  void add_armature(const ReferencePose& pose, const DofRow& row, double armature);
  void add_rotor(const ReferencePose& pose, int actuator);

  std::vector<Block> blocks_;
  std::vector<int> block_of_, place_of_;  // by degree of freedom
};

}  // namespace carom::inline CAROM_PRECISION
