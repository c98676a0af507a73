// A step of a solver that sends (SolverThatSends) on its own: checks, aligns the state, sends, and waits.
#pragma once

#include <algorithm>

#include "backend/graph.h"
#include "backend/send_copy.h"
#include "model/graph_keys.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

struct OwnSteps {
  Array<std::int32_t> pose_status;  // of poses written from outside, per world, then one for the globals
  Array<std::int32_t> no_status;    // zeros: of worlds that are left out nobody writes it
  Graphs graphs;

  explicit OwnSteps(const Model& model)
      : pose_status(model.world_count + 1, model.device), no_status(std::max(model.world_count, 1), model.device) {}
};

template <class S>
void run_step(S& solver, OwnSteps& own, const State& state_in, const State& state_out, const Control& control,
              const Contacts* contacts, Real dt, const Array<std::int32_t>& status) {
  const Model& model = solver.model();
  if (contacts) {
    check_contacts("step", "contacts", *contacts, model);
    check_contacts_of_particles("step", "contacts", *contacts, model);
  }
  GraphKey key;
  solver.prepare(state_in, state_out, control, dt, key);
  add_contacts(key, contacts ? *contacts : Contacts{});
  add_contacts_of_particles(key, contacts ? *contacts : Contacts{});
  own.graphs.run(solver.queue(), key, [&] {
    send_align(solver.queue(), model, state_in, own.pose_status);
    send_copy(solver.queue(), own.no_status, status);
    solver.send(state_in, state_out, control, contacts, dt, StepOfCall{});
    send_add_status(solver.queue(), own.pose_status, status);
  });
  solver.queue().finish();
}

}  // namespace carom::inline CAROM_PRECISION
