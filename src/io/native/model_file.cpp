// Model::save() and load(): model files on disk. What is in them is described in model_format.h.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>

#include "base/fail.h"
#include "io/native/model_format.h"

namespace carom::inline CAROM_PRECISION {

namespace {

namespace fs = std::filesystem;

// A name beside the file that no other process or thread writes to.
fs::path temporary_beside(const fs::path& path) {
  static std::atomic<int> count = 0;
  fs::path beside = path;
  beside += text(".", getpid(), ".", ++count, ".saving");
  return beside;
}

void write_file(const fs::path& path, const std::string& bytes) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) fail("cannot be written (", std::strerror(errno), "); check that the folder exists and has room");
}

std::string read_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail("no such file; check the path");
  if (!fs::is_regular_file(status)) fail("not a file; give the path of a model file that Model::save() wrote");
  const std::uintmax_t size = fs::file_size(path, error);
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) fail("cannot be read (", std::strerror(errno), "); check its permissions");

  // The beginning first: a large file of another kind is not worth reading.
  std::string bytes(std::min<std::uintmax_t>(size, sizeof(FileHeader)), '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check_model_header({bytes.data(), static_cast<std::size_t>(stream.gcount())});
  const std::size_t begin = bytes.size();
  bytes.resize(size);
  stream.read(bytes.data() + begin, static_cast<std::streamsize>(size - begin));
  if (!stream) fail("cannot be read (", std::strerror(errno), ")");
  return bytes;
}

}  // namespace

// The file appears under its name only when it is complete, so a failed save leaves what was there before.
void Model::save(const std::string& path) const {
  const fs::path temporary = temporary_beside(path);
  std::error_code error;
  try {
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status)) fail("not a file; give the path of a file to write");
    write_file(temporary, encode_model(*this));
    fs::rename(temporary, path, error);
    if (error) fail("cannot be written (", error.message(), ")");
  } catch (const Error& problem) {
    fs::remove(temporary, error);
    fail(path, ": ", problem.what());
  }
}

Model load(const std::string& path, Device device) {
  try {
    return decode_model(read_file(path), device);
  } catch (const Error& problem) {
    fail(path, ": ", problem.what());
  } catch (const std::bad_alloc&) {
    fail(path, ": too large for the memory of this machine");
  }
}

}  // namespace carom::inline CAROM_PRECISION
