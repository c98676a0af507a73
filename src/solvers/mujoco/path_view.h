// Paths: lengths that are no sums over coordinates. A spatial tendon is one, what a distance joint holds, and what an
// actuator pushes at a site, by a crank, at a joint that turns about three axes at once, or at the contacts of a body.
// Structure, numbers and state; path.kernel.h evaluates them.
#pragma once

#include <cstdint>

#include "carom/array.h"
#include "carom/config.h"
#include "carom/math.h"

namespace carom::inline CAROM_PRECISION {

enum class PathSort : int { kTendon, kSite, kSliderCrank, kTurningJoint, kContacts, kOrientation };

struct PathSlot {
  PathSort sort;
  int first_entry, entry_count;  // in PathView::entry
  int first_link, link_count;    // in PathView::link
  // In PathView::point: what a tendon passes; the site or crank, then the reference or slider.
  int first_point, point_count;
  int joint;  // of a joint: its link; of contacts: the body in the part; of an orientation: the link, -1 = of sites
  int axis;   // of an orientation
};
// A degree of freedom that changes the length.
struct PathEntry {
  int dof;
  std::uint32_t links;  // bit k: it moves link k of the path
};
inline constexpr int kMostPathLinks = 32;
struct PathPoint {
  TendonPointType type;
  int link, side_link;  // numbers among those of the path, -1 = does not move
  bool has_side;
};

// Where the numbers of a point come from; structure.
struct PathPointOrigin {
  enum class From : int { kTendonPoint, kSite, kReference, kJointParent, kJointChild } from;
  int row;              // tendon point, actuator or joint of the part
  int body, side_body;  // of the part, -1 = the world
};

struct PathView {
  Span<const PathSlot> slot;
  Span<const PathEntry> entry;
  Span<const int> link;
  Span<const PathPoint> point;

  CAROM_HD int paths() const { return static_cast<int>(slot.size); }
};

template <class F>
struct PathPointParams {
  TransformT<F> X_LP;  // in its link; in the world for what does not move
  Vec3T<F> side;       // likewise [m]
  F radius, divisor;
};
template <class F>
struct PathParams {
  SpatialVectorT<F> wrench;  // of sites and joints
  F in_parent;               // 1 or 0, of joints
  F rod;                     // of cranks [m]
};

template <class F>
struct PathWork {
  const PathParams<F>* params;
  const PathPointParams<F>* point_params;
  F* length;                // per path
  F* J;                     // per entry
  F* drift;                 // per path: J-dot v of straight tendons; nullptr: nobody asks
  SpatialVectorT<F>* pull;  // per link of a path: the wrench of a unit of tension, about the tree's centre of mass
};

}  // namespace carom::inline CAROM_PRECISION
