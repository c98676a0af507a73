// CollisionConfig: what is checked of it.
#pragma once

#include "carom/collide.h"

namespace carom::inline CAROM_PRECISION {

// All throw Error, which names the number.
void check_soft_margin(const char* who, Real margin);
void check_config(const CollisionConfig& config);
// Contacts that a pipeline remembers have to be those that this one would have found.
void check_same_points(const CollisionConfig& remembered, const CollisionConfig& own);

}  // namespace carom::inline CAROM_PRECISION
