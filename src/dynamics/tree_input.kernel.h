// What the functions of carom/dynamics.h read of a model and a state, and the kernel that all of them are: one item is
// one world, or W worlds of one structure.
//
// Velocities and forces of free joints stay those of the centre of mass, as users have them: here such a joint slides
// that point and turns about it.
#pragma once

#include "dynamics/tree_io.kernel.h"
#include "dynamics/tree_kinematics.kernel.h"
#include "dynamics/tree_rows.h"

namespace carom::inline CAROM_PRECISION {

// Takes what is applied to bodies, rows of a column as body_f, off the wrenches that their links need.
template <class F>
CAROM_HD void push_links(const TreeView& tree, Span<const int> body_link, const BodyInLink<F>* bodies,
                         const Real* column, const BodyRows& rows, const WorldIds<F>& ids, const TreeWork<F>& w) {
  CAROM_ROLL
  for (int b = 0; b < static_cast<int>(body_link.size); ++b) {
    const int l = body_link[b];
    if (l < 0) continue;
    const SpatialVectorT<F> f = load_of_body<F>(column, rows, ids, b);  // about the centre of mass of the body
    const Vec3T<F> arm = transform_point(w.X_WL[l], bodies[b].com) - w.tree_com[tree.link[l].tree];
    w.wrench[l] = w.wrench[l] - SpatialVectorT<F>{f.linear, f.angular + cross(arm, f.linear)};
  }
}

template <class F>
struct TreeInputWork {
  TreeWork<F> tree;
  const BodyInLink<F>* bodies;
  const HoldParams<F>* holds;
  F *part_dofs, *row;
};

struct TreeInput {
  TreeView tree;
  TreeRowView rows;
  Span<const int> row_of_part, coord_start, dof_start, world_of;
  Span<const int> body_link;
  BodyRows body_rows;
  const Real *joint_q, *joint_qd, *body_f;

  template <class F>
  CAROM_HD void take(Arena& arena, TreeInputWork<F>& w) const {
    w.tree.tree_com = arena.take<Vec3T<F>>(tree.trees());
    w.tree.motion = arena.take<SpatialVectorT<F>>(tree.dofs());
    take_tree_state(arena, tree, w.tree);
    take_tree_temporaries(arena, tree, w.tree);
    w.part_dofs = arena.take<F>(tree.part_dof_count);
    w.row = PlainNumber<F> || rows.lane_rows ? nullptr : arena.take<F>(rows.layout.total);
  }

  template <class F>
  CAROM_HD DofColumns<F> columns(const WorldIds<F>& ids, const TreeInputWork<F>& w) const {
    return {tree, world_offsets(dof_start, ids), w.part_dofs};
  }
  // Numbers of degrees of freedom; those of places that no joint fills are zero.
  template <class Team, class F>
  CAROM_HD void load_dofs(Team team, const WorldIds<F>& ids, const TreeInputWork<F>& w, const Real* column,
                          Vec3T<F>* to) const {
    team.each(tree.blocks(), [&](int b) { to[b] = Vec3T<F>{}; });
    columns(ids, w).load(team, column, to);
  }

  // The state; links where it puts them, and what every degree of freedom moves.
  template <class Team, class F>
  CAROM_HD_FREE void begin(Team team, const WorldIds<F>& ids, TreeInputWork<F>& w) const {
    const TreeNumbers<F> numbers = read_tree_row(rows, row_of_part, ids, w.row, w.tree);
    w.bodies = numbers.bodies, w.holds = numbers.holds;
    load_block(team, joint_q, world_offsets(coord_start, ids), tree.coord_count, w.tree.q);
    load_dofs(team, ids, w, joint_qd, w.tree.qd);
    place_links(team, tree, w.tree);
    team.each(tree.links(), [&](int l) {
      if (!velocity_at_com(tree.link[l].type)) return;
      const LinkParams<F>& params = w.tree.link_params[l];
      w.tree.anchor[l] = transform_point(w.tree.X_WL[l] * inverse(params.X_JL), params.p_JBcom);
    });
    move_to_com_frames(team, tree, w.tree);
  }

  // The wrenches that links need while their joints do not accelerate: for gravity, for what their motion bends, and
  // against what users apply to bodies.
  template <class Team, class F>
  CAROM_HD_FREE void find_wrenches(Team team, const WorldIds<F>& ids, const TreeInputWork<F>& w) const {
    move_links(team, tree, w.tree);
    const int bodies = static_cast<int>(body_link.size);
    if (!any_body_force(team, body_f, body_rows, bodies, ids)) return;
    team.each(1, [&](int) {  // several bodies may be of one link
      push_links(tree, body_link, w.bodies, body_f, body_rows, ids, w.tree);
    });
  }
};

// A kernel of lanes and teams that says what it needs memory for and how it is evaluated: Own has
//
//   Work<F>                     TreeInputWork<F> and more
//   take(arena, w)              memory for what is more
//   eval(team, ids, w)          the function
template <class Own>
struct TreeKernel {
  using Number = Real;
  static constexpr bool kInStep = false;

  Span<const int> worlds;  // ids of the parts, each a world
  TreeInput in;

  template <class F>
  CAROM_HD std::int64_t scratch_bytes() const {
    Arena arena;
    typename Own::template Work<F> w;
    take_all(arena, w);
    return arena.used;
  }
  template <class Team>
  CAROM_HD std::int64_t memory_bytes() const {
    return scratch_bytes<Real>();
  }
  template <class Team, class F>
  CAROM_HD void operator()(Team team, WorldIds<F> ids, void* scratch) const {
    Arena arena{static_cast<char*>(scratch), 0};
    typename Own::template Work<F> w;
    take_all(arena, w);
    own().eval(team, ids, w);
  }
  template <class Team>
  CAROM_HD void operator()(Team team, int place, char* memory) const {
    (*this)(team, WorldIds<Real>{worlds[place]}, static_cast<void*>(memory));
  }

 private:
  CAROM_HD const Own& own() const { return static_cast<const Own&>(*this); }
  template <class Work>
  CAROM_HD void take_all(Arena& arena, Work& w) const {
    in.take(arena, w);
    own().take(arena, w);
  }
};

}  // namespace carom::inline CAROM_PRECISION
