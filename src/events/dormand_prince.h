// An explicit Runge-Kutta pair of order 5 with a solution of order 4 for its error, for many worlds side by side, each
// with a step of its own: J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", 1980. Between the
// ends of a step the solution is a polynomial of order 4: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary
// Differential Equations I", section II.6.
//
// A quaternion is four numbers like any others on the way; at the end of a step it gets length 1.
#pragma once

#include <array>
#include <span>

#include "events/motion_of_worlds.h"

namespace carom::inline CAROM_PRECISION {

class DormandPrince {
 public:
  // Worlds that go side by side.
  struct Group {
    WorldGroup all, anew;        // that step, and those of which that begin anew
    std::vector<StepRows> rows;  // of those that step
    std::vector<Real> error;
  };

  DormandPrince(const Model& model, const Queue& queue);

  // From the state's rows of the worlds, each by its step[i], to a proposal: where it ends, the motion is.
  void propose(Group& group, std::span<WorldRun* const> runs, std::span<const Real> step, MotionOfWorlds& motion,
               const State& from, const Control& control);
  // The error of each proposal over what is allowed, the largest of all its numbers.
  std::span<const Real> errors(Group& group, const State& from, Real tolerance);
  // Writes what lies at this part of the step (0 .. 1) to another state's rows.
  void write(const WorldRun& run, const State& from, Real step, Real part, const State& to) const;
  // The derivative at the end of the step is the one at the beginning of the next.
  void accept(const WorldRun& run);

 private:
  static constexpr int kStages = kMostStages;

  void add_stages(const std::vector<StepRows>& rows, const Real* weights, int stages, const State& from,
                  const State& to) const;
  StepColumn column(const Real* from, const std::array<Array<Real>, kStages>& rate, Real* to) const;
  void make_units(const WorldRun& run, const State& at) const;

  Model model_;
  const Queue& queue_;
  std::array<Array<Real>, kStages> q_rate_, qdd_;
  Array<Real> next_q_, next_qd_;
  std::vector<int> quaternions_;  // first coordinates
};

}  // namespace carom::inline CAROM_PRECISION
