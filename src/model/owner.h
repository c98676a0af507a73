// Whether what a function was given belongs to its model: a model, its copies and all that they make share one
// WorldLayout. Sizes alone would not tell two models apart.
#pragma once

#include "carom/contacts.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

using Owner = std::shared_ptr<const WorldLayout>;

// All throw Error, which names the function, the argument and what is wrong with it.
void check_owner(const char* who, const char* argument, const Owner& given, const Owner& owner);
// And its arrays: they are public, and somebody may have put others in their place.
void check_state(const char* who, const char* argument, const State& state, const Model& model);
void check_control(const char* who, const char* argument, const Control& control, const Model& model);
void check_contacts(const char* who, const char* argument, const Contacts& contacts, const Model& model);
// Those of particles with shapes and among themselves, for solvers that move particles.
void check_contacts_of_particles(const char* who, const char* argument, const Contacts& contacts, const Model& model);
// A timestep [s].
void check_dt(const char* who, Real dt);
// One entry per world, or one more for the global entities.
void check_mask(const char* who, const Owner& owner, std::span<const std::uint8_t> mask);
// The same mask on the device, with an entry for the globals whatever the length it came with.
Array<std::uint8_t> full_mask(const char* who, const Owner& owner, std::span<const std::uint8_t> mask);

}  // namespace carom::inline CAROM_PRECISION
