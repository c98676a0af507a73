// Attributes of elements: text to numbers and words.
#include "io/mjcf/attributes.h"

#include <algorithm>
#include <cmath>

#include "io/xml/numbers.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr std::string_view kTurns[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};

bool is_turn(std::string_view name) {
  return std::find(std::begin(kTurns), std::end(kTurns), name) != std::end(kTurns);
}

double ruled_number(std::string_view word, const XmlNode& node, const MjcfAttributeRule& rule) {
  double value = 0;
  const char* problem = parse_number(word, value);
  if (!problem && rule.type == MjcfType::kIntegers && (value != std::floor(value) || std::abs(value) > 2147483647.0))
    problem = "is not an integer";
  if (problem) fail(at_place(node.place, node.name, rule.name), "'", word, "' ", problem);
  return value;
}

std::vector<double> parse_numbers(std::string_view line, const XmlNode& node, const MjcfAttributeRule& rule) {
  std::vector<double> numbers;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
    numbers.push_back(ruled_number(word, node, rule));
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (count < rule.least || count > rule.most)
    fail(at_place(node.place, node.name, rule.name), "expected ", rule.least,
         rule.most > rule.least ? text(" to ", rule.most) : "", " numbers, has ", count);
  return numbers;
}

int parse_word(const std::string& word, const XmlNode& node, const MjcfAttributeRule& rule) {
  const auto found = std::find(rule.words.begin(), rule.words.end(), word);
  if (found != rule.words.end()) return static_cast<int>(found - rule.words.begin());
  std::string list;
  for (const std::string& known : rule.words) list += (list.empty() ? "" : ", ") + known;
  fail(at_place(node.place, node.name, rule.name), "'", word, "' is none of: ", list);
}

}  // namespace

void MjcfMessages::add(MjcfUse use, const std::string& line) {
  if (use == MjcfUse::kLater) warnings.push_back(line);
  if (use == MjcfUse::kUnsupported) unsupported.push_back(line);
}

const MjcfValue* MjcfAttributes::find(std::string_view name) const {
  if (!rule->find(name)) fail("the table of MJCF: <", rule->id, "> has no attribute '", name, "'");
  for (const MjcfValue& value : values)
    if (value.rule->name == name) return &value;
  return nullptr;
}

std::string MjcfAttributes::text(std::string_view name, const std::string& otherwise) const {
  const MjcfValue* value = find(name);
  return value ? value->text : otherwise;
}

std::string MjcfAttributes::needed_text(std::string_view name) const {
  const MjcfValue* value = find(name);
  if (!value || value->text.empty()) fail_at(name, "is missing");
  return value->text;
}

double MjcfAttributes::number(std::string_view name, double otherwise) const {
  const MjcfValue* value = find(name);
  return value ? value->numbers.front() : otherwise;
}

int MjcfAttributes::integer(std::string_view name, int otherwise) const {
  const MjcfValue* value = find(name);
  return value ? static_cast<int>(value->numbers.front()) : otherwise;
}

bool MjcfAttributes::read(std::string_view name, double* numbers, std::size_t most) const {
  const MjcfValue* value = find(name);
  if (!value) return false;
  std::copy_n(value->numbers.begin(), std::min(value->numbers.size(), most), numbers);
  return true;
}

MjcfAttributes read_attributes(const XmlNode& node, const MjcfElementRule& rule, MjcfMessages& messages) {
  MjcfAttributes result{&rule, &node, {}};
  for (const XmlAttribute& attribute : node.attributes) {
    const MjcfAttributeRule* known = rule.find(attribute.name);
    const std::string where = at_place(node.place, node.name, attribute.name);
    if (!known) fail(where, "is unknown");
    messages.add(known->use, where + "is not supported");
    // Copies of a model have names with parts of all that they are in.
    constexpr std::size_t kLongest = 4096;
    if (known->type == MjcfType::kText && attribute.name != "data" && attribute.value.size() > kLongest)
      fail(where, "has more than ", kLongest, " characters");
    MjcfValue value{known, attribute.value, {}};
    if (known->type == MjcfType::kWord) value.numbers = {double(parse_word(attribute.value, node, *known))};
    else if (known->type != MjcfType::kText) value.numbers = parse_numbers(attribute.value, node, *known);
    result.values.push_back(std::move(value));
  }
  return result;
}

void lay_over(MjcfAttributes& own, const std::vector<MjcfValue>& base) {
  const bool turns = std::any_of(own.values.begin(), own.values.end(),
                                 [](const MjcfValue& value) { return is_turn(value.rule->name); });
  for (const MjcfValue& value : base) {
    if (turns && is_turn(value.rule->name)) continue;
    const auto same = std::find_if(own.values.begin(), own.values.end(),
                                   [&](const MjcfValue& candidate) { return candidate.rule == value.rule; });
    if (same == own.values.end()) own.values.push_back(value);
    else if (value.rule->most > 1 && value.rule->type == MjcfType::kNumbers)
      for (std::size_t k = same->numbers.size(); k < value.numbers.size(); ++k)
        same->numbers.push_back(value.numbers[k]);
  }
}

Quatd quat_from_euler(const Vec3d& euler, const MjcfAngles& angles) {
  Quatd q{};
  for (int k = 0; k < 3; ++k) {
    const char letter = angles.euler_sequence[static_cast<std::size_t>(k)];
    const bool fixed_axes = letter < 'a';  // capital letters
    const char axis = fixed_axes ? static_cast<char>(letter - 'A' + 'a') : letter;
    const double half = angles.radians(euler[k]) / 2;
    Quatd turn{0, 0, 0, std::cos(half)};
    turn[axis - 'x'] = std::sin(half);
    q = fixed_axes ? turn * q : q * turn;
  }
  return q;
}

Quatd quat_from_z_axis(Vec3d direction) {
  const Vec3d z = direction * (1 / length(direction));
  Vec3d axis = cross(Vec3d{0, 0, 1}, z);
  const double s = length(axis);
  // Along z there is no axis to turn about, unless it is the other way round: then any.
  axis = s < 1e-10 ? Vec3d{1, 0, 0} : axis * (1 / s);
  const double angle = std::atan2(s, z.z);
  const double sine = std::sin(angle / 2);
  return {axis.x * sine, axis.y * sine, axis.z * sine, std::cos(angle / 2)};
}

namespace {

// Of a rotation matrix, by its largest component; that one is positive.
Quatd quat_from_columns(Vec3d x, Vec3d y, Vec3d z) {
  const double squares[] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z};
  const bool by_w = x.x + y.y + z.z > 0;
  const int largest = by_w ? 3 : x.x > y.y && x.x > z.z ? 0 : y.y > z.z ? 1 : 2;
  const double twice = std::sqrt(squares[largest]), part = 0.5 / twice;
  switch (largest) {
    case 0: return normalize(Quatd{twice / 2, part * (y.x + x.y), part * (z.x + x.z), part * (y.z - z.y)});
    case 1: return normalize(Quatd{part * (y.x + x.y), twice / 2, part * (z.y + y.z), part * (z.x - x.z)});
    case 2: return normalize(Quatd{part * (z.x + x.z), part * (z.y + y.z), twice / 2, part * (x.y - y.x)});
    default: return normalize(Quatd{part * (y.z - z.y), part * (z.x - x.z), part * (x.y - y.x), twice / 2});
  }
}

Quatd quat_from_frame_axes(const MjcfAttributes& attributes) {
  std::array<double, 6> xy;
  attributes.read("xyaxes", xy);
  const Vec3d x_given{xy[0], xy[1], xy[2]}, y_given{xy[3], xy[4], xy[5]};
  if (length(x_given) < 1e-14) attributes.fail_at("xyaxes", "the x axis is too short");
  const Vec3d x = x_given * (1 / length(x_given));
  const Vec3d across = y_given - x * dot(x, y_given);
  if (length(across) < 1e-14) attributes.fail_at("xyaxes", "the y axis is along the x axis, or too short");
  const Vec3d y = across * (1 / length(across)), z = cross(x, y);
  return quat_from_columns(x, y, z);
}

Quatd quat_from_axis_and_angle(const MjcfAttributes& attributes, const MjcfAngles& angles) {
  std::array<double, 4> given;
  attributes.read("axisangle", given);
  const Vec3d axis{given[0], given[1], given[2]};
  if (length(axis) < 1e-14) attributes.fail_at("axisangle", "the axis is too short");
  const double half = angles.radians(given[3]) / 2;
  const Vec3d v = axis * (std::sin(half) / length(axis));
  return {v.x, v.y, v.z, std::cos(half)};
}

}  // namespace

MjcfPose read_pose(const MjcfAttributes& attributes, const MjcfAngles& angles) {
  MjcfPose pose;
  attributes.read("pos", pose.p);
  Vec3d v;
  if (attributes.has("quat")) {
    std::array<double, 4> wxyz{1, 0, 0, 0};
    attributes.read("quat", wxyz);
    pose.q = quat(wxyz.data());
    if (dot(pose.q, pose.q) < 1e-28) attributes.fail_at("quat", "is zero");
    pose.q = normalize(pose.q);
  }
  if (attributes.has("axisangle")) pose.q = quat_from_axis_and_angle(attributes, angles);
  if (attributes.has("xyaxes")) pose.q = quat_from_frame_axes(attributes);
  if (attributes.read("zaxis", v)) {
    if (length(v) < 1e-14) attributes.fail_at("zaxis", "is too short");
    pose.q = quat_from_z_axis(v);
  }
  if (attributes.read("euler", v)) pose.q = quat_from_euler(v, angles);
  return pose;
}

}  // namespace carom::inline CAROM_PRECISION
