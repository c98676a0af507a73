// XML that is written: numbers as text, and elements with their attributes.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "io/doubles.h"

namespace carom::inline CAROM_PRECISION {

std::string number_text(double value);  // the shortest that reads back as the same number
std::string number_text(float value);
inline std::string number_text(int value) { return std::to_string(value); }
template <class List>
std::string numbers_text(const List& list) {
  std::string line;
  for (const auto& value : list) line += (line.empty() ? "" : " ") + number_text(value);
  return line;
}

struct XmlElement {
  std::string tag;
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::vector<XmlElement> children{};
  std::string text{};  // between the tags, of elements without children

  XmlElement& add(const char* child_tag) { return children.emplace_back(XmlElement{child_tag}); }
  void set(const char* name, const std::string& value) { attributes.emplace_back(name, value); }
  void set(const char* name, const char* value) { attributes.emplace_back(name, value); }
  void set(const char* name, double value) { set(name, number_text(value)); }
  void set(const char* name, float value) { set(name, number_text(value)); }
  void set(const char* name, int value) { set(name, number_text(value)); }
  template <class T>
  void set(const char* name, Vec3T<T> v) {
    set(name, numbers_text(std::array{v.x, v.y, v.z}));
  }
  template <class T, std::size_t N>
  void set(const char* name, const std::array<T, N>& values) {
    set(name, numbers_text(values));
  }
  // Not what a reader takes for granted.
  template <class T>
  void set_unless(const char* name, const T& value, const T& usual) {
    if (!(value == usual)) set(name, value);
  }
};
std::string xml_text(const XmlElement& root);

// Throws Error where it cannot be written; then the file is as it was.
void save_text_file(const std::string& path, const std::string& content);

}  // namespace carom::inline CAROM_PRECISION
