// MuJoCoPlan: everything of an archetype of parts that a step needs, with the numbers of the parts packed for the
// kernel.
//
// Structure (trees, patterns, lists) and numbers are apart: after an edit the parts whose numbers changed are looked at
// and packed again, on the model's device. What parts need by their numbers (a limit that was switched on) is part of
// the structure: another need asks for another plan.
#pragma once

#include "dynamics/tree_plan.h"
#include "solvers/mujoco/ellipsoid_plan.h"
#include "solvers/mujoco/plan_source.h"
#include "solvers/mujoco/row_plan.h"
#include "solvers/mujoco/step.kernel.h"

namespace carom::inline CAROM_PRECISION {

// What contacts need to know of every body of the model, on its device.
struct BodyNumbers {
  Array<int> part, link;     // that move it, -1 = nothing does
  Array<Real> inverse_mass;  // at the initial pose, the mean over the three directions of the centre of mass [1/kg]

  explicit BodyNumbers(int bodies, Device device = {});
};

struct MuJoCoPlan;

// Where the rows of each part begin.
struct PartArrays {
  Array<int> coord, dof, body, ctrl, act, history, tendon, equality, params_row;

  PartArrays() = default;
  PartArrays(const std::vector<MuJoCoPlan>& plans, int parts, Device device);
  PartStarts view() const;
};

// What the parts of an archetype ask for by their numbers, on the model's device.
struct PartSurvey {
  Array<PartRows> part;
  Array<std::uint8_t> differs, needs;  // see LookAtParts

  PartSurvey(const PartArchetype& archetype, Device device);
  // places: in the archetype.
  void look(const PlanSource& source, const Queue& queue, const TreePlan& tree, const EllipsoidPlan& ellipsoids,
            const std::vector<int>& places);
  bool all_same() const;
  // What any part needs (PartNeeds).
  std::vector<std::uint8_t> needs_of_any() const;
};

struct MuJoCoPlan {
  PartArchetype archetype;
  TreePlan tree;
  EllipsoidPlan ellipsoids;
  PartSurvey survey;
  std::vector<std::uint8_t> needs;  // that the rows were laid out for
  RowPlan rows;
  ParamLayout layout;
  Array<int> listed_bodies;           // of parts whose bodies stand apart
  Array<int> shape_body, shape_type;  // of the model
  LinkDofLists link_dofs;
  int chain_blocks;  // the most blocks of degrees of freedom that move one link

  // Parameters of every part, or one row for all when they are the same.
  Array<Real> params;
  std::int64_t params_stride = 0;
  Array<Real> strokes;      // of each part where springs yield, of RK4; see SpringYields
  Array<Real> lane_params;  // those of one row for all, each number once per lane
  int lane_width = 0;
  std::int64_t packed = 0;  // rows so far

  // host: of the source's model. Packs all parts.
  MuJoCoPlan(const HostModel& host, const PlanSource& source, const Queue& queue, PartArchetype archetype,
             const BodyNumbers& bodies);

  // The numbers of parts changed, whose places in the archetype are given: packs what became another row. False: they
  // need other rows than this plan has, and nothing was packed.
  bool pack_again(const PlanSource& source, const Queue& queue, const std::vector<int>& places,
                  const BodyNumbers& bodies);

  // A step of these parts, without the solver's options, without contacts and without output.
  MuJoCoStep kernel(const PartArrays& arrays, const State& in, const Control& control, Real dt) const;
  // Gives the kernel parameters that all parts share as lanes of this width read them.
  void share_params(MuJoCoStep& kernel, int width);

 private:
  void make_rooms(bool shared, Device device);
  void pack(const PlanSource& source, const Queue& queue, const std::vector<int>& places);
  void write_bodies(const PlanSource& source, const Queue& queue, const std::vector<int>& places,
                    const BodyNumbers& bodies) const;
  std::vector<int> all_places() const;
};

// Packs what contacts are made rows from, of the given shapes, on the model's device.
// The contact pairs of a model, as contacts read them.
struct ContactPairs {
  Array<int> start;
  Array<PairNumbers> numbers;

  ContactPairs() = default;
  explicit ContactPairs(const Model& model);
  PairTable view() const { return numbers.empty() ? PairTable{} : PairTable{start.data(), numbers.data()}; }
};

void pack_shapes(const Model& model, const BodyNumbers& bodies, const std::vector<int>& shapes, const Queue& queue,
                 const Array<ShapeMaterial>& packed);
// Of the shapes of a model.
ContactTraits traits_of(const Model& model);
ContactView contact_view(const Contacts& contacts, const Array<ContactMaterial>& material, ContactTraits traits);

// Throws Error for parts of a model that the solver does not know, with their names.
void check_supported(const Model& model);

}  // namespace carom::inline CAROM_PRECISION
