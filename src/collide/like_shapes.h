// LikeShapes: which shapes lanes can place side by side, and which of them have the same numbers.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

class LikeShapes {
 public:
  explicit LikeShapes(const Model& model);

  // Both have bodies and ends, and are of one type.
  bool one_formula(int a, int b) const {
    return body_[a] >= 0 && body_[b] >= 0 && type_[a] == type_[b] && type_[a] != static_cast<int>(ShapeType::kPlane);
  }
  // The same shape of the first world of the archetype if what places it is the same there, itself otherwise.
  int first_of_kind(int shape) const { return first_of_kind_[shape]; }

 private:
  Array<int> body_, type_;
  std::vector<int> first_of_kind_;
};

}  // namespace carom::inline CAROM_PRECISION
