// PathPlan: the paths (path_view.h) of one archetype of parts, those of tendons first, then of distance joints.
#pragma once

#include <vector>

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/path_view.h"

namespace carom::inline CAROM_PRECISION {

struct PathPlan {
  std::vector<PathSlot> slots;
  std::vector<PathEntry> entries;
  std::vector<int> links;
  std::vector<PathPoint> points;
  bool touches = false;  // some path is of contacts

  PathPlan() = default;
  // part: any of the archetype; bodies: Parts::bodies.
  PathPlan(const HostModel& host, const PartRows& part, const Array<int>& bodies, const TreePlan& tree);

  // Number of the path of a tendon or an actuator of the part, -1 = it has none.
  int of_tendon(int tendon) const { return number_in(tendon_path_, tendon); }
  int of_actuator(int actuator) const { return number_in(actuator_path_, actuator); }
  int of_link(int link) const { return number_in(link_path_, link); }  // of its distance joint

  PathView to(Device device);
  // On that device: the actuator of each path, -1 = a tendon or a joint, and where points come from.
  Span<const int> origin() const { return origin_device_.const_view(); }
  Span<const PathPointOrigin> point_origin() const { return point_origin_device_.const_view(); }

 private:
  struct Source {
    const HostModel& host;
    const PartRows& part;
    const Array<int>& bodies;
    const TreePlan& tree;

    int body(int row) const;  // in the part, -1 = the world
    int link(int body) const { return body < 0 ? -1 : tree.body_link[body]; }
  };
  static int number_in(const std::vector<int>& list, int i) { return i < static_cast<int>(list.size()) ? list[i] : -1; }
  void add_tendons(const Source& source);
  void add_distances(const Source& source);
  void add_actuators(const Source& source);
  void add_turning_joint(const Source& source, int row);
  void add_site(const Source& source, int row, PathSort sort, bool has_reference);
  void add_orientation(const Source& source, int row);
  void add_contacts(const Source& source, int row);
  void begin(PathSort sort);
  int add_link(int link);
  void add_point(const Source& source, PathPoint point, PathPointOrigin from);
  void finish(const Source& source, int actuator);

  std::vector<int> tendon_path_, actuator_path_, link_path_, origin_;
  std::vector<PathPointOrigin> point_origin_;
  Array<PathSlot> slots_device_;
  Array<PathEntry> entries_device_;
  Array<int> links_device_, origin_device_;
  Array<PathPoint> points_device_;
  Array<PathPointOrigin> point_origin_device_;
};

}  // namespace carom::inline CAROM_PRECISION
