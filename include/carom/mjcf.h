// From MJCF files to models.
#pragma once

#include <string>
#include <vector>

#include "carom/mjcf_files.h"

namespace carom::inline CAROM_PRECISION {

// Everything in the source, or in what was read from it, into the current world of a builder, or global outside of one.
// Returns what ReadMjcf has as warnings, and what args.ignore left out.
std::vector<std::string> add_mjcf(ModelBuilder& builder, const MjcfSource& source, const MjcfArgs& args = {},
                                  const AddArgs& place = {});
std::vector<std::string> add_mjcf(ModelBuilder& builder, ReadMjcf read, const MjcfArgs& args = {},
                                  const AddArgs& place = {});

// A model of one world. warnings: takes those of add_mjcf(), which are written to the standard error without it.
Model load_mjcf(const MjcfSource& source, const MjcfArgs& args = {}, std::vector<std::string>* warnings = nullptr);
Model load_mjcf(const std::string& path, const MjcfArgs& args = {}, std::vector<std::string>* warnings = nullptr);

// Finds what read.length_search asks for, as MuJoCo's compiler does, and leaves nothing to be found: add_mjcf() calls
// it. Throws Error where an actuator has no shortest or no longest length.
void find_length_ranges(ReadMjcf& read, const MjcfArgs& args = {});

}  // namespace carom::inline CAROM_PRECISION
