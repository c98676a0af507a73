// MuJoCoPlan: everything of an archetype of parts that a step needs, with the numbers of the parts packed for the
// kernel.
#pragma once

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/row_plan.h"
#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

// What contacts need to know of every body of the model.
struct BodyNumbers {
  Array<int> part, link;     // that move it, -1 = nothing does
  Array<Real> inverse_mass;  // at the initial pose, the mean over the three directions of the centre of mass [1/kg]

  explicit BodyNumbers(int bodies);
  BodyNumbers to(Device device) const;
};

struct MuJoCoPlan;

// Where the rows of each part begin.
struct PartArrays {
  Array<int> coord, dof, body, actuator, params_row;

  PartArrays() = default;
  PartArrays(const std::vector<MuJoCoPlan>& plans, int parts, Device device);
  PartStarts view() const;
};

struct MuJoCoPlan {
  TreePlan tree;
  RowPlan rows;
  ParamLayout layout;
  Array<int> body_link;
  Array<int> body_row;  // of the bodies of all parts; empty: those of a part stand one after the other
  Array<LinkDofs> link_dofs;
  PartArchetype archetype;
  int chain_blocks;  // the most blocks of degrees of freedom that move one link

  // Parameters of every part, or one row for all when they are the same.
  Array<Real> params;
  std::int64_t params_stride = 0;
  Array<Real> lane_params;  // those of one row for all, each number once per lane
  int lane_width = 0;

  MuJoCoPlan(const HostModel& host, PartArchetype archetype);

  // Packs the numbers of the parts, and writes what contacts need to know of their bodies.
  void pack(const HostModel& host, BodyNumbers& bodies);

  // A step of these parts, without the solver's options, without contacts and without output.
  MuJoCoStep kernel(const PartArrays& arrays, const State& in, const Control& control, Real dt) const;
  // Gives the kernel parameters that all parts share as lanes of this width read them.
  void share_params(MuJoCoStep& kernel, int width);

 private:
  // inverse_mass: of the bodies of the part.
  void pack_part(const HostModel& host, const PartRows& part, bool is_nan, Real* row,
                 std::vector<Real>& inverse_mass) const;
};

// What contacts are made rows from, on the model's device.
MaterialColumns material_columns(const Model& model, const BodyNumbers& bodies);
ContactView contact_view(const Contacts& contacts, const Array<ContactMaterial>& material);

// Throws Error for parts of a model that the solver does not know, with their names.
void check_supported(const HostModel& host);

}  // namespace carom::inline CAROM_PRECISION
