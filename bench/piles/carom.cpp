// carom as an engine of the benchmark of piles.
#include <algorithm>

#include "bench/piles/engine.h"

namespace carom::inline CAROM_PRECISION {

namespace {

class CaromPile final : public PileEngine {
 public:
  CaromPile(const Solver& solver, Real dt) : sim_(solver.model(), solver, dt) {}

  std::string name() const override { return std::string("carom ") + kVersion; }
  void step() override { sim_.step(); }
  int contacts() const override { return sim_.contacts().rigid_contact_count[0]; }
  void read(std::span<Transform> X_WB) const override {
    std::copy(sim_.state().body_q.begin(), sim_.state().body_q.end(), X_WB.begin());
  }

 private:
  Simulation sim_;
};

}  // namespace

std::unique_ptr<PileEngine> carom_pile(const Model& model, Real dt, const std::string& solver,
                                       const std::vector<SolverOption>& options, const Queue& queue) {
  return std::make_unique<CaromPile>(make_solver(solver, model, options, &queue), dt);
}

}  // namespace carom::inline CAROM_PRECISION
