#include "cli/recording.h"

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

void Recording::add(const State& state, double time) {
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
  const auto samples = static_cast<std::int64_t>(time_.size());
  write_npz(path, {plain("time", time_), shaped("joint_q", Entity::kJointCoord, 1, joint_q_, samples),
                   shaped("joint_qd", Entity::kJointDof, 1, joint_qd_, samples),
                   shaped("body_q", Entity::kBody, 7, body_q_, samples),
                   shaped("ctrl", Entity::kCtrl, 1, ctrl_, static_cast<std::int64_t>(ctrl_step_.size())),
                   plain("ctrl_step", ctrl_step_)});
}

}  // namespace carom::cli
