#include "io/urdf/attributes.h"

#include <algorithm>
#include <cmath>

#include "io/xml/numbers.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr const char* kXacro = "this is xacro, from which URDF is made; run xacro first: xacro FILE > robot.urdf";

bool is_in(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double number_of(const XmlNode& node, const char* attribute, std::string_view word) {
  double value = 0;
  if (const char* problem = parse_number(word, value)) fail_attribute(node, attribute, "'", word, "' ", problem);
  return value;
}

}  // namespace

void UrdfWarnings::add_unread(const XmlNode& node, const std::string& parent, const std::string& attribute) {
  const std::string kind = parent + "/" + node.name + " " + attribute;
  for (Line& known : lines_)
    if (known.kind == kind) {
      ++known.times;
      return;
    }
  constexpr std::size_t kMostKinds = 100;  // each new one is compared with all others
  if (lines_.size() >= kMostKinds) ++more_;
  else lines_.push_back({kind, at_place(node.place, node.name, attribute) + "is not read", 1});
}

std::vector<std::string> UrdfWarnings::lines() const {
  std::vector<std::string> all;
  for (const Line& line : lines_)
    all.push_back(line.times == 1 ? line.text : text(line.text, " (", line.times, " times)"));
  if (more_ > 0) all.push_back(text("and ", more_, " more elements and attributes are not read"));
  return all;
}

void refuse_xacro(const XmlNode& node) {
  if (node.name.starts_with("xacro:")) fail_at(node, kXacro);
  for (const XmlAttribute& attribute : node.attributes)
    if (attribute.value.find("${") != std::string::npos || attribute.value.find("$(") != std::string::npos)
      fail(at_place(node.place, node.name, attribute.name), "'", attribute.value, "': ", kXacro);
}

void check_known(UrdfReading& in, const XmlNode& node, std::initializer_list<std::string_view> attributes,
                 std::initializer_list<std::string_view> children) {
  refuse_xacro(node);
  for (const XmlAttribute& attribute : node.attributes) {
    if (is_in(attributes, attribute.name) || attribute.name.starts_with("xmlns")) continue;
    in.warnings.add_unread(node, "", attribute.name);
  }
  for (const XmlNode& child : node.children) {
    refuse_xacro(child);
    if (is_in(children, child.name)) continue;
    in.warnings.add_unread(child, node.name);
  }
}

const XmlNode* find_child(const XmlNode& node, std::string_view name) {
  const XmlNode* found = nullptr;
  for (const XmlNode& child : node.children) {
    if (child.name != name) continue;
    if (found) fail_at(child, "stands inside <", node.name, "> twice, on line ", found->place.line, " too");
    found = &child;
  }
  return found;
}

const XmlNode& needed_child(const XmlNode& node, std::string_view name) {
  const XmlNode* found = find_child(node, name);
  if (!found) fail_at(node, "has no <", name, ">");
  return *found;
}

const std::string& needed_text(const XmlNode& node, const char* attribute) {
  const std::string* value = node.find(attribute);
  if (!value) fail_attribute(node, attribute, "is missing");
  if (value->empty()) fail_attribute(node, attribute, "is empty");
  constexpr std::size_t kLongest = 4096;
  if (value->size() > kLongest) fail_attribute(node, attribute, "has more than ", kLongest, " characters");
  return *value;
}

std::string optional_name(const XmlNode& node) {
  const std::string* value = node.find("name");
  return value && !value->empty() ? needed_text(node, "name") : "";
}

std::optional<double> optional_number(const XmlNode& node, const char* attribute) {
  const std::string* value = node.find(attribute);
  if (!value) return {};
  std::string_view line = *value;
  const std::string_view word = take_word(line);
  if (!take_word(line).empty()) fail_attribute(node, attribute, "'", *value, "' is not one number");
  return number_of(node, attribute, word);
}

double needed_number(const XmlNode& node, const char* attribute) {
  const std::optional<double> value = optional_number(node, attribute);
  if (!value) fail_attribute(node, attribute, "is missing");
  return *value;
}

double number_or(const XmlNode& node, const char* attribute, double otherwise) {
  return optional_number(node, attribute).value_or(otherwise);
}

double positive_number(const XmlNode& node, const char* attribute) {
  const double value = needed_number(node, attribute);
  if (!(value > 0)) fail_attribute(node, attribute, "must be positive, is ", value);
  return value;
}

std::optional<double> optional_size(const XmlNode& node, const char* attribute) {
  const std::optional<double> value = optional_number(node, attribute);
  if (value && *value < 0) fail_attribute(node, attribute, "must not be negative, is ", *value);
  return value;
}

Vec3d vector_or(const XmlNode& node, const char* attribute, Vec3d otherwise) {
  const std::string* value = node.find(attribute);
  if (!value) return otherwise;
  std::string_view line = *value;
  Vec3d result;
  for (int k = 0; k < 3; ++k) {
    const std::string_view word = take_word(line);
    if (word.empty()) fail_attribute(node, attribute, "expected 3 numbers, has ", k);
    result[k] = number_of(node, attribute, word);
  }
  if (!take_word(line).empty()) fail_attribute(node, attribute, "expected 3 numbers, has more");
  return result;
}

double number_in_text(const XmlNode& node) {
  std::string_view line = node.text;
  double value = 0;
  const char* problem = parse_number(take_word(line), value);
  if (problem || !take_word(line).empty()) fail_at(node, "'", node.text, "' is not one number");
  return value;
}

Quatd quat_from_rpy(Vec3d rpy) {
  Quatd q{};
  for (int k = 0; k < 3; ++k) {
    Quatd turn{0, 0, 0, std::cos(rpy[k] / 2)};
    turn[k] = std::sin(rpy[k] / 2);
    q = turn * q;
  }
  return q;
}

// Roll and pitch are those that are left when the yaw is taken back, so an unsure yaw, at a pitch of a right angle,
// does no harm.
Vec3d rpy_from_quat(Quatd q) {
  const Mat33d R = mat33_from_quat(normalize(q));
  const double yaw = std::atan2(R[1][0], R[0][0]);
  const Vec3d x = R[0] * std::cos(yaw) + R[1] * std::sin(yaw), y = R[1] * std::cos(yaw) - R[0] * std::sin(yaw);
  return {std::atan2(-y.z, y.y), std::atan2(-R[2][0], x.x), yaw};
}

Transformd read_origin(UrdfReading& in, const XmlNode& node) {
  const XmlNode* origin = find_child(node, "origin");
  if (!origin) return {};
  check_known(in, *origin, {"xyz", "rpy"}, {});
  return {vector_or(*origin, "xyz", {}), quat_from_rpy(vector_or(*origin, "rpy", {}))};
}

}  // namespace carom::inline CAROM_PRECISION
