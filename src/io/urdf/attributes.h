// Attributes of URDF elements: numbers, vectors, names; and what is neither read nor known.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "io/urdf/spec.h"

namespace carom::inline CAROM_PRECISION {

// A warning for each attribute and child that is in none of the lists; an Error where the text is xacro's. Children
// that are no part of the motion, and known, are in the list, too.
void check_known(UrdfReading& in, const XmlNode& node, std::initializer_list<std::string_view> attributes,
                 std::initializer_list<std::string_view> children);

void refuse_xacro(const XmlNode& node);

const XmlNode* find_child(const XmlNode& node, std::string_view name);  // nullptr: there is none; Error: there are two
const XmlNode& needed_child(const XmlNode& node, std::string_view name);

const std::string& needed_text(const XmlNode& node, const char* attribute);  // not empty, and not too long
std::string optional_name(const XmlNode& node);                              // "": it has none
std::optional<double> optional_number(const XmlNode& node, const char* attribute);
double needed_number(const XmlNode& node, const char* attribute);
double number_or(const XmlNode& node, const char* attribute, double otherwise);
double positive_number(const XmlNode& node, const char* attribute);
// 0 or more.
std::optional<double> optional_size(const XmlNode& node, const char* attribute);
Vec3d vector_or(const XmlNode& node, const char* attribute, Vec3d otherwise);
double number_in_text(const XmlNode& node);  // between the tags

// <origin>: xyz, and rpy about the fixed axes x, y, z, one after the other. Without one: no displacement.
Transformd read_origin(UrdfReading& in, const XmlNode& node);
Quatd quat_from_rpy(Vec3d rpy);
Vec3d rpy_from_quat(Quatd q);

// "robot.urdf:12: <joint>: attribute 'x': " and the rest.
template <class... Parts>
[[noreturn]] void fail_attribute(const XmlNode& node, const char* attribute, const Parts&... parts) {
  fail(at_place(node.place, node.name, attribute), parts...);
}

}  // namespace carom::inline CAROM_PRECISION
