#include "events/dormand_prince.h"

#include <algorithm>
#include <cmath>

#include "backend/launch.h"
#include "events/kernels.h"
#include "model/joints/joints.kernel.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The rows of the tableau; the last one is the solution.
constexpr Real kA[6][6] = {
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
// The solution less the one of order 4.
constexpr Real kError[] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// Of the polynomial between the ends.
constexpr Real kBetween[] = {-12715105075.0 / 11282082432,  0,
                             87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                             701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                             69997945.0 / 29380423};

std::vector<int> quaternions_of(const Model& model) {
  std::vector<int> first;
  for (int j = 0; j < model.joint_count; ++j)
    if (turns_at_once(static_cast<JointType>(model.joint_type[j]))) first.push_back(model.joint_q_start[j + 1] - 4);
  return first;
}

}  // namespace

DormandPrince::DormandPrince(const Model& model, const Queue& queue)
    : model_(model),
      queue_(queue),
      next_q_(model.joint_coord_count),
      next_qd_(model.joint_dof_count),
      quaternions_(quaternions_of(model)) {
  for (Array<Real>& k : q_rate_) k = Array<Real>(model.joint_coord_count);
  for (Array<Real>& k : qdd_) k = Array<Real>(model.joint_dof_count);
}

StepColumn DormandPrince::column(const Real* from, const std::array<Array<Real>, kStages>& rate, Real* to) const {
  StepColumn column{from, {}, to};
  for (int s = 0; s < kStages; ++s) column.rate[s] = rate[s].data();
  return column;
}

void DormandPrince::add_stages(const std::vector<StepRows>& rows, const Real* weights, int stages, const State& from,
                               const State& to) const {
  AddStages kernel{rows.data(),
                   column(from.joint_q.data(), q_rate_, to.joint_q.data()),
                   column(from.joint_qd.data(), qdd_, to.joint_qd.data()),
                   {},
                   stages};
  std::copy(weights, weights + stages, kernel.weight);
  launch(queue_, static_cast<int>(rows.size()), kernel);
}

void DormandPrince::propose(Group& group, std::span<WorldRun* const> runs, std::span<const Real> step,
                            MotionOfWorlds& motion, const State& from, const Control& control) {
  const State& at = motion.at();
  std::vector<WorldRun*> anew;
  group.rows.clear();
  for (WorldRun* const run : runs) {
    if (!run->begins_anew) continue;
    group.rows.push_back({run->coords, run->dofs, 0});
    anew.push_back(run);
    run->begins_anew = false;
  }
  if (!anew.empty()) {
    motion.gather(group.anew, anew);
    add_stages(group.rows, kA[0], 0, from, at);
    motion.eval(group.anew, from.body_f, control, q_rate_[0], qdd_[0]);
  }
  group.rows.clear();
  for (std::size_t i = 0; i < runs.size(); ++i) group.rows.push_back({runs[i]->coords, runs[i]->dofs, step[i]});
  motion.gather(group.all, runs);
  for (int stage = 1; stage < kStages; ++stage) {
    add_stages(group.rows, kA[stage - 1], stage, from, at);
    if (stage == kStages - 1)  // the solution
      for (const WorldRun* const run : runs) make_units(*run, at);
    motion.eval(group.all, from.body_f, control, q_rate_[stage], qdd_[stage]);
  }
  for (const WorldRun* const run : runs) {
    std::copy(at.joint_q.data() + run->coords.begin, at.joint_q.data() + run->coords.end,
              next_q_.data() + run->coords.begin);
    std::copy(at.joint_qd.data() + run->dofs.begin, at.joint_qd.data() + run->dofs.end,
              next_qd_.data() + run->dofs.begin);
  }
}

std::span<const Real> DormandPrince::errors(Group& group, const State& from, Real tolerance) {
  group.error.resize(group.rows.size());
  StepErrors kernel{group.rows.data(),
                    column(from.joint_q.data(), q_rate_, next_q_.data()),
                    column(from.joint_qd.data(), qdd_, next_qd_.data()),
                    {},
                    kStages,
                    tolerance,
                    group.error.data()};
  std::copy(kError, kError + kStages, kernel.weight);
  launch(queue_, static_cast<int>(group.rows.size()), kernel);
  return group.error;
}

void DormandPrince::write(const WorldRun& run, const State& from, Real step, Real part, const State& to) const {
  const auto between = [&](Rows rows, const Array<Real>& before, const Array<Real>& after,
                           const std::array<Array<Real>, kStages>& k, const Array<Real>& out) {
    for (int i = rows.begin; i < rows.end; ++i) {
      if (part == 1) {
        out[i] = after[i];
        continue;
      }
      const Real way = after[i] - before[i], bend = step * k[0][i] - way;
      Real rest = 0;
      for (int s = 0; s < kStages; ++s) rest += kBetween[s] * k[s][i];
      const Real inner = (way - step * k[6][i] - bend) + (1 - part) * step * rest;
      out[i] = before[i] + part * (way + (1 - part) * (bend + part * inner));
    }
  };
  between(run.coords, from.joint_q, next_q_, q_rate_, to.joint_q);
  between(run.dofs, from.joint_qd, next_qd_, qdd_, to.joint_qd);
  if (part != 1) make_units(run, to);
}

void DormandPrince::make_units(const WorldRun& run, const State& at) const {
  auto first = std::lower_bound(quaternions_.begin(), quaternions_.end(), run.coords.begin);
  for (; first != quaternions_.end() && *first < run.coords.end; ++first) {
    Real* const q = at.joint_q.data() + *first;
    const Real scale = 1 / std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) q[i] *= scale;
  }
}

void DormandPrince::accept(const WorldRun& run) {
  const auto move = [](Rows rows, std::array<Array<Real>, kStages>& k) {
    std::copy(k[kStages - 1].data() + rows.begin, k[kStages - 1].data() + rows.end, k[0].data() + rows.begin);
  };
  move(run.coords, q_rate_);
  move(run.dofs, qdd_);
}

}  // namespace carom::inline CAROM_PRECISION
