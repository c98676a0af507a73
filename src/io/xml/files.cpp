// Opening the files that a model names: regular ones, inside the root if there is one, and no more bytes in all than
// the limits allow.
#include <filesystem>
#include <fstream>

#include "io/xml/xml.h"

namespace carom::inline CAROM_PRECISION {

namespace {

namespace fs = std::filesystem;

// With symbolic links followed and "..", which climb out, resolved.
bool is_inside(const fs::path& path, const fs::path& root) {
  std::error_code no_path, no_root;
  const fs::path file = fs::canonical(path, no_path), folder = fs::canonical(root, no_root);
  if (no_path || no_root) return false;
  const fs::path inside = file.lexically_relative(folder);
  return !inside.empty() && *inside.begin() != "..";
}

// A device or a pipe could be read for ever.
void check_file(const fs::path& path, const XmlBudget& budget, const std::string& where) {
  const std::string begin = where + "file '" + path.string() + "' ";
  if (!budget.root.empty()) {
    std::error_code error;
    if (!fs::is_directory(budget.root, error)) fail(where, "root '", budget.root, "' is not a folder");
    // Whether there is such a file outside is nobody's business.
    if (!is_inside(path, budget.root)) fail(begin, "is not inside '", budget.root, "' (root)");
  }
  std::error_code error;
  if (!fs::is_regular_file(path, error)) fail(begin, "cannot be opened");
}

}  // namespace

std::string read_text_file(const std::string& path, XmlBudget& budget, const std::string& where) {
  check_file(path, budget, where);
  const std::string begin = where + "file '" + path + "' ";
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(begin, "cannot be opened");
  std::string content;
  std::vector<char> block(1 << 16);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    content.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (budget.bytes + content.size() > budget.limits.bytes)
      fail(begin, "makes more than ", budget.limits.bytes, " bytes in all (limits.bytes)");
  }
  if (file.bad()) fail(begin, "cannot be read");
  budget.bytes += content.size();
  return content;
}

}  // namespace carom::inline CAROM_PRECISION
