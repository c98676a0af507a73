#include "solvers/particle_side.h"

#include <algorithm>
#include <iostream>

#include "backend/launch.h"
#include "backend/send_copy.h"
#include "dynamics/kernels.h"

namespace carom::inline CAROM_PRECISION {

ParticleSide::ParticleSide(const Model& model)
    : forces_(model),
      push_(model.particle_count > 0 ? model.body_count : 0, model.device),
      none_(push_.size(), model.device),
      no_status_(std::max(model.world_count, 1), model.device),
      frozen_(model.world_count + 1, model.device) {}

void ParticleSide::warn(const char* solver, Real dt) {
  if (!any() || warned_ || dt <= forces_.largest_stable_step()) return;
  warned_ = true;
  std::cerr << solver << ": springs, cloth or soft bodies may swing up at steps of " << dt
            << " s; they do not at steps of " << forces_.largest_stable_step() << " s\n";
}

void ParticleSide::set_active(const ActiveWorlds& active) { left_out_ = active.left_out<int>(frozen_.device()); }

void ParticleSide::send_forces(const Queue& queue, const State& in, const Control& control, const Contacts* contacts,
                               Real dt, const Array<std::int32_t>& status) {
  if (!any()) return;
  send_copy(queue, no_status_, status);
  send_copy(queue, none_, push_);
  forces_.send(queue, in, control, contacts, dt, push_);
  forces_.send_motion(queue, in, contacts, dt);
}

void ParticleSide::send_take(const Queue& queue, const State& in, const State& out,
                             const Array<std::int32_t>& status) const {
  if (!any()) return;
  const int* const left_out = left_out_.empty() ? nullptr : left_out_.data();
  launch(queue, static_cast<int>(status.size()), MarkLostWorlds{forces_.is_lost().data(), status.data(), left_out});
  launch(queue, static_cast<int>(frozen_.size()),
         JoinFrozen{forces_.is_lost().data(), status.data(), static_cast<int>(frozen_.size()) - 1, frozen_.data(),
                    left_out});
  forces_.send_take(queue, in, out, frozen_);
}

}  // namespace carom::inline CAROM_PRECISION
