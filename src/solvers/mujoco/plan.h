// MuJoCoPlan: everything of an archetype that a step needs, with the numbers of its worlds packed for the kernel.
#pragma once

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/row_plan.h"
#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

struct MuJoCoPlan {
  TreePlan tree;
  RowPlan rows;
  ParamLayout layout;
  Array<int> body_link;
  Array<LinkDofs> link_dofs;
  std::vector<int> worlds;
  bool global;  // of a model without worlds

  // Parameters of every world, or one row for all when they are the same.
  Array<Real> params;
  std::int64_t params_stride = 0;
  Array<Real> lane_params;  // those of one row for all, each number once per lane
  int lane_width = 0;

  MuJoCoPlan(const HostModel& host, const Archetype& archetype);

  // Also writes what contacts need to know of the bodies of these worlds, on the CPU: their links, and 1 / mass at the
  // initial pose, the mean over the three directions of the centre of mass [1/kg].
  void pack(const HostModel& host, const Archetype& archetype, Array<int>& link_of_body, Array<Real>& inverse_mass);

  // A step of these worlds, without the solver's options, without contacts and without output.
  MuJoCoStep kernel(const Model& model, const State& in, const Control& control, Real dt) const;
  // Gives the kernel parameters that all worlds share as lanes of this width read them.
  void share_params(MuJoCoStep& kernel, int width);

 private:
  // body_mass: 1 / mass of the bodies of the world.
  void pack_world(const HostModel& host, const Archetype& archetype, int world, bool is_nan, Real* row,
                  std::vector<Real>& body_mass) const;
};

// What contacts are made rows from, on the model's device.
MaterialColumns material_columns(const Model& model, const Array<int>& body_link, const Array<Real>& body_inverse_mass);
ContactView contact_view(const Contacts& contacts, const Array<ContactMaterial>& material);

// Throws Error for parts of a model that the solver does not know, with their names.
void check_supported(const HostModel& host);

}  // namespace carom::inline CAROM_PRECISION
