// The inputs of actuators in `carom run`: zero, random, or those that a run recorded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/carom.h"

namespace carom::cli {

class Controls {
 public:
  // what: "zero", "random" or the path of an .npz file. hold: steps with the same random inputs. The model is one on
  // the CPU.
  Controls(const Model& model, const std::string& what, std::uint64_t seed, int hold);

  // Sets the inputs of a step that changes them; false: it does not, and they stay.
  bool set(int step);
  int next_change(int step) const;  // the first step after this one that changes them
  const Control& control() const { return control_; }

 private:
  enum class Kind { kZero, kRandom, kRecorded };
  void read(const std::string& path);

  Model model_;
  Control control_;
  Kind kind_ = Kind::kZero;
  std::uint64_t seed_;
  int hold_;
  std::vector<double> recorded_;  // rows of them
  std::vector<int> recorded_step_;
  std::size_t row_size_ = 0;  // that of all inputs, or of those of one world
};

}  // namespace carom::cli
