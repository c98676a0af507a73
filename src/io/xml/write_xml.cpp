// Elements as indented XML.
#include "io/xml/write_xml.h"

#include <charconv>

namespace carom::inline CAROM_PRECISION {

namespace {

template <class T>
std::string shortest_text(T value) {
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string escaped(const std::string& value) {
  std::string result;
  for (const char c : value) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      case '\t': result += "&#9;"; break;
      default: result += c;
    }
  }
  return result;
}

void append_element(std::string& out, const XmlElement& element, std::size_t depth) {
  const std::string indent(2 * depth, ' ');
  out += indent + "<" + element.tag;
  for (const auto& [name, value] : element.attributes) out += " " + name + "=\"" + escaped(value) + "\"";
  if (element.children.empty()) {
    out += element.text.empty() ? "/>\n" : ">" + escaped(element.text) + "</" + element.tag + ">\n";
    return;
  }
  out += ">\n";
  for (const XmlElement& child : element.children) append_element(out, child, depth + 1);
  out += indent + "</" + element.tag + ">\n";
}

}  // namespace

std::string number_text(double value) { return shortest_text(value); }
std::string number_text(float value) { return shortest_text(value); }

std::string xml_text(const XmlElement& root) {
  std::string out;
  append_element(out, root, 0);
  return out;
}

}  // namespace carom::inline CAROM_PRECISION
