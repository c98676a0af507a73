// What a model may ask of a solver beside bodies, trees of joints and contacts, which every solver has. A solver
// declares its features (SolverAbilities); a model with others it refuses by the name of what has them. The tables in
// docs/solvers.md are printed from here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "carom/platform.h"

namespace carom::inline CAROM_PRECISION {

struct Model;

enum class Feature : std::int32_t {
  kDistanceJoints,
  kHeldDistanceJoints,
  kFreeJointSprings,
  kFreeJointDrives,
  kFreeJointLimits,
  kBallJointLowerLimits,
  kTurningEffortLimits,
  kUnevenTurning,
  kYieldingSprings,
  kYieldingFreeSprings,
  kNonlinearSprings,
  kVelocityLimits,
  kDisabledJoints,
  kActuators,
  kActuatorTargets,
  kActuatorLaws,
  kActuatorDelays,
  kTendons,
  kEqualities,
  kTendonEqualities,
  kGravcomp,
  kFluids,
  kSleep,
  kContactPairs,
  kAdhesion,
  kSurfaceVelocity,
  kParticles,
  kGlobalBodies,
  kCount,
};

// A set of them.
struct Features {
  std::uint32_t bits = 0;

  constexpr Features() = default;
  constexpr Features(std::initializer_list<Feature> list) {
    for (const Feature f : list) bits |= std::uint32_t{1} << static_cast<int>(f);
  }
  constexpr bool has(Feature f) const { return (bits >> static_cast<int>(f) & 1) != 0; }
};
static_assert(static_cast<int>(Feature::kCount) <= 32);

// In words: "tendons".
const char* feature_name(Feature feature);

struct SolverAbilities {
  const char* coordinates;  // in which it moves bodies, and how joints hold them
  const char* contacts;     // what they are, with the numbers of the material that count
  Features features;
};

// Throws Error for a model that has what is not among the features, with the name of the solver's class, of what has
// it, and of the solvers that support it.
void check_features(const char* solver, const Model& model, const Features& features);

}  // namespace carom::inline CAROM_PRECISION
