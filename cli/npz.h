// NumPy's .npz files: a zip archive of .npy arrays, not compressed, as numpy.savez() writes and numpy.load() reads
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carom::cli {

struct NpzArray {
  std::string name;
  std::string dtype;  // "<f4", "<f8", "<i4" or "<i8"
  std::vector<std::int64_t> shape;
  std::string bytes;  // row by row
};

// Throws Error when the file cannot be written, or has more than 4 GB.
void write_npz(const std::string& path, const std::vector<NpzArray>& arrays);
// Throws Error for what is no such file, or a compressed one.
std::vector<NpzArray> read_npz(const std::string& path);

std::vector<double> numbers_of(const NpzArray& array);
std::int64_t row_count(const NpzArray& array);  // the first of its shape

template <class T>
constexpr const char* dtype_of();
template <>
constexpr const char* dtype_of<float>() {
  return "<f4";
}
template <>
constexpr const char* dtype_of<double>() {
  return "<f8";
}
template <>
constexpr const char* dtype_of<std::int64_t>() {
  return "<i8";
}

}  // namespace carom::cli
