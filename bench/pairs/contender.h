// What the libraries that collide pairs of shapes are measured with: a case is two shapes in many pairs of poses, and a
// contender works through all of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "carom/geometry.h"

namespace carom::inline CAROM_PRECISION {

struct PairPose {
  Transform X_WA, X_WB;
};

struct PairShape {
  ShapeType type;
  Vec3 scale;        // sizes as in carom/geometry.h; 1, 1, 1 for a hull
  const Mesh* mesh;  // of a hull: what convex_hull() gives, nullptr otherwise
};

// What is asked for: contact points, or the depth of the shapes and its direction alone.
enum class PairQuestion { kContacts, kDepth };

struct PairCase {
  std::string name;
  PairQuestion question;
  PairShape a, b;
  std::vector<PairPose> pose;
};

struct PairContender {
  std::string name;
  // Collides the shapes in all poses and writes the distance of each pair, negative when they overlap [m].
  std::function<void(std::span<double> distance)> sweep;
  bool approximate = false;  // by its own nature: it is right in the mean, not in every pair
};

// None when the library has no function for the case.
std::vector<PairContender> carom_contenders(const PairCase& problem);
std::vector<PairContender> bullet_contenders(const PairCase& problem);
std::vector<PairContender> ccd_contenders(const PairCase& problem);
std::vector<PairContender> fcl_contenders(const PairCase& problem);

// The CPU tier that carom's functions are compiled for.
const char* carom_contender_tier();

}  // namespace carom::inline CAROM_PRECISION
