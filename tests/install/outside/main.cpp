// Uses the installed library the way a stranger would: one public header, one link target.
#include <carom/carom.h>

#include <cstdio>
#include <memory>

int main() {
  const auto cube = std::make_shared<const carom::Mesh>(carom::make_box_mesh(1, 1, 1));
  carom::ModelBuilder robot;
  robot.add_shape_convex_hull(robot.add_body(), cube);

  carom::ModelBuilder builder;
  builder.replicate(robot, 3);
  const carom::Model model = builder.finalize();
  const carom::State state = model.state();
  for (int i = 0; i < 3; ++i) state.joint_q[model.joint_q_start[i]] = carom::Real(i + 1);
  carom::eval_fk(model, state.joint_q, state.joint_qd, state);

  std::printf("carom %s: the third cube is at x = %g\n", carom::kVersion, double(state.body_q[2].p.x));
  return state.body_q[2].p.x == 3 ? 0 : 1;
}
