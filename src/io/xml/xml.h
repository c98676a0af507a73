// An XML file as plain nodes that know where they stand; pugixml reads it, and nothing else sees pugixml.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fail.h"
#include "carom/file_limits.h"

namespace carom::inline CAROM_PRECISION {

// Where something stands; `file` is the name shown in messages.
struct XmlPlace {
  std::shared_ptr<const std::string> file;
  int line = 0;
};

struct XmlAttribute {
  std::string name, value;
};

struct XmlNode {
  std::string name;
  std::vector<XmlAttribute> attributes;
  std::vector<XmlNode> children;
  XmlPlace place;
  std::string text{};  // between its tags, without that of its children

  const std::string* find(const char* attribute) const;
};

// "robot.xml:12: <geom>: attribute 'size': " and the rest.
std::string at_place(const XmlPlace& place, const std::string& element, const std::string& attribute = "");
template <class... Parts>
[[noreturn]] void fail_at(const XmlNode& node, const Parts&... parts) {
  fail(at_place(node.place, node.name), parts...);
}

// What has been read so far, counted against the limits.
struct XmlBudget {
  FileLimits limits;
  std::string root{};  // files are read inside it alone; empty: anywhere
  std::size_t bytes = 0;
  int elements = 0, files = 0;
  std::int64_t numbers = 0;

  void count_element(const XmlNode& node);
  // An element is copied: all below it counts.
  void count_tree(const XmlNode& node);
  // Errors begin with `where`. The first is for what lives for a while only.
  void check_numbers(std::int64_t more, const std::string& where) const;
  void count_numbers(std::int64_t more, const std::string& where);
};

// The bytes of a file that a model names; the one place that opens files. Errors begin with `where`, or with the path.
std::string read_text_file(const std::string& path, XmlBudget& budget, const std::string& where = "");
// The root element. `name`: what messages call the text.
XmlNode parse_xml(const std::string& text, const std::string& name, XmlBudget& budget);

}  // namespace carom::inline CAROM_PRECISION
