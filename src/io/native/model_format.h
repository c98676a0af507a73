// The native model file, format 15: a table of named columns, little-endian, the same for both precisions.
//
//   offset        bytes           what
//   0             64              FileHeader: "carom model\n", format version, number of columns, zeros
//   64            96 per column   ColumnEntry: name, element type, numbers per row, rows, where the values are
//   next 64       entry.bytes     values of the first column, row by row
//   next 64       entry.bytes     values of the second column, and so on in the order of the table
//   next 64       8               checksum: Hash (base/hash.h) of all bytes before it
//
// "next 64" is the next multiple of 64; the gaps are zeros. Real numbers are stored in the precision of the build
// that saved them, as the element type says, and are converted when the other build loads them.
//
//   column                                rows                 values
//   every column of carom/columns.h       its entities         as in ModelColumns
//   world_key_id                          worlds               key of each world, -1 = none
//   gravity                               worlds + 1           per world, then of the global entities [m/s^2]
//   up_axis                               1                    0 x, 1 y, 2 z
//   option_timestep, option_impratio      1                    of ModelOptions
//   option_integrator, option_euler_damping  1                 0 Euler, 1 ImplicitFast, 2 RK4, 3 Implicit,
//                                                              4 Discrete; 0 or 1
//   option_cone                           1                    0 pyramidal, 1 elliptic
//   option_refsafe, option_diagexact      1                    0 or 1
//   option_speculative                    1                    0 or 1
//   option_contact_keep_distance          1                    [m]
//   option_sleep, option_sleep_tolerance  1                    0 or 1; speeds [m/s]
//   option_combine                        1                    0 average, 1 max, 2 min, 3 geometric
//   option_soft_contact_*, option_particle_*  1                as in ModelOptions
//   shape_collision_filter_pairs          pairs                two shapes each
//   key_size, key_text                    keys, their bytes    length of each key; all keys one after another
//   shape_source_type                     sources              SourceType of each, which has the columns
//     shape_source_<i>_vertices, _indices                        of a mesh
//     shape_source_<i>_heights, _grid, _extent                   of a heightfield: nrow ncol; hx hy min_z max_z [m]
//     shape_source_<i>_values, _grid, _frame                     of an sdf: nx ny nz; origin, spacing [m]
//
// What finalize() derives is not stored: it is worked out again. A change of the columns or their meaning is a new
// format version. A reader that does not know a version or a column says so instead of guessing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "carom/model.h"

namespace carom {

static_assert(std::endian::native == std::endian::little, "the values of a model file are copied as they are");

constexpr char kModelMagic[] = "carom model\n";
constexpr std::size_t kModelMagicSize = sizeof(kModelMagic) - 1;
constexpr std::uint32_t kModelFormat = 15;
constexpr std::uint64_t kColumnAlignment = 64;

enum class ElementType : std::uint32_t { kInt32 = 1, kFloat32 = 2, kFloat64 = 3, kText = 4 };

struct FileHeader {
  char magic[kModelMagicSize];
  std::uint32_t format;
  std::uint32_t column_count;
  char zeros[44];
};
static_assert(sizeof(FileHeader) == 64);

struct ColumnEntry {
  char name[64];  // filled up with zeros
  ElementType type;
  std::uint32_t width;  // numbers per row
  std::uint64_t rows;
  std::uint64_t offset;  // of the first value, from the beginning of the file [bytes]
  std::uint64_t bytes;   // rows * width * size of an element
};
static_assert(sizeof(ColumnEntry) == 96);

constexpr std::uint64_t align_column(std::uint64_t offset) {
  return (offset + kColumnAlignment - 1) / kColumnAlignment * kColumnAlignment;
}

}  // namespace carom

namespace carom::inline CAROM_PRECISION {

// The alternatives of ShapeSource.
enum class SourceType : std::int32_t { kNone = 0, kMesh = 1, kHeightfield = 2, kSdf = 3 };

constexpr ElementType kRealType = sizeof(Real) == 4 ? ElementType::kFloat32 : ElementType::kFloat64;

// How a row of a column is stored: as one type of number, several times.
template <class T>
struct RowFormat {
  static constexpr ElementType kType = kRealType;
  static constexpr std::uint32_t kWidth = sizeof(T) / sizeof(Real);
};
template <>
struct RowFormat<std::int32_t> {
  static constexpr ElementType kType = ElementType::kInt32;
  static constexpr std::uint32_t kWidth = 1;
};
template <std::size_t N>
struct RowFormat<std::array<std::int32_t, N>> {
  static constexpr ElementType kType = ElementType::kInt32;
  static constexpr std::uint32_t kWidth = N;
};
template <>
struct RowFormat<char> {
  static constexpr ElementType kType = ElementType::kText;
  static constexpr std::uint32_t kWidth = 1;
};

// The bytes of a model file.
std::string encode_model(const Model& model);

// The model that the bytes of a file describe. Throws Error saying what is wrong with them.
Model decode_model(std::span<const char> file, Device device);

// Throws Error when the first bytes of a file are not those of a model file that can be read.
void check_model_header(std::span<const char> file);

}  // namespace carom::inline CAROM_PRECISION
