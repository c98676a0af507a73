// XML through pugixml: it expands no entities of a document and its parser does not call itself, so what is left to
// bound is the number of bytes and elements and the depth, on the way to our own nodes.
#include "io/mjcf/xml.h"

#include <algorithm>
#include <fstream>
#include <pugixml.hpp>
#include <set>

namespace carom::inline CAROM_PRECISION {

const std::string* XmlNode::find(const char* attribute) const {
  for (const XmlAttribute& candidate : attributes)
    if (candidate.name == attribute) return &candidate.value;
  return nullptr;
}

std::string at_place(const XmlPlace& place, const std::string& element, const std::string& attribute) {
  const std::string where = place.file ? text(*place.file, ":", place.line, ": ") : "";
  return where + "<" + element + ">: " + (attribute.empty() ? "" : "attribute '" + attribute + "': ");
}

void XmlBudget::count_element(const XmlNode& node) {
  if (++elements > limits.elements) fail_at(node, "more than ", limits.elements, " elements (limits.elements)");
}

void XmlBudget::count_tree(const XmlNode& node) {
  count_element(node);
  for (const XmlNode& child : node.children) count_tree(child);
}

std::string read_text_file(const std::string& path, XmlBudget& budget) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, ": cannot be opened");
  std::string content;
  std::vector<char> block(1 << 16);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    content.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (budget.bytes + content.size() > budget.limits.bytes)
      fail(path, ": more than ", budget.limits.bytes, " bytes in all (limits.bytes)");
  }
  if (file.bad()) fail(path, ": cannot be read");
  budget.bytes += content.size();
  return content;
}

namespace {

// Lines of offsets in a text.
class LineNumbers {
 public:
  explicit LineNumbers(const std::string& content) {
    for (std::size_t i = 0; i < content.size(); ++i)
      if (content[i] == '\n') ends_.push_back(static_cast<std::ptrdiff_t>(i));
  }
  int of(std::ptrdiff_t offset) const {
    return 1 + static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
  }

 private:
  std::vector<std::ptrdiff_t> ends_;
};

struct XmlCopy {
  XmlBudget& budget;
  const LineNumbers& lines;
  std::shared_ptr<const std::string> file;

  XmlNode copy(const pugi::xml_node& from, int depth) const {
    XmlNode node;
    node.name = from.name();
    node.place = {file, lines.of(from.offset_debug())};
    budget.count_element(node);
    if (depth > budget.limits.depth) fail_at(node, "more than ", budget.limits.depth, " levels deep (limits.depth)");
    for (const pugi::xml_attribute& attribute : from.attributes()) {
      if (node.find(attribute.name())) fail_at(node, "attribute '", attribute.name(), "' is given twice");
      node.attributes.push_back({attribute.name(), attribute.value()});
    }
    for (const pugi::xml_node& child : from.children()) {
      if (child.type() == pugi::node_element) node.children.push_back(copy(child, depth + 1));
      if (child.type() == pugi::node_cdata) node.text += child.value();
    }
    return node;
  }
};

}  // namespace

XmlNode parse_xml(const std::string& content, const std::string& name, XmlBudget& budget) {
  const LineNumbers lines(content);
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(content.data(), content.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) fail(name, ":", lines.of(result.offset), ": not XML: ", result.description());
  const pugi::xml_node root = document.document_element();
  if (!root) fail(name, ": has no element");
  return XmlCopy{budget, lines, std::make_shared<const std::string>(name)}.copy(root, 1);
}

}  // namespace carom::inline CAROM_PRECISION
