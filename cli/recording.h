// What `carom run --record` keeps of a run, and writes to an .npz file; of sensors alone also to a .csv file, of poses
// alone also to a USD stage.
#pragma once

#include <string>
#include <vector>

#include "carom/carom.h"
#include "cli/npz.h"

namespace carom::cli {

//   time                            [s], one per sample, the start among them
//   joint_q, joint_qd, body_q       (samples, worlds, rows of a world[, 7]); (samples, rows[, 7]) of worlds that differ
//   ctrl, ctrl_step                 inputs of actuators, and the steps from which on they count
//   sensor/KEY, sensor_time         (samples, worlds, [members,] numbers) of every sensor, contact sensors in the flat
//                                   layout, and the instants they belong to: the beginning of the step before
class Recording {
 public:
  // samples: how many there will be. Throws Error when they are too many for a file.
  Recording(const Model& model, std::int64_t samples);

  void add(const Simulation& simulation, double time);
  void add_controls(const Control& control, int step);
  void write(const std::string& path) const;

 private:
  void list_sensors(const Sensors& sensors);
  void write_csv(const std::string& path) const;
  void write_usd(const std::string& path) const;
  NpzArray shaped(const char* name, Entity entity, std::int64_t width, const std::string& bytes,
                  std::int64_t rows) const;

  Model model_;
  std::vector<double> time_;
  std::vector<std::int64_t> ctrl_step_;
  std::string joint_q_, joint_qd_, body_q_, ctrl_;  // bytes
  struct Channel {
    std::string key;
    std::vector<std::string> columns;  // of one world
    bool flat;
    std::vector<std::int64_t> shape;  // of a sample
    std::string bytes;
  };
  std::vector<Channel> sensors_;
  std::vector<double> sensor_time_;
};

}  // namespace carom::cli
