// What a camera that looks obliquely from above sees of one world: capsules and spheres of its bodies as thick lines,
// other shapes as the outlines of what is convex around them, their shadows on the ground z = 0, and the forces of
// contacts. Shapes that do not collide are seen on bodies that have no others. It follows the centre of mass over the
// ground.
#pragma once

#include "carom/carom.h"
#include "cli/picture.h"

namespace carom::cli {

class Camera {
 public:
  Camera(double azimuth, double elevation);  // where it stands, seen from the world's origin [rad]

  // tone: the Stroke::tone of a shape.
  Pose take(const Model& model, const State& state, const Contacts* contacts, int world, double time,
            int (*tone)(const std::string& shape_key)) const;
  double ground_slope() const;

 private:
  void add_line(const Model& model, int shape, const Transform& X_CS, int tone, Pose& pose) const;
  void add_outline(const Model& model, int shape, const Transform& X_CS, int tone, Pose& pose) const;

  Vec3 right_, up_, near_;  // axes of the picture, in the world
};

}  // namespace carom::cli
