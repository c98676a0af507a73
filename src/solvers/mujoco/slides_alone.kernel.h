// Bodies that weigh 1/m for a contact, whatever their joints hold still. MuJoCo's invweight0 of a body is the mean of
// J M^-1 J^T over three directions, which is a third of 1/m for a body on one slide; but for a body that nothing but
// slides along its own axes moves, that hangs on nothing that moves, carries nothing, and whose frame is the one of its
// inertia, MuJoCo takes 1/m (mjModel.body_simple = 2).
#pragma once

#include "dynamics/tree_params.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace slides_alone {

// What rounding leaves of a zero in an axis of length one.
inline constexpr Real kZero = sizeof(Real) == 4 ? Real(1e-6) : Real(1e-14);

CAROM_HD bool is_along_an_axis(Vec3 v) { return (abs(v.x) > kZero) + (abs(v.y) > kZero) + (abs(v.z) > kZero) == 1; }

// Nothing but slides along its own axes.
CAROM_HD bool is_slide(const TreeLink& link, const LinkParams<Real>& params, const DofParams<Real>* dofs) {
  if (link.angular != 0) return false;
  const Transform X_LJ = inverse(params.X_JL);
  for (int i = 0; i < link.linear; ++i)
    if (!is_along_an_axis(rotate(X_LJ.q, dofs[link.dof + i].axis))) return false;
  return true;
}

CAROM_HD bool has_frame_of_inertia(const LinkParams<Real>& p) {
  const Sym33T<Real>& I = p.inertia;
  return p.com == Vec3{} && I.xy == 0 && I.xz == 0 && I.yz == 0;
}

}  // namespace slides_alone

// Of a body of a part, with the links and degrees of freedom that were written for it. Links on the way to it that
// weigh nothing stand for some of its slides.
CAROM_HD bool slides_alone_of(const TreeView& tree, const TreeOrigin& origin, const LinkParams<Real>* links,
                              const DofParams<Real>* dofs, int body) {
  const int own = origin.body_link[body];
  if (own < 0 || tree.link[own].child_count != 0 || !slides_alone::has_frame_of_inertia(links[own])) return false;
  int bodies = 0;
  for (const int link : origin.body_link) bodies += link == own;
  if (bodies != 1) return false;
  for (int l = own; l >= 0; l = tree.link[l].parent) {
    const bool carries_it_alone = l == own || (tree.link[l].child_count == 1 && links[l].mass == 0);
    if (!carries_it_alone || !slides_alone::is_slide(tree.link[l], links[l], dofs)) return false;
  }
  return true;
}

}  // namespace carom::inline CAROM_PRECISION
