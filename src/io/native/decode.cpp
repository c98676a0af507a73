// Makes a Model from the bytes of a model file; the format is described in model_format.h. Nothing in the bytes is
// trusted: sizes are compared with what is there before anything is allocated, references before they are followed.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "base/fail.h"
#include "base/hash.h"
#include "carom/version.h"
#include "io/native/model_format.h"
#include "model/contact_options.h"
#include "model/finalize.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::uint64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::kInt32:
    case ElementType::kFloat32: return 4;
    case ElementType::kFloat64: return 8;
    case ElementType::kText: return 1;
  }
  return 0;
}

class ColumnReader {
 public:
  // Checks everything that does not depend on what the columns mean.
  explicit ColumnReader(std::span<const char> file) : file_(file) {
    check_model_header(file);
    const auto header = read_at<FileHeader>(0);
    const std::uint64_t table_end = sizeof(header) + header.column_count * std::uint64_t{sizeof(ColumnEntry)};
    if (table_end > file.size()) {
      fail("truncated: the table of ", header.column_count, " columns needs ", table_end, " bytes, file ends after ",
           file.size());
    }
    std::uint64_t end = table_end;
    for (std::uint32_t i = 0; i < header.column_count; ++i) {
      end = add_entry(read_at<ColumnEntry>(sizeof(header) + i * sizeof(ColumnEntry)), end);
    }
    check_checksum(align_column(end));
  }

  template <class T>
  std::vector<T> read(const std::string& name) {
    const ColumnEntry& entry = find(name);
    constexpr bool real = RowFormat<T>::kType == kRealType;
    const bool real_in_file = entry.type == ElementType::kFloat32 || entry.type == ElementType::kFloat64;
    if (entry.width != RowFormat<T>::kWidth || (real ? !real_in_file : entry.type != RowFormat<T>::kType)) {
      fail("column ", name, " holds numbers of another kind than this version of carom expects; save the model again");
    }
    std::vector<T> rows(entry.rows);
    char* const to = reinterpret_cast<char*>(rows.data());
    if (rows.empty()) return rows;
    if (entry.type == RowFormat<T>::kType) {
      std::memcpy(to, file_.data() + entry.offset, entry.bytes);
    } else if (entry.type == ElementType::kFloat32) {
      convert<float>(name, entry, to);
    } else {
      convert<double>(name, entry, to);
    }
    return rows;
  }

  template <class T>
  T read_one(const std::string& name) {
    const std::vector<T> rows = read<T>(name);
    if (rows.size() != 1) fail("column ", name, " has ", rows.size(), " rows, must have 1");
    return rows[0];
  }

  void check_all_read() const {
    for (const auto& [name, column] : columns_) {
      if (!column.was_read) {
        fail("unknown column ", name, " in format version ", kModelFormat,
             ": made by another version of carom than this one; save it again with this one");
      }
    }
  }

 private:
  struct Column {
    ColumnEntry entry;
    bool was_read = false;
  };

  template <class T>
  T read_at(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof(T));
    return value;
  }

  // Returns where the column's values end; they begin behind `previous_end`.
  std::uint64_t add_entry(const ColumnEntry& entry, std::uint64_t previous_end) {
    if (entry.name[sizeof(entry.name) - 1] != '\0') fail("damaged: a column has a name without an end");
    const std::string name = entry.name;
    const std::uint64_t size = element_bytes(entry.type);
    if (size == 0) fail("damaged: column ", name, " has the unknown element type ", std::uint32_t(entry.type));
    // Rows are counted with an int; more numbers per row than any has would only make the products below overflow.
    const std::uint64_t most_rows =
        entry.type == ElementType::kText ? std::uint64_t{1} << 40 : std::numeric_limits<std::int32_t>::max();
    if (entry.rows > most_rows || entry.width > 64) {
      fail("damaged: column ", name, " has ", entry.rows, " rows of ", entry.width, " numbers");
    }
    if (entry.bytes != entry.rows * entry.width * size || entry.offset != align_column(previous_end)) {
      fail("damaged: the table places column ", name, " at byte ", entry.offset, " with ", entry.bytes, " bytes");
    }
    if (entry.offset + entry.bytes > file_.size()) {
      fail("truncated: column ", name, " needs ", entry.bytes, " bytes from byte ", entry.offset,
           " on, file ends after ", file_.size());
    }
    if (!columns_.emplace(name, Column{entry}).second) fail("damaged: column ", name, " is there twice");
    return entry.offset + entry.bytes;
  }

  void check_checksum(std::uint64_t offset) const {
    const std::uint64_t size = offset + sizeof(std::uint64_t);
    if (size > file_.size()) fail("truncated: it needs ", size, " bytes, file ends after ", file_.size());
    if (size < file_.size()) fail("damaged: ", file_.size() - size, " bytes too many at the end");
    Hash hash;
    hash.add_bytes(file_.data(), offset);
    if (hash.value() != read_at<std::uint64_t>(offset)) {
      fail("damaged: the checksum does not agree with the content; copy or save the file again");
    }
  }

  const ColumnEntry& find(const std::string& name) {
    const auto place = columns_.find(name);
    if (place == columns_.end()) {
      fail("column ", name, " is missing: made by another version of carom than this one; save it again with this one");
    }
    place->second.was_read = true;
    return place->second.entry;
  }

  // Real numbers of the other precision.
  template <class From>
  void convert(const std::string& name, const ColumnEntry& entry, char* to) const {
    for (std::uint64_t i = 0; i < entry.rows * entry.width; ++i) {
      const From from = read_at<From>(entry.offset + i * sizeof(From));
      const Real value = static_cast<Real>(from);
      if (std::isfinite(from) && !is_finite(value)) {
        fail("column ", name, ", row ", i / entry.width, ": ", from,
             " is too large for single precision; load the file in double precision");
      }
      std::memcpy(to + i * sizeof(Real), &value, sizeof(Real));
    }
  }

  std::span<const char> file_;
  std::unordered_map<std::string, Column> columns_;
};

KeyTable read_keys(ColumnReader& reader) {
  const std::vector<int> sizes = reader.read<int>("key_size");
  const std::vector<char> letters = reader.read<char>("key_text");
  KeyTable keys;
  std::size_t begin = 0;
  for (const int size : sizes) {
    if (size < 0 || std::size_t(size) > letters.size() - begin) fail("damaged: key ", keys.size(), " has no end");
    const int expected = keys.size();
    if (keys.intern(std::string(letters.data() + begin, size)) != expected) {
      fail("damaged: key '", keys.name(expected - 1), "' is there twice");
    }
    begin += size;
  }
  if (begin != letters.size()) fail("damaged: ", letters.size() - begin, " letters after the last key");
  return keys;
}

std::shared_ptr<const Heightfield> read_heightfield(ColumnReader& reader, const std::string& name) {
  const Index2 grid = reader.read_one<Index2>(name + "_grid");
  const RealN<4> extent = reader.read_one<RealN<4>>(name + "_extent");
  auto field =
      std::make_shared<Heightfield>(reader.read<Real>(name + "_heights"), grid[0], grid[1], extent[0], extent[1]);
  // The greatest height may lie a rounding below max_z; bounds are made from what the user gave.
  const Real min_z = extent[2], max_z = extent[3];
  if (!(min_z <= field->min_z && field->max_z <= max_z && is_finite(max_z - min_z))) {
    fail("heights from ", field->min_z, " to ", field->max_z, " are outside of min_z ", min_z, " and max_z ", max_z);
  }
  field->min_z = min_z;
  field->max_z = max_z;
  return field;
}

ShapeSource read_source(ColumnReader& reader, const std::string& name, SourceType type) {
  switch (type) {
    case SourceType::kNone: return {};
    case SourceType::kMesh:
      return std::make_shared<const Mesh>(reader.read<Vec3>(name + "_vertices"), reader.read<int>(name + "_indices"));
    case SourceType::kHeightfield: return read_heightfield(reader, name);
    case SourceType::kSdf: {
      const Index3 grid = reader.read_one<Index3>(name + "_grid");
      const RealN<4> frame = reader.read_one<RealN<4>>(name + "_frame");
      return std::make_shared<const SDF>(reader.read<Real>(name + "_values"), grid[0], grid[1], grid[2],
                                         Vec3{frame[0], frame[1], frame[2]}, frame[3]);
    }
  }
  fail("has the unknown type ", int(type));
}

std::vector<ShapeSource> read_sources(ColumnReader& reader) {
  std::vector<ShapeSource> sources;
  for (const int type : reader.read<int>("shape_source_type")) {
    const std::string name = text("shape_source_", sources.size());
    try {
      sources.push_back(read_source(reader, name, static_cast<SourceType>(type)));
    } catch (const Error& problem) {
      fail(name, ": ", problem.what());
    }
  }
  return sources;
}

Axis read_up_axis(ColumnReader& reader) {
  const int axis = reader.read_one<int>("up_axis");
  if (axis < 0 || axis > 2) fail("up_axis is ", axis, ", must be 0, 1 or 2");
  return static_cast<Axis>(axis);
}

ModelOptions read_options(ColumnReader& reader) {
  const int integrator = reader.read_one<int>("option_integrator"),
            damping = reader.read_one<int>("option_euler_damping"), cone = reader.read_one<int>("option_cone"),
            refsafe = reader.read_one<int>("option_refsafe"), diagexact = reader.read_one<int>("option_diagexact"),
            speculative = reader.read_one<int>("option_speculative"), sleep = reader.read_one<int>("option_sleep"),
            combine = reader.read_one<int>("option_combine");
  if (integrator < 0 || integrator > 4) fail("option_integrator is ", integrator, ", must be 0, 1, 2, 3 or 4");
  if (damping < 0 || damping > 1) fail("option_euler_damping is ", damping, ", must be 0 or 1");
  if (refsafe < 0 || refsafe > 1) fail("option_refsafe is ", refsafe, ", must be 0 or 1");
  if (diagexact < 0 || diagexact > 1) fail("option_diagexact is ", diagexact, ", must be 0 or 1");
  if (speculative < 0 || speculative > 1) fail("option_speculative is ", speculative, ", must be 0 or 1");
  if (sleep < 0 || sleep > 1) fail("option_sleep is ", sleep, ", must be 0 or 1");
  if (cone < 0 || cone > 1) fail("option_cone is ", cone, ", must be 0 or 1");
  if (combine < 0 || combine >= kCombineRules) fail("option_combine is ", combine, ", must be 0, 1, 2 or 3");
  ModelOptions options{.timestep = reader.read_one<Real>("option_timestep"),
                       .integrator = static_cast<Integrator>(integrator),
                       .euler_damping = damping == 1,
                       .cone = static_cast<Cone>(cone),
                       .impratio = reader.read_one<Real>("option_impratio"),
                       .refsafe = refsafe == 1,
                       .diagexact = diagexact == 1,
                       .speculative = speculative == 1,
                       .contact_keep_distance = reader.read_one<Real>("option_contact_keep_distance"),
                       .noslip_iterations = reader.read_one<int>("option_noslip_iterations"),
                       .noslip_tolerance = reader.read_one<Real>("option_noslip_tolerance"),
                       .density = reader.read_one<Real>("option_density"),
                       .viscosity = reader.read_one<Real>("option_viscosity"),
                       .wind = reader.read_one<Vec3>("option_wind"),
                       .magnetic = reader.read_one<Vec3>("option_magnetic"),
                       .sleep = sleep == 1,
                       .sleep_tolerance = reader.read_one<Real>("option_sleep_tolerance"),
                       .combine = static_cast<CombineRule>(combine)};
  visit_particle_material(options,
                          [&](const char* name, Real& value) { value = reader.read_one<Real>(text("option_", name)); });
  return options;
}

}  // namespace

void check_model_header(std::span<const char> file) {
  const std::size_t known = std::min(file.size(), kModelMagicSize);
  if (!std::equal(file.begin(), file.begin() + known, kModelMagic)) {
    fail("not a carom model file; give one that Model::save() wrote, and other formats to their own importers");
  }
  if (file.size() < sizeof(FileHeader)) {
    fail("truncated: the header needs ", sizeof(FileHeader), " bytes, file ends after ", file.size());
  }
  FileHeader header;
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.format > kModelFormat) {
    fail("format version ", header.format, " is newer than ", kModelFormat, ", the newest that carom ", kVersion,
         " reads; update carom, or save the model with this version");
  }
  if (header.format < 1) fail("damaged: format version 0 does not exist");
  if (header.format < kModelFormat) {
    fail("format version ", header.format, " is older than ", kModelFormat, ", the oldest that carom ", kVersion,
         " reads; build the model again and save it with this version");
  }
}

Model decode_model(std::span<const char> file, Device device) {
  ColumnReader reader(file);
  ModelData data;
  visit_columns([&](const ColumnInfo& info, auto get) {
    auto& column = get(data.columns);
    column = reader.read<typename std::remove_reference_t<decltype(column)>::value_type>(info.name);
  });
  data.world_key_id = reader.read<int>("world_key_id");
  data.world_gravity = reader.read<Vec3>("gravity");
  data.up_axis = read_up_axis(reader);
  data.options = read_options(reader);
  data.shape_collision_filter_pairs = reader.read<Index2>("shape_collision_filter_pairs");
  data.keys = read_keys(reader);
  data.shape_sources = read_sources(reader);
  reader.check_all_read();

  if (data.world_gravity.size() != data.world_key_id.size() + 1) {
    fail("column gravity has ", data.world_gravity.size(), " rows, must have ", data.world_key_id.size() + 1,
         ": one per world and one for the global entities");
  }
  const Vec3 global_gravity = data.world_gravity.back();
  data.world_gravity.pop_back();
  return make_model(data, data.options, global_gravity, kNotSet, device);
}

}  // namespace carom::inline CAROM_PRECISION
