// carom_bench_events KIND METHOD RESPONSE WORLDS SECONDS TOLERANCE: worlds from event to event, all at once, and the
// same ones one after the other. KIND: table, a break of sixteen billiard balls as in Modia3D's Billard16Balls; ball,
// one ball that bounces.
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/json_program.h"
#include "bench/stopwatch.h"
#include "carom/builder.h"
#include "carom/event_stepper.h"

namespace carom {
namespace {

constexpr Real kRadius = 0.03, kLong = 2.24, kWide = 1.12, kGap = 1e-4;  // [m]
constexpr int kBalls = 16;

ModelBuilder table(int number) {
  ModelBuilder builder;
  builder.default_shape_cfg.density = 1768;
  builder.add_shape_box(-1, kLong / 2, kWide / 2, 0.025, {.xform = {{0, 0, -0.025}, {}}, .key = "table"});
  const Real height = 7 * kRadius / 5, half = 0.025;
  for (int side = 0; side < 4; ++side) {
    const Real sign = side % 2 == 0 ? -1 : 1;
    const bool end = side < 2;
    const Vec3 at{end ? sign * (kLong / 2 + half) : 0, end ? 0 : sign * (kWide / 2 + half), height};
    builder.add_shape_box(-1, end ? half : kLong / 2 + half, end ? kWide / 2 : half, height / 6,
                          {.xform = {at, {}}, .key = "cushion_" + std::to_string(side)});
  }
  int balls = 0;
  const auto ball = [&](Real x, Real y) {
    const int body = builder.add_body({.xform = {{x, y, kRadius - 1.6084e-6}, {}}});  // as deep as it rests
    builder.add_shape_sphere(body, kRadius, {.key = "ball_" + std::to_string(balls++)});
  };
  ball(-0.8, -0.1 + 1e-4 * number);
  const Real pitch = 2 * kRadius + kGap;
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k <= row; ++k)
      ball(kLong / 6 + row * std::sqrt(Real(3)) / 2 * pitch, (k - Real(0.5) * row) * pitch);
  return builder;
}

ModelBuilder ball(int number) {
  ModelBuilder builder;
  builder.default_shape_cfg.restitution = 0.7;
  builder.add_ground_plane();
  const int body = builder.add_body({.xform = {{0, 0, 1.1 + 1e-3 * number}, {}}});
  builder.add_shape_sphere(body, 0.1, {.key = "ball"});
  return builder;
}

struct Worlds {
  ModelBuilder (*one)(int number);
  Real speed[2];  // of its first body [m/s]
};

struct Outcome {
  double seconds = 0;
  EventCounts counts;
};

Outcome play(const Worlds& worlds, int first, int count, Real until, const EventStepperConfig& config) {
  ModelBuilder scene;
  for (int w = first; w < first + count; ++w) scene.add_world(worlds.one(w));
  const Model model = scene.finalize();
  const State state = model.state();
  for (int w = 0; w < count; ++w) {
    Real* const moves = state.joint_qd.data() + model.joint_dof_count / count * w;
    moves[0] = worlds.speed[0], moves[1] = worlds.speed[1];
  }
  const Queue one_core({}, {.threads = 1});
  EventStepper stepper(model, config, &one_core);
  stepper.restart(state);
  const double start = now();
  stepper.run(until);
  return {now() - start, stepper.counts()};
}

nlohmann::json run(const std::vector<std::string>& args) {
  if (args.size() != 6) throw Error("usage: KIND METHOD RESPONSE WORLDS SECONDS TOLERANCE");
  const Worlds worlds = args[0] == "ball" ? Worlds{ball, {0, 0}} : Worlds{table, {3, 0.1}};
  EventStepperConfig config;
  config.method = parse_integration_method(args[1]);
  config.response = parse_contact_response(args[2]);
  const int count = std::stoi(args[3]);
  const Real until = std::stod(args[4]);
  config.tolerance = std::stod(args[5]);
  if (args[0] == "table")
    config.materials = {{"ball_*", "BilliardBall"}, {"table", "BilliardTable"}, {"cushion_*", "BilliardCushion"}};
  if (!has_integration_method(config.method)) return {{"missing", "SUNDIALS (Debian: libsundials-dev)"}};
  const Outcome together = play(worlds, 0, count, until, config);
  double one_by_one = 0;
  for (int w = 0; w < count && count > 1; ++w) one_by_one += play(worlds, w, 1, until, config).seconds;
  return {{"seconds", together.seconds},      {"one_by_one", one_by_one},
          {"steps", together.counts.steps},   {"rejected", together.counts.rejected},
          {"events", together.counts.events}, {"evaluations", together.counts.evaluations}};
}

}  // namespace
}  // namespace carom

int main(int argc, char** argv) { return carom::print_json("carom_bench_events", argc, argv, carom::run); }
