// A file is written beside its place and then moved there: a failed save leaves what was there before.
#include <filesystem>
#include <fstream>

#include "base/fail.h"
#include "io/xml/write_xml.h"

namespace carom::inline CAROM_PRECISION {

void save_text_file(const std::string& path, const std::string& content) {
  const std::string beside = path + ".saving";
  {
    std::ofstream file(beside, std::ios::binary);
    file << content;
    if (!file.flush()) fail(path, ": cannot be written; check that the folder exists and has room");
  }
  std::error_code error;
  std::filesystem::rename(beside, path, error);
  if (error) fail(path, ": cannot be written: ", error.message());
}

}  // namespace carom::inline CAROM_PRECISION
