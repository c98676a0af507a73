// XML through pugixml: it expands no entities of a document and its parser does not call itself, so what is left to
// bound is the number of bytes and elements and the depth, on the way to our own nodes.
#include "io/xml/xml.h"

#include <algorithm>
#include <pugixml.hpp>

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

void XmlBudget::check_numbers(std::int64_t more, const std::string& where) const {
  if (more > limits.numbers - numbers)
    fail(where, "asks for ", more, " numbers; with all others more than ", limits.numbers, " (limits.numbers)");
}

void XmlBudget::count_numbers(std::int64_t more, const std::string& where) {
  check_numbers(more, where);
  numbers += more;
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
    constexpr std::size_t kMostAttributes = 1000;  // none has a tenth of them; below, each is compared with all others
    for (const pugi::xml_attribute& attribute : from.attributes()) {
      if (node.attributes.size() == kMostAttributes) fail_at(node, "more than ", kMostAttributes, " attributes");
      if (node.find(attribute.name())) fail_at(node, "attribute '", attribute.name(), "' is given twice");
      node.attributes.push_back({attribute.name(), attribute.value()});
    }
    for (const pugi::xml_node& child : from.children()) {
      if (child.type() == pugi::node_element) node.children.push_back(copy(child, depth + 1));
      if (child.type() == pugi::node_cdata || child.type() == pugi::node_pcdata) node.text += child.value();
    }
    return node;
  }
};

}  // namespace

namespace {

// Elements and attributes of three bytes each would become nodes of fifty. What is too many of them is known before
// they are made: by the signs that they begin with.
void check_marks(const std::string& content, const std::string& name, const FileLimits& limits) {
  constexpr std::int64_t kMarks = 20;  // of an element with its attributes and its end, and then some
  const auto marks = std::count(content.begin(), content.end(), '<') + std::count(content.begin(), content.end(), '=');
  if (marks > kMarks * std::max(limits.elements, 100))
    fail(name, ": more than ", limits.elements, " elements (limits.elements)");
}

}  // namespace

XmlNode parse_xml(const std::string& content, const std::string& name, XmlBudget& budget) {
  check_marks(content, name, budget.limits);
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
