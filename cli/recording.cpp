#include "cli/recording.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iomanip>

#include "cli/usd.h"

namespace carom::cli {

namespace {

constexpr double kMostBytes = 4e9;  // of a zip archive, nearly

template <class T>
void append(std::string& bytes, const Array<T>& array) {
  const Array<T> here = array.on_cpu();
  bytes.append(reinterpret_cast<const char*>(here.data()), static_cast<std::size_t>(here.bytes()));
}

template <class T>
NpzArray plain(const char* name, const std::vector<T>& values) {
  return {name,
          dtype_of<T>(),
          {static_cast<std::int64_t>(values.size())},
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))};
}

template <class T>
T number_at(const std::string& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

// Rows in each of the worlds; -1: they differ, or some are global.
std::int64_t rows_of_each(const Model& model, Entity entity) {
  const std::vector<int>& start = model.layout->start[static_cast<std::size_t>(entity)];
  const std::size_t worlds = static_cast<std::size_t>(model.world_count);
  if (worlds == 0 || start.front() != 0 || start[worlds] != start.back()) return -1;
  for (std::size_t w = 0; w < worlds; ++w)
    if (start[w + 1] - start[w] != start[1] - start[0]) return -1;
  return start[1] - start[0];
}

}  // namespace

Recording::Recording(const Model& model, std::int64_t samples) : model_(model) {
  const double numbers = double(model.joint_coord_count) + model.joint_dof_count + 7.0 * model.body_count;
  if (numbers * static_cast<double>(samples) * sizeof(Real) > kMostBytes)
    throw Error("--record: " + std::to_string(samples) + " samples would have more than 4 GB; use a larger --every");
}

void Recording::list_sensors(const Sensors& sensors) {
  for (const SensorChannel& channel : sensors.channels()) {
    const bool flat = channel.type == SensorType::kContact;
    const int dim = flat ? channel.flat_dim : channel.dim;
    Channel own{channel.key, {}, flat, {}, {}};
    if (model_.world_count > 0) own.shape.push_back(model_.world_count);
    if (!channel.members.empty()) own.shape.push_back(channel.width());
    own.shape.push_back(dim);
    for (int member = 0; member < channel.width(); ++member) {
      const std::string name = channel.members.empty()
                                   ? channel.key
                                   : channel.key + "[" + channel.members[static_cast<std::size_t>(member)] + "]";
      for (int k = 0; k < dim; ++k) own.columns.push_back(dim == 1 ? name : name + "." + std::to_string(k));
    }
    sensors_.push_back(std::move(own));
  }
}

void Recording::add(const Simulation& simulation, double time) {
  const State& state = simulation.state();
  const Sensors& sensors = simulation.sensors();
  if (time_.empty()) list_sensors(sensors);
  sensor_time_.push_back(time_.empty() ? time : time - double{simulation.dt()});
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const int channel = static_cast<int>(i);
    if (sensors_[i].flat) append(sensors_[i].bytes, sensors.flat_values(channel));
    else append(sensors_[i].bytes, sensors.values(channel));
  }
  time_.push_back(time);
  append(joint_q_, state.joint_q);
  append(joint_qd_, state.joint_qd);
  append(body_q_, state.body_q);
}

void Recording::add_controls(const Control& control, int step) {
  ctrl_step_.push_back(step);
  append(ctrl_, control.ctrl);
}

NpzArray Recording::shaped(const char* name, Entity entity, std::int64_t width, const std::string& bytes,
                           std::int64_t rows) const {
  NpzArray array{name, dtype_of<Real>(), {rows}, bytes};
  if (const std::int64_t each = rows_of_each(model_, entity); each >= 0) {
    array.shape.insert(array.shape.end(), {model_.world_count, each});
  } else {
    array.shape.push_back(model_.layout->start[static_cast<std::size_t>(entity)].back());
  }
  if (width > 1) array.shape.push_back(width);
  return array;
}

void Recording::write(const std::string& path) const {
  if (path.ends_with(".csv")) return write_csv(path);
  if (is_usd(path)) return write_usd(path);
  const auto samples = static_cast<std::int64_t>(time_.size());
  std::vector<NpzArray> arrays{plain("time", time_),
                               shaped("joint_q", Entity::kJointCoord, 1, joint_q_, samples),
                               shaped("joint_qd", Entity::kJointDof, 1, joint_qd_, samples),
                               shaped("body_q", Entity::kBody, 7, body_q_, samples),
                               shaped("ctrl", Entity::kCtrl, 1, ctrl_, static_cast<std::int64_t>(ctrl_step_.size())),
                               plain("ctrl_step", ctrl_step_)};
  if (!sensors_.empty()) arrays.push_back(plain("sensor_time", sensor_time_));
  for (const Channel& channel : sensors_) {
    NpzArray array{
        "sensor/" + channel.key, channel.flat ? dtype_of<float>() : dtype_of<Real>(), {samples}, channel.bytes};
    array.shape.insert(array.shape.end(), channel.shape.begin(), channel.shape.end());
    arrays.push_back(std::move(array));
  }
  write_npz(path, arrays);
}

// What it would be as an .npz file, beside the model, is what Python makes a stage of.
void Recording::write_usd(const std::string& path) const {
  const PassingFolder folder;
  const std::string model = folder.file("model.carom"), samples = folder.file("samples.npz");
  model_.save(model);
  write(samples);
  for (const std::string& line : convert_usd(model, path, {}, samples)) std::fprintf(stderr, "%s\n", line.c_str());
}

// A line for each sample of each world, a column for each number of a sensor.
void Recording::write_csv(const std::string& path) const {
  std::ofstream file(path, std::ios::trunc);
  file << "time,world";
  for (const Channel& channel : sensors_)
    for (const std::string& column : channel.columns) file << "," << column;
  file << "\n" << std::setprecision(9);
  const int worlds = std::max(1, model_.world_count);
  for (std::size_t sample = 0; sample < sensor_time_.size(); ++sample) {
    for (int world = 0; world < worlds; ++world) {
      file << sensor_time_[sample] << "," << world;
      for (const Channel& channel : sensors_) {
        const std::size_t first =
            (sample * static_cast<std::size_t>(worlds) + static_cast<std::size_t>(world)) * channel.columns.size();
        for (std::size_t k = 0; k < channel.columns.size(); ++k)
          file << ","
               << (channel.flat ? number_at<float>(channel.bytes, first + k)
                                : number_at<Real>(channel.bytes, first + k));
      }
      file << "\n";
    }
  }
  file.close();
  if (!file) throw Error("--record: cannot write to '" + path + "'");
}

}  // namespace carom::cli
