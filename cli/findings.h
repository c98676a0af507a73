// What `carom check` has to say about a model: settings that are allowed and still seldom meant. Each finding names
// what it is about, with the number that was found and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom::cli {

enum class Severity { kNote, kWarning, kError };  // notes leave the exit code alone
const char* severity_name(Severity severity);     // "note", "warning", "error"

struct Finding {
  Severity severity = Severity::kWarning;
  std::string kind;    // "overlap": findings of a kind have the same advice
  std::string name;    // key of what it is about, or of two things
  double value = 0;    // the number that is suspicious; its unit is in the text
  std::string text;    // what was found
  std::string advice;  // what to do
};

// Where the worlds begin.
struct Start {
  State state;
  std::string name;  // "the start", "the keyframe 'home'"
};

// Shapes that overlap at the start, and shapes that slip through each other between two steps.
void find_overlaps(const Model& model, const Start& start, std::vector<Finding>& findings);
void find_thin_shapes(const Model& model, std::vector<Finding>& findings);
// Springs, servos, dampers, contacts and limits that are too stiff for the timestep.
void find_stiff_forces(const Model& model, std::vector<Finding>& findings);
void find_stiff_constraints(const Model& model, std::vector<Finding>& findings);
// Heavy loads on light links; motors that may do anything; joints that begin beyond their limits; a first step that
// fails.
void find_mass_ratios(const Model& model, std::vector<Finding>& findings);
void find_unlimited_motors(const Model& model, std::vector<Finding>& findings);
void find_starts_beyond_limits(const Model& model, const Start& start, std::vector<Finding>& findings);
void find_failing_step(const Model& model, const Start& start, std::vector<Finding>& findings);

// All of them. Of worlds that have the same structure all but find_overlaps() and find_failing_step() look at the
// first.
std::vector<Finding> find_all(const Model& model, const Start& start);
// Whether a world, or that of the globals, is the first one of its structure.
bool is_examined(const Model& model, int world);

}  // namespace carom::cli
