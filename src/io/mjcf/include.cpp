// <include file="..."/> is replaced by the children of that file's root, before anything is read. A file is included
// once: a second time, by whatever path, is an error, and so cycles are.
#include <filesystem>
#include <set>

#include "io/mjcf/xml.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct Includes {
  XmlBudget& budget;
  std::string folder;  // of the first file: names are relative to it in all files
  std::set<std::string> seen;

  void mark_seen(const std::filesystem::path& path, const XmlNode* where) {
    std::error_code error;
    const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, error);
    const bool added = seen.insert(error ? path.string() : canonical.string()).second;
    if (!added && where) fail_at(*where, "file '", path.string(), "' is included twice");
  }

  std::vector<XmlNode> load(const XmlNode& include) {
    const std::string* file = include.find("file");
    if (!file || file->empty()) fail_at(include, "attribute 'file' is missing");
    if (++budget.files > budget.limits.files)
      fail_at(include, "more than ", budget.limits.files, " files (limits.files)");
    const std::filesystem::path path = std::filesystem::path(folder) / *file;
    mark_seen(path, &include);
    if (!std::filesystem::is_regular_file(path)) fail_at(include, "file '", path.string(), "' cannot be opened");
    XmlNode root = parse_xml(read_text_file(path.string(), budget), path.string(), budget);
    expand(root);
    return std::move(root.children);
  }

  void expand(XmlNode& node) {
    std::vector<XmlNode> children;
    for (XmlNode& child : node.children) {
      if (child.name == "include") {
        if (!child.children.empty()) fail_at(child, "has elements inside");
        for (XmlNode& included : load(child)) children.push_back(std::move(included));
      } else {
        expand(child);
        children.push_back(std::move(child));
      }
    }
    node.children = std::move(children);
  }
};

}  // namespace

XmlNode parse_with_includes(const MjcfSource& source, XmlBudget& budget, std::string& folder) {
  const bool is_file = !source.path.empty();
  const std::filesystem::path path = source.path;
  folder = is_file ? path.parent_path().string() : source.folder;
  Includes includes{budget, folder, {}};
  if (is_file && !std::filesystem::is_regular_file(path)) fail(source.path, ": no such file");
  if (is_file) includes.mark_seen(path, nullptr);
  if (!is_file) budget.bytes += source.text.size();
  if (budget.bytes > budget.limits.bytes) fail("more than ", budget.limits.bytes, " bytes (limits.bytes)");
  XmlNode root =
      parse_xml(is_file ? read_text_file(source.path, budget) : source.text, is_file ? source.path : "MJCF", budget);
  includes.expand(root);
  return root;
}

}  // namespace carom::inline CAROM_PRECISION
