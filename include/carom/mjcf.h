// MJCF files, MuJoCo's models as XML, read without MuJoCo: text to compiled numbers (CompiledMjcf), and these to a
// model.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "carom/compiled_mjcf.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// What a file may ask for, so that hostile ones end soon and with an error.
struct MjcfLimits {
  std::size_t bytes = std::size_t{1} << 28;  // of all files together
  int depth = 1000;                          // of elements inside elements
  int elements = 2'000'000;                  // after includes and replicates
  int files = 1000;
};

// An XML file, or the text of one; files that a text names are looked for in `folder`.
struct MjcfSource {
  std::string path{};  // empty: `text` is read
  std::string text{};
  std::string folder{};
  MjcfLimits limits{};
};

// What a file has for its users alone, by name: <custom> with numeric, text and tuple.
struct MjcfTupleElement {
  std::string type, name;
  double number = 0;
};
struct MjcfCustom {
  std::map<std::string, std::vector<double>> numbers{};
  std::map<std::string, std::string> texts{};
  std::map<std::string, std::vector<MjcfTupleElement>> tuples{};
};

struct ReadMjcf {
  CompiledMjcf model;
  std::vector<std::string> warnings;  // what was not understood and leaves the motion alone
  MjcfCustom custom{};
};

// The numbers that MuJoCo's compiler makes of the file. Throws Error for XML that is none and for what would change the
// motion and is not understood, with file, line, element and attribute.
ReadMjcf read_mjcf(const MjcfSource& source);

// A state that a file names, in the order and with the conventions of the model that import_mjcf() makes: quaternions
// xyzw, poses of mocap bodies among the coordinates.
struct Keyframe {
  std::string name{};
  double time = 0;
  std::vector<Real> joint_q{}, joint_qd{}, act{}, ctrl{};
};
std::vector<Keyframe> mjcf_keyframes(const CompiledMjcf& model);
std::vector<Keyframe> load_keyframes(const MjcfSource& source);

// A model of one world.
Model load_mjcf(const std::string& path, const MjcfArgs& args = {}, const MjcfLimits& limits = {});

}  // namespace carom::inline CAROM_PRECISION
