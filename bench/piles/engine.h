// Engines that the program solvers_pile.cpp measures: carom and its peers, each with the bodies and static shapes of
// one and the same model.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom::inline CAROM_PRECISION {

class PileEngine {
 public:
  virtual ~PileEngine() = default;
  virtual std::string name() const = 0;
  virtual void step() = 0;
  virtual int contacts() const = 0;  // points that the last step solved
  virtual void read(std::span<Transform> X_WB) const = 0;
};

std::unique_ptr<PileEngine> carom_pile(const Model& model, Real dt, const std::string& solver,
                                       const std::vector<SolverOption>& options, const Queue& queue);

// For free bodies with one sphere or box in their middle, and for static boxes and planes, all of one coefficient of
// friction. One thread. nullptr: the peer was not there when this was built.
std::unique_ptr<PileEngine> bullet_pile(const Model& model, Real dt);
std::unique_ptr<PileEngine> ode_pile(const Model& model, Real dt);

}  // namespace carom::inline CAROM_PRECISION
