// Names of files in a robot. A name does not leave the package that it begins with, and whether files are there is
// asked inside of the root alone.
#include <filesystem>

#include "io/urdf/meshes.h"

namespace carom::inline CAROM_PRECISION {

namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// "%20" is a blank in the names of files.
std::string decoded(const std::string& name) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
  };
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const int high = i + 2 < name.size() && name[i] == '%' ? digit(name[i + 1]) : -1;
    const int low = high >= 0 ? digit(name[i + 2]) : -1;
    if (low >= 0) result += static_cast<char>(16 * high + low), i += 2;
    else result += name[i];
  }
  return result;
}

// Of "package://NAME/PATH" the name and the path.
bool split_uri(const std::string& name, const char* scheme, std::string& package, std::string& path) {
  if (!name.starts_with(scheme)) return false;
  const std::string rest = name.substr(std::string(scheme).size());
  const std::size_t slash = rest.find('/');
  package = rest.substr(0, slash);
  path = slash == std::string::npos ? "" : rest.substr(slash + 1);
  return true;
}

// "..", which leads out, may be in a name, but not lead out of the package.
bool stays_inside(const fs::path& path) {
  if (path.is_absolute()) return false;
  const fs::path normal = path.lexically_normal();
  return normal.empty() || *normal.begin() != "..";
}

bool is_below(const fs::path& folder, const fs::path& root) {
  return root.empty() || stays_inside(folder.lexically_relative(root));
}

}  // namespace

// What stands between <name> and </name>: for one word no XML is read.
bool UrdfPaths::names_package(const std::string& folder, const std::string& package) {
  const auto [known, added] = said_.emplace(folder, "");
  const fs::path file = fs::path(folder) / "package.xml";
  std::error_code error;
  if (added && fs::is_regular_file(file, error)) {
    const std::string content = read_text_file(file.string(), budget_);
    const std::size_t begin = content.find("<name>"), end = content.find("</name>");
    if (begin != std::string::npos && end != std::string::npos && end > begin + 6) {
      std::string_view word = std::string_view(content).substr(begin + 6, end - begin - 6);
      const std::size_t first = word.find_first_not_of(" \t\r\n"), last = word.find_last_not_of(" \t\r\n");
      if (first != std::string_view::npos) known->second = word.substr(first, last - first + 1);
    }
  }
  return known->second == package;
}

const std::string& UrdfPaths::find_package(const std::string& package, const std::string& where) {
  const auto known = packages_.find(package);
  if (known != packages_.end()) return known->second;
  if (package.empty() || package == "." || package == "..") fail(where, "'", package, "' is no name of a package");
  std::vector<fs::path> folders;
  for (const std::string& given : package_path_) folders.emplace_back(given);
  std::error_code error;
  const fs::path root = budget_.root.empty() ? fs::path() : fs::weakly_canonical(budget_.root, error);
  const fs::path start = fs::weakly_canonical(folder_.empty() ? fs::path(".") : fs::path(folder_), error);
  for (fs::path folder = start; !error && is_below(folder, root); folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == folder.parent_path()) break;
  }
  for (const fs::path& folder : folders) {
    std::string found;
    if (folder.filename() == package || names_package(folder.string(), package)) found = folder.string();
    else if (is_folder(folder / package)) found = (folder / package).string();
    if (!found.empty()) return packages_.emplace(package, found).first->second;
  }
  fail(where, "package '", package, "' is found neither in package_path nor from '", start.string(), "' upwards");
}

std::string UrdfPaths::find(const std::string& given, const std::string& where) {
  const std::string name = decoded(given);
  if (name.find('\0') != std::string::npos) fail(where, "is no name of a file");
  std::string package, path;
  for (const char* scheme : {"package://", "model://"}) {
    if (!split_uri(name, scheme, package, path)) continue;
    if (!stays_inside(path)) fail(where, "'", given, "' leads out of package '", package, "'");
    return (fs::path(find_package(package, where)) / path).string();
  }
  if (name.starts_with("file://")) return name.substr(7);
  if (name.find("://") != std::string::npos)
    fail(where, "'", given, "' is none of package://, model://, file:// or a path");
  return (fs::path(folder_) / name).string();
}

}  // namespace carom::inline CAROM_PRECISION
