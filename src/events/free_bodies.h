// Worlds in which all that moves are bodies on their own, which nothing holds or drives: their derivatives need no
// trees.
#pragma once

#include <span>
#include <vector>

#include "carom/model.h"
#include "carom/queue.h"
#include "events/free_bodies.kernel.h"

namespace carom::inline CAROM_PRECISION {

class FreeBodies {
 public:
  // The bodies of some worlds, behind each other.
  struct Choice {
    std::vector<int> coord, dof, body;
    std::vector<FreeBody> numbers;
    FreeBodyRows rows() const { return {coord.data(), dof.data(), body.data()}; }
    int count() const { return static_cast<int>(body.size()); }
  };

  FreeBodies(const Model& model, const Queue& queue);

  // Of the model as it is now.
  bool are_all_of(int world) const;
  Choice choose(std::span<const int> worlds) const;

  void place(const Choice& choice, const State& state) const;
  void eval(const Choice& choice, const State& state, const Control& control, const Array<Real>& joint_q_rate,
            const Array<Real>& joint_qdd) const;

 private:
  bool is_free(int joint) const;

  Model model_;
  const Queue& queue_;
};

}  // namespace carom::inline CAROM_PRECISION
