// What pulls at contacts: their own adhesion, and actuators of bodies, which share their force among all contacts of
// the body. Contacts differ from lane to lane, so each lane goes through its own.
#pragma once

#include "dynamics/tree_io.kernel.h"
#include "solvers/mujoco/contact_list.kernel.h"
#include "solvers/mujoco/path_view.h"
#include "solvers/mujoco/rows/row_view.h"

namespace carom::inline CAROM_PRECISION {

template <class F>
struct ContactPull {
  const ContactView& contacts;
  const TreeView& tree;
  const TreeWork<F>& t;
  const LinkDofs& link_dofs;
  const PathView& paths;
  const PathWork<F>& path_work;
  const int* shape_body;

  // Adhesion: the second side towards the first, and back.
  template <class Team>
  CAROM_HD_FREE void pull_together(Team team, WorldIds<F> ids) const {
    team.each(1, [&](int) {  // several contacts may be of one link
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l)
        each_contact(ids[l], [&](int c) CAROM_HD_LAMBDA {
          const Vec3 pull = contacts.normal[c] * contacts.extras[c].adhesion;
          const int* const link = contacts.material[c].link;
          if (link[0] >= 0) add_pull(link[0], l, contacts.point[c], pull);
          if (link[1] >= 0) add_pull(link[1], l, contacts.point[c], -pull);
        });
    });
  }

  // J of the paths of contacts: with n of them, the mean of -normal . (J of the second side - J of the first).
  template <class Team>
  CAROM_HD_FREE void find_paths(Team team, WorldIds<F> ids, const BodyRows& body_row) const {
    team.each(paths.paths(), [&](int path) {
      const PathSlot& slot = paths.slot[path];
      if (slot.sort != PathSort::kContacts) return;
      for (int l = 0; l < ScalarTraits<F>::kWidth; ++l) {
        const int body = body_row(ids[l], slot.joint);
        int count = 0;
        const int segment = contacts.segment_of(ids[l]);
        each_contact(segment, [&](int c) CAROM_HD_LAMBDA { count += touches(c, body); });
        for (int e = slot.first_entry; e < slot.first_entry + slot.entry_count; ++e) {
          Real sum = 0;
          each_contact(segment, [&](int c) CAROM_HD_LAMBDA {
            if (touches(c, body)) sum -= parting_speed(c, ids[l], paths.entry[e].dof, l) / Real(count);
          });
          set_lane(path_work.J[e], l, sum);
        }
      }
    });
  }

 private:
  // f(contact) for those of a segment that can move.
  template <class Function>
  CAROM_HD void each_contact(int segment, Function f) const {
    for (int i = contacts.begin(segment); i < contacts.end(segment); ++i)
      if (const int c = contacts.contact(i); contacts.material[c].inverse_mass > 0) f(c);
  }
  CAROM_HD bool touches(int c, int body) const {
    const int* const shape = contacts.material[c].shape;
    return shape_body[shape[0]] == body || shape_body[shape[1]] == body;
  }

  // Along the normal, second side against first, per speed of a degree of freedom of the part.
  CAROM_HD Real parting_speed(int c, int part, int dof, int lane) const {
    const ContactMaterial& m = contacts.material[c];
    const auto moves = [&](int side) CAROM_HD_LAMBDA {
      const int link = m.part[side] == part ? m.link[side] : -1;
      return (link_dofs(link, dof / kDofsPerWord) >> dof % kDofsPerWord & 1) != 0;
    };
    const bool first = moves(0), second = moves(1);
    if (first == second) return 0;
    const Vec3 arm = contacts.point[c] - of_lane(t.tree_com[tree.link[tree.dof_link[dof]].tree], lane);
    const SpatialVectorT<F>& S = t.motion[dof];
    const Real speed = dot(contacts.normal[c], of_lane(S.linear, lane) + cross(of_lane(S.angular, lane), arm));
    return second ? speed : -speed;
  }

  CAROM_HD void add_pull(int link, int lane, Vec3 point, Vec3 force) const {
    const Vec3 moment = cross(point - of_lane(t.tree_com[tree.link[link].tree], lane), force);
    SpatialVectorT<F>& wrench = t.wrench[link];
    for (int k = 0; k < 3; ++k) {
      set_lane(wrench.linear[k], lane, lane_of(wrench.linear[k], lane) - force[k]);
      set_lane(wrench.angular[k], lane, lane_of(wrench.angular[k], lane) - moment[k]);
    }
  }

  CAROM_HD static Vec3 of_lane(const Vec3T<F>& v, int lane) {
    return {lane_of(v.x, lane), lane_of(v.y, lane), lane_of(v.z, lane)};
  }
  CAROM_HD static void set_lane(F& number, int lane, Real value) {
    if constexpr (PlainNumber<F>) number = value;
    else number.set(lane, value);
  }
};

}  // namespace carom::inline CAROM_PRECISION
