// The commands of `carom`, one function each. They throw carom::Error; main() prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carom::cli {

struct SolverArgs {
  std::string name;                  // empty: the default one
  std::vector<std::string> options;  // name=value
};

struct DemoArgs {
  int worlds = 2048;
  double seconds = 3;  // simulated
  int threads = 0;     // compared with one thread; 0 = all cores
  std::uint64_t seed = 3;
  std::string out = "humanoid.svg";  // the picture
  std::string save;                  // path of a model file, empty = none
  std::string contacts = "carom";    // or mujoco
  SolverArgs solver;
};
void demo(const DemoArgs& args);

struct InfoArgs {
  std::string path;
  int keys = 0;  // how many keys of each kind to list
};
void info(const InfoArgs& args);

struct InspectArgs {
  std::string path;
  std::string stage = "contacts";    // aabb, pairs, contacts, rows or forces
  std::string broad_phase = "auto";  // nxn, sap, explicit, tree or auto
  std::string contacts = "carom";    // or mujoco
  int world = -1;                    // of this world and the globals; -1 = all
  std::optional<double> dt;          // of the forces [s]; that of the model's options
  int rows = 50;                     // at most, 0 = all
  SolverArgs solver;                 // of the forces
};
void inspect(const InspectArgs& args);

struct CheckArgs {
  std::string path;
  std::string keyframe;  // where it begins: name or number; empty = at the initial state
  bool json = false;
  int rows = 3;  // findings of one kind that are shown, 0 = all
};
// 0 nothing but notes, 1 warnings, 2 errors.
int check(const CheckArgs& args);

struct RunArgs {
  std::string path;
  std::optional<int> worlds;  // of MJCF and URDF files
  int steps = 1000;
  int threads = 0;  // 0 = all cores
  std::string device = "cpu";
  std::string keyframe;             // where it begins: name or number; empty = at the initial state
  std::string controls = "random";  // zero, random, keyframe, or an .npz file
  std::uint64_t seed = 3;
  int hold = 20;                   // steps with the same random controls
  std::string record;              // .npz or .csv file, empty = none
  int every = 1;                   // steps between two samples of the record
  std::string picture;             // .svg file, empty = none
  std::string plot;                // likewise
  std::string contacts = "carom";  // or mujoco
  bool json = false;
  SolverArgs solver;
};
// 0, or 1 when numbers of a world were not finite.
int run_model(const RunArgs& args);

struct EventsArgs {
  std::string path;
  std::optional<int> worlds;  // of MJCF and URDF files
  double until = 1;           // [s]
  std::optional<double> tolerance;
  std::string method, response, hits;  // empty: the default
  std::optional<double> stick_speed, slide_speed, stiffness_scale;
  std::vector<std::string> materials;  // key=name
  std::string keyframe;                // where it begins: name or number; empty = at the initial state
  std::string csv;                     // file of the events, empty = none
  std::string plot;                    // .svg file, likewise
  int rows = 40;                       // of the table, at most; 0 = all
  bool json = false;
};
void events(const EventsArgs& args);  // in double precision

struct SensorsArgs {
  std::string path;
  bool json = false;
};
void sensors(const SensorsArgs& args);

struct ConvertArgs {
  std::string from, to;
  std::optional<int> worlds;  // of MJCF and URDF files that are read
  int world = -1;             // of those that are written; -1: the only one
};
void convert(const ConvertArgs& args);

}  // namespace carom::cli
