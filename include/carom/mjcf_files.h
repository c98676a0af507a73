// MJCF files, MuJoCo's models as XML, read without MuJoCo to compiled numbers (CompiledMjcf), and written from models.
// From a file to a model: carom/mjcf.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "carom/compiled_mjcf.h"
#include "carom/file_limits.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

struct MjcfLimits : FileLimits {
  std::int64_t steps = std::int64_t{1} << 28;  // of bodies and degrees of freedom, to find lengths of muscles
};

// An XML file, or the text of one; files that a text names are looked for in `folder`.
struct MjcfSource {
  std::string path{};  // empty: `text` is read
  std::string text{};
  std::string folder{};
  std::string root{};  // a folder outside of which no file is read, whatever names and links say; empty: anywhere
  // What the user says over the file: children of the world without joints are free, or free ones do not move.
  std::optional<bool> floating{};
  double density = 1000;  // of geoms for which the file gives neither a density nor a mass [kg/m^3]
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

// Actuators whose lengths are not known yet, and how a simulation pulls at them to find the shortest and the longest:
// <compiler><lengthrange>, with its words.
struct MjcfLengthSearch {
  std::vector<int> actuators{};
  double accel = 20;                      // norm of the accelerations that a pull gives [m/s^2], [rad/s^2]
  double maxforce = 0;                    // norm of its forces, at most [N], [N m]; 0: any
  double timeconst = 1;                   // in which velocities fall to 1/e [s]
  double timestep = 0.01, inttotal = 10;  // of the simulation [s]
  double interval = 2;                    // at its end, in which lengths are looked at [s]
  double tolrange = 0.05;                 // by how much they may differ in there, as a share of the range
};

struct ReadMjcf {
  CompiledMjcf model;
  MjcfLengthSearch length_search{};     // actuator_lengthrange of its actuators is still to be found
  MjcfPlaces places{};                  // of the rows of the model
  std::vector<std::string> warnings{};  // what was not understood and leaves the motion alone
  MjcfCustom custom{};
};

// The numbers that MuJoCo's compiler makes of the file, but for those that want a simulation: find_length_ranges()
// (carom/mjcf.h). Throws Error for XML that is none and for what would change the motion and is not understood, with
// file, line, element and attribute.
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

// One world of a model as MJCF, which MuJoCo reads back to the same dynamics; world -1: the only one. Throws Error,
// which names it, for what MJCF cannot say. save_mjcf() writes it to a file.
std::string to_mjcf(const Model& model, int world = -1);
void save_mjcf(const Model& model, const std::string& path, int world = -1);

}  // namespace carom::inline CAROM_PRECISION
