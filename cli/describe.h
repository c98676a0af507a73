// Tables about a model that several commands print.
#pragma once

#include "carom/carom.h"

namespace carom::cli {

void print_counts(const Model& model);
void print_archetypes(const Model& model);

}  // namespace carom::cli
