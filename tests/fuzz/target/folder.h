// A folder of this process for the files that its inputs name, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

struct Folder {
  std::filesystem::path path;

  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "carom_fuzz.XXXXXX").string();
    if (!mkdtemp(name.data())) std::abort();
    path = name;
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
};
