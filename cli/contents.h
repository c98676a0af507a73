// What is in a model, counted: as lines on the terminal and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "carom/carom.h"

namespace carom::cli {

// Counts of the first world and the globals, by type where there are types; mass [kg].
nlohmann::ordered_json contents(const Model& model);
void print_contents(const Model& model);

}  // namespace carom::cli
