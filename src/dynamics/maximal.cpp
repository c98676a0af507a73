#include "dynamics/maximal.h"

namespace carom::inline CAROM_PRECISION {

MaximalWorlds maximal_worlds(WorldPlans& worlds, std::size_t p, const Motors& motors, const Loops& loops,
                             const SolverForces& forces, int lanes, const State& in, const State& out,
                             const Control& control, const Real* body_push) {
  WorldPlan& plan = worlds.plans[p];
  return {.tree = plan.tree.view,
          .body_link = plan.tree.origin.body_link,
          .rows = plan.rows.view(lanes),
          .row_of_part = worlds.row.const_view(),
          .world_of = worlds.world.const_view(),
          .coord_start = worlds.coord.const_view(),
          .dof_start = worlds.dof.const_view(),
          .ctrl_start = worlds.ctrl.const_view(),
          .body_rows = {nullptr, worlds.body.const_view()},
          .motors = motors.view(),
          .loops = loops.view(),
          .readings = step_readings(forces, loops, worlds),
          .joint_f = control.joint_f.data(),
          .target_pos = control.joint_target_pos.data(),
          .target_vel = control.joint_target_vel.data(),
          .ctrl = control.ctrl.data(),
          .body_f = reinterpret_cast<const Real*>(in.body_f.data()),
          .body_q = reinterpret_cast<const Real*>(in.body_q.data()),
          .body_qd = reinterpret_cast<const Real*>(in.body_qd.data()),
          .body_push = body_push,
          .out_q = out.joint_q.data(),
          .out_qd = out.joint_qd.data(),
          .out_qdd = out.joint_qdd.data(),
          .out_body_q = reinterpret_cast<Real*>(out.body_q.data()),
          .out_body_qd = reinterpret_cast<Real*>(out.body_qd.data())};
}

}  // namespace carom::inline CAROM_PRECISION
