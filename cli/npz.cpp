#include "cli/npz.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "carom/error.h"

namespace carom::cli {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEndRecord = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint64_t kMost = 0xfffffffe;  // what fits into the numbers of a zip archive without its 64 bit extension
constexpr std::uint16_t kDate = (1 << 5) | 1;       // 1 January 1980: the same content is the same file
constexpr const char* kMagic = "\x93NUMPY\x01";     // of .npy, version 1
constexpr std::size_t kMagicSize = 7, kAlign = 64;  // the numbers of an array begin at a multiple

// -- Bytes

template <class T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

template <class T>
T get(const std::string& data, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(static_cast<unsigned char>(data[at + i])) << (8 * i)));
  return value;
}

// CRC-32 as zip, gzip and PNG have it.
std::uint32_t checksum(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = (t[i] >> 1) ^ ((t[i] & 1) ? 0xedb88320u : 0);
    }
    return t;
  }();
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
  return ~crc;
}

// -- One array as .npy

std::string npy_bytes(const NpzArray& array) {
  std::string shape;
  for (const std::int64_t n : array.shape) shape += std::to_string(n) + ",";
  std::string header = "{'descr': '" + array.dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((kMagicSize + 3 + header.size() + 1) % kAlign != 0) header += ' ';
  std::string out(kMagic, kMagicSize);
  out += '\0';
  put(out, static_cast<std::uint16_t>(header.size() + 1));
  return out + header + "\n" + array.bytes;
}

// What follows 'key': in the header of an array.
std::string header_value(const std::string& header, const std::string& key, char end) {
  const std::size_t at = header.find("'" + key + "'");
  const std::size_t colon = at == std::string::npos ? at : header.find(':', at);
  const std::size_t stop = colon == std::string::npos ? colon : header.find(end, colon);
  if (stop == std::string::npos) throw Error("the header of an array has no '" + key + "'");
  return header.substr(colon + 1, stop - colon - 1);
}

std::size_t item_size(const std::string& dtype) {
  if (dtype != "<f4" && dtype != "<f8" && dtype != "<i4" && dtype != "<i8")
    throw Error("numbers of type '" + dtype + "' are not read; save float32, float64, int32 or int64");
  return static_cast<std::size_t>(dtype[2] - '0');
}

NpzArray parse_npy(const std::string& name, const std::string& file) {
  const bool wide = file.size() > kMagicSize && file[6] != 1;  // versions 2 and 3 have a longer header
  const std::size_t start = wide ? 12 : 10;
  if (file.size() < start || std::memcmp(file.data(), kMagic, 6) != 0) throw Error("'" + name + "' is no array");
  const std::size_t length = wide ? get<std::uint32_t>(file, 8) : get<std::uint16_t>(file, 8);
  if (length > file.size() - start) throw Error("'" + name + "' ends early");
  const std::string header = file.substr(start, length);
  NpzArray array{name, {}, {}, {}};
  const std::string descr = header_value(header, "descr", ',');
  const std::size_t quote = descr.find('\'');
  array.dtype = quote == std::string::npos ? descr : descr.substr(quote + 1, descr.rfind('\'') - quote - 1);
  if (header_value(header, "fortran_order", ',').find("True") != std::string::npos)
    throw Error("'" + name + "' is stored column by column; save numpy.ascontiguousarray() of it");
  const std::string shape = header_value(header, "shape", ')');
  std::uint64_t size = item_size(array.dtype);
  const std::uint64_t bytes = file.size() - start - length;
  for (const char* at = shape.c_str(); *at != 0;) {
    char* end = nullptr;
    const long long n = *at >= '0' && *at <= '9' ? std::strtoll(at, &end, 10) : -1;
    if (n < 0) {
      ++at;
      continue;
    }
    if (static_cast<std::uint64_t>(n) > bytes && size != 0) throw Error("'" + name + "' ends early");
    array.shape.push_back(n);
    size *= static_cast<std::uint64_t>(n);
    if (size > bytes) throw Error("'" + name + "' ends early");
    at = end;
  }
  array.bytes = file.substr(start + length, size);
  return array;
}

// -- The archive

// What the header of an entry and its line in the list at the end have in common.
std::string entry_numbers(const std::string& name, std::uint32_t crc, std::size_t size) {
  std::string out;
  put<std::uint16_t>(out, 20);  // needs version 2.0
  put<std::uint16_t>(out, 0);
  put<std::uint16_t>(out, 0);  // not compressed
  put<std::uint16_t>(out, 0);
  put<std::uint16_t>(out, kDate);
  put<std::uint32_t>(out, crc);
  put(out, static_cast<std::uint32_t>(size));
  put(out, static_cast<std::uint32_t>(size));
  put(out, static_cast<std::uint16_t>(name.size()));
  put<std::uint16_t>(out, 0);
  return out;
}

std::string central_line(const std::string& name, const std::string& numbers, std::uint64_t offset) {
  std::string out;
  put(out, kCentralHeader);
  put<std::uint16_t>(out, 20);
  out += numbers + std::string(10, '\0');  // no comment, first disk, no attributes
  put(out, static_cast<std::uint32_t>(offset));
  return out + name;
}

std::string end_record(std::size_t entries, std::size_t list_size, std::uint64_t list_offset) {
  std::string out;
  put(out, kEndRecord);
  put<std::uint32_t>(out, 0);
  put(out, static_cast<std::uint16_t>(entries));
  put(out, static_cast<std::uint16_t>(entries));
  put(out, static_cast<std::uint32_t>(list_size));
  put(out, static_cast<std::uint32_t>(list_offset));
  put<std::uint16_t>(out, 0);
  return out;
}

// The bytes of the entry whose line in the list is at `at`, which moves on.
NpzArray read_entry(const std::string& file, std::size_t& at) {
  if (at + kCentralSize > file.size() || get<std::uint32_t>(file, at) != kCentralHeader)
    throw Error("its list of arrays is damaged");
  const auto method = get<std::uint16_t>(file, at + 10), name_size = get<std::uint16_t>(file, at + 28);
  const std::size_t size = get<std::uint32_t>(file, at + 20), local = get<std::uint32_t>(file, at + 42);
  if (at + kCentralSize + name_size > file.size()) throw Error("its list of arrays is damaged");
  std::string name = file.substr(at + kCentralSize, name_size);
  at += kCentralSize + name_size + get<std::uint16_t>(file, at + 30) + get<std::uint16_t>(file, at + 32);
  if (method != 0) throw Error("'" + name + "' is compressed; write it with numpy.savez");
  if (local + kLocalSize > file.size() || get<std::uint32_t>(file, local) != kLocalHeader)
    throw Error("'" + name + "' is damaged");
  const std::size_t start =
      local + kLocalSize + get<std::uint16_t>(file, local + 26) + get<std::uint16_t>(file, local + 28);
  if (start > file.size() || size > file.size() - start) throw Error("'" + name + "' ends early");
  if (name.ends_with(".npy")) name.resize(name.size() - 4);
  return parse_npy(name, file.substr(start, size));
}

std::vector<NpzArray> parse_npz(const std::string& file) {
  const std::size_t end =
      file.size() < kEndSize ? std::string::npos : file.rfind(std::string("PK\x05\x06", 4), file.size() - kEndSize);
  if (end == std::string::npos) throw Error("it is no .npz file");
  std::size_t at = get<std::uint32_t>(file, end + 16);
  std::vector<NpzArray> arrays;
  for (int left = get<std::uint16_t>(file, end + 10); left > 0; --left) arrays.push_back(read_entry(file, at));
  return arrays;
}

}  // namespace

void write_npz(const std::string& path, const std::vector<NpzArray>& arrays) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  std::string list;
  std::uint64_t offset = 0;
  for (const NpzArray& array : arrays) {
    const std::string name = array.name + ".npy", bytes = npy_bytes(array);
    if (bytes.size() > kMost || offset > kMost)
      throw Error("'" + path + "' would have more than 4 GB; record fewer steps or worlds");
    const std::string numbers = entry_numbers(name, checksum(bytes), bytes.size());
    std::string header;
    put(header, kLocalHeader);
    out << header << numbers << name << bytes;
    list += central_line(name, numbers, offset);
    offset += header.size() + numbers.size() + name.size() + bytes.size();
  }
  if (offset > kMost) throw Error("'" + path + "' would have more than 4 GB; record fewer steps or worlds");
  out << list << end_record(arrays.size(), list.size(), offset);
  out.close();
  if (!out) throw Error("cannot write '" + path + "'; is the folder there, and the disk not full?");
}

std::vector<NpzArray> read_npz(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error("cannot open '" + path + "'");
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  try {
    return parse_npz(file);
  } catch (const Error& error) {
    throw Error("'" + path + "': " + error.what());
  }
}

std::int64_t row_count(const NpzArray& array) { return array.shape.empty() ? 1 : array.shape.front(); }

namespace {

template <class T>
std::vector<double> converted(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return std::vector<double>(values.begin(), values.end());
}

}  // namespace

std::vector<double> numbers_of(const NpzArray& array) {
  if (array.dtype == "<f4") return converted<float>(array.bytes);
  if (array.dtype == "<f8") return converted<double>(array.bytes);
  if (array.dtype == "<i4") return converted<std::int32_t>(array.bytes);
  return converted<std::int64_t>(array.bytes);
}

}  // namespace carom::cli
