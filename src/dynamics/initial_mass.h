// The mass matrix of a world at one pose, on the host: how heavy bodies, joints and tendons are there.
#pragma once

#include <vector>

#include "dynamics/tree_plan.h"

namespace carom::inline CAROM_PRECISION {

class InitialMass {
 public:
  // q: coordinates of the world.
  InitialMass(const TreePlan& plan, const LinkParams<Real>* links, const DofParams<Real>* dofs, const Real* q);

  // J M^-1 J^T of a row over the plan's degrees of freedom.
  Real inverse_mass(const std::vector<Real>& J) const;
  // The mean of it over the three directions in which a point of a link, given in the link, can move [1/kg].
  Real inverse_mass_of_point(int link, Vec3 point) const;

 private:
  const TreePlan& plan_;
  std::vector<char> memory_;
  TreeWork<Real> work_;
};

}  // namespace carom::inline CAROM_PRECISION
