#include "cli/controls.h"

#include <algorithm>
#include <limits>

#include "cli/npz.h"
#include "scenes/random_controls.h"

namespace carom::cli {

namespace {

constexpr int kNever = std::numeric_limits<int>::max();

const NpzArray* find_array(const std::vector<NpzArray>& arrays, const std::string& name) {
  const auto found = std::find_if(arrays.begin(), arrays.end(), [&](const NpzArray& a) { return a.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

}  // namespace

Controls::Controls(const Model& model, const std::string& what, std::uint64_t seed, int hold)
    : model_(model), control_(model.control()), seed_(seed), hold_(hold) {
  if (what == "zero") return;
  kind_ = what == "random" ? Kind::kRandom : Kind::kRecorded;
  if (kind_ == Kind::kRandom) return;
  if (!what.ends_with(".npz"))
    throw Error("--controls '" + what + "': use zero, random, or an .npz file with an array ctrl");
  read(what);
}

// ctrl: a row of inputs, of all worlds or of one, for every step that ctrl_step names; without that for each step.
void Controls::read(const std::string& path) {
  const std::vector<NpzArray> arrays = read_npz(path);
  const NpzArray *ctrl = find_array(arrays, "ctrl"), *steps = find_array(arrays, "ctrl_step");
  if (!ctrl) throw Error("'" + path + "' has no array ctrl");
  recorded_ = numbers_of(*ctrl);
  const auto rows = static_cast<std::size_t>(row_count(*ctrl));
  row_size_ = rows > 0 ? recorded_.size() / rows : 0;
  const std::size_t all = static_cast<std::size_t>(model_.ctrl_count);
  const std::size_t one = model_.world_count > 0 ? all / static_cast<std::size_t>(model_.world_count) : all;
  if (rows == 0 || (row_size_ != all && row_size_ != one))
    throw Error("'" + path + "': ctrl has " + std::to_string(rows) + " rows of " + std::to_string(row_size_) +
                " numbers; the model has " + std::to_string(one) + " inputs in each of " +
                std::to_string(model_.world_count) + " worlds");
  if (steps) {
    for (const double step : numbers_of(*steps))
      recorded_step_.push_back(step >= 0 && step < kNever ? static_cast<int>(step) : -1);
  } else {
    for (std::size_t i = 0; i < rows; ++i) recorded_step_.push_back(static_cast<int>(i));
  }
  if (recorded_step_.size() != rows || !std::is_sorted(recorded_step_.begin(), recorded_step_.end()) ||
      recorded_step_.front() < 0)
    throw Error("'" + path + "': ctrl_step must be as many steps as ctrl has rows, in rising order");
}

int Controls::next_change(int step) const {
  if (kind_ == Kind::kZero) return kNever;
  if (kind_ == Kind::kRandom) return step < kNever - hold_ ? step - step % hold_ + hold_ : kNever;
  const auto next = std::upper_bound(recorded_step_.begin(), recorded_step_.end(), step);
  return next == recorded_step_.end() ? kNever : *next;
}

bool Controls::set(int step) {
  if (kind_ == Kind::kZero) return step == 0;
  if (kind_ == Kind::kRandom) {
    if (step % hold_ != 0) return false;
    scenes::random_controls(model_, control_, seed_, static_cast<std::uint64_t>(step / hold_));
    return true;
  }
  const auto found = std::lower_bound(recorded_step_.begin(), recorded_step_.end(), step);
  if (found == recorded_step_.end() || *found != step) return false;
  const auto row = static_cast<std::size_t>(found - recorded_step_.begin());
  for (std::int64_t i = 0; i < control_.ctrl.size(); ++i)
    control_.ctrl[i] = static_cast<Real>(recorded_[row * row_size_ + static_cast<std::size_t>(i) % row_size_]);
  return true;
}

}  // namespace carom::cli
