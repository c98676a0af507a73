#include "dynamics/tree_input.h"

namespace carom::inline CAROM_PRECISION {

TreeInput tree_input(const WorldPlans& worlds, WorldPlan& plan, int lanes, const State& state) {
  return {.tree = plan.tree.view,
          .rows = plan.rows.view(lanes),
          .row_of_part = worlds.row.const_view(),
          .coord_start = worlds.coord.const_view(),
          .dof_start = worlds.dof.const_view(),
          .world_of = worlds.world.const_view(),
          .body_link = plan.tree.origin.body_link,
          .body_rows = {nullptr, worlds.body.const_view()},
          .joint_q = state.joint_q.data(),
          .joint_qd = state.joint_qd.data(),
          .body_f = reinterpret_cast<const Real*>(state.body_f.data())};
}

}  // namespace carom::inline CAROM_PRECISION
