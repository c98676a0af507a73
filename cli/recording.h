// What `carom run --record` keeps of a run, and writes to an .npz file.
#pragma once

#include <string>
#include <vector>

#include "carom/carom.h"
#include "cli/npz.h"

namespace carom::cli {

//   time                            [s], one per sample, the start among them
//   joint_q, joint_qd, body_q       (samples, worlds, rows of a world[, 7]); (samples, rows[, 7]) of worlds that differ
//   ctrl, ctrl_step                 inputs of actuators, and the steps from which on they count
class Recording {
 public:
  // samples: how many there will be. Throws Error when they are too many for a file.
  Recording(const Model& model, std::int64_t samples);

  void add(const State& state, double time);
  void add_controls(const Control& control, int step);
  void write(const std::string& path) const;

 private:
  NpzArray shaped(const char* name, Entity entity, std::int64_t width, const std::string& bytes,
                  std::int64_t rows) const;

  Model model_;
  std::vector<double> time_;
  std::vector<std::int64_t> ctrl_step_;
  std::string joint_q_, joint_qd_, body_q_, ctrl_;  // bytes
};

}  // namespace carom::cli
