// The root of a model's XML, and the attributes of one element, checked against the table and laid over those of its
// default class.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "carom/mjcf_files.h"
#include "io/mjcf/rows.h"
#include "io/mjcf/table.h"
#include "io/xml/xml.h"

namespace carom::inline CAROM_PRECISION {

// The root of a source with every <include> replaced by what it names. `folder`: of the files that it names. `where`:
// who names the source, for errors.
XmlNode parse_with_includes(const MjcfSource& source, XmlBudget& budget, std::string& folder,
                            const std::string& where = "");

struct MjcfValue {
  const MjcfAttributeRule* rule = nullptr;
  std::string text;
  std::vector<double> numbers;  // of words: the place in the list
};

// What is not an error at once.
struct MjcfMessages {
  std::vector<std::string> warnings, unsupported;

  void add(MjcfUse use, const std::string& line);
};

struct MjcfAttributes {
  const MjcfElementRule* rule = nullptr;
  const XmlNode* node = nullptr;  // for messages
  std::vector<MjcfValue> values;

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string text(std::string_view name, const std::string& otherwise = "") const;
  std::string needed_text(std::string_view name) const;
  double number(std::string_view name, double otherwise) const;
  int integer(std::string_view name, int otherwise) const;
  // The place of the word in its list.
  int word(std::string_view name, int otherwise) const { return integer(name, otherwise); }
  bool is_true(std::string_view name, bool otherwise) const { return integer(name, otherwise) != 0; }
  // Writes over the first numbers, as many as are given. False: none is.
  template <std::size_t N>
  bool read(std::string_view name, std::array<double, N>& numbers) const {
    return read(name, numbers.data(), N);
  }
  bool read(std::string_view name, Vec3d& v) const { return read(name, &v.x, 3); }
  bool read(std::string_view name, double& value) const { return read(name, &value, 1); }
  bool read(std::string_view name, double* numbers, std::size_t most) const;
  const MjcfValue* find(std::string_view name) const;  // the name must be in the table

  template <class... Parts>
  [[noreturn]] void fail_at(std::string_view name, const Parts&... parts) const {
    fail(at_place(node->place, node->name, std::string(name)), parts...);
  }
};

// Checks names, counts, numbers and words of a node.
MjcfAttributes read_attributes(const XmlNode& node, const MjcfElementRule& rule, MjcfMessages& messages);
// What is given in `own` covers what `base` says: number by number, and one notation of a rotation all others.
void lay_over(MjcfAttributes& own, const std::vector<MjcfValue>& base);

// -- Poses

struct MjcfAngles {
  bool degrees = true;
  std::string euler_sequence = "xyz";

  double radians(double angle) const { return degrees ? angle * (3.14159265358979323846 / 180) : angle; }
};

struct MjcfPose {
  Vec3d p{};
  Quatd q{};
};
inline MjcfPose operator*(const MjcfPose& a, const MjcfPose& b) { return {a.p + rotate(a.q, b.p), a.q * b.q}; }
inline MjcfPose inverse(const MjcfPose& X) { return {-rotate_inverse(X.q, X.p), conjugate(X.q)}; }

// `pos` and whichever of quat, axisangle, xyaxes, zaxis, euler is given.
MjcfPose read_pose(const MjcfAttributes& attributes, const MjcfAngles& angles);
Quatd quat_from_euler(const Vec3d& euler, const MjcfAngles& angles);
// The shortest turn of the z axis into a direction.
Quatd quat_from_z_axis(Vec3d direction);

}  // namespace carom::inline CAROM_PRECISION
