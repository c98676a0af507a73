// <include file="..."/> is replaced by the children of that file's root, before anything is read. A file is included
// once: a second time, by whatever path, is an error, and so cycles are.
#include <filesystem>
#include <set>

#include "io/mjcf/attributes.h"

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
    const std::string content = read_text_file(path.string(), budget, at_place(include.place, include.name));
    XmlNode root = parse_xml(content, path.string(), budget);
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

XmlNode parse_with_includes(const MjcfSource& source, XmlBudget& budget, std::string& folder,
                            const std::string& where) {
  const bool is_file = !source.path.empty();
  const std::filesystem::path path = source.path;
  folder = is_file ? path.parent_path().string() : source.folder;
  Includes includes{budget, folder, {}};
  std::error_code error;
  if (is_file && budget.root.empty() && !std::filesystem::is_regular_file(path, error))
    fail(where, source.path, ": no such file");
  if (is_file) includes.mark_seen(path, nullptr);
  if (!is_file) budget.bytes += source.text.size();
  if (budget.bytes > budget.limits.bytes) fail("more than ", budget.limits.bytes, " bytes (limits.bytes)");
  XmlNode root = is_file ? parse_xml(read_text_file(source.path, budget, where), source.path, budget)
                         : parse_xml(source.text, "MJCF", budget);
  includes.expand(root);
  return root;
}

}  // namespace carom::inline CAROM_PRECISION
