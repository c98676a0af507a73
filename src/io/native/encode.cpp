// Writes a Model as the bytes of a model file; the format is described in model_format.h.
#include <algorithm>
#include <cstring>

#include "base/fail.h"
#include "base/hash.h"
#include "io/native/model_format.h"
#include "model/contact_options.h"

namespace carom::inline CAROM_PRECISION {

namespace {

class ColumnWriter {
 public:
  template <class T>
  void add(const std::string& name, std::span<const T> rows) {
    ColumnEntry entry{};
    if (name.size() >= sizeof(entry.name)) fail("column name ", name, " is too long for a model file");
    std::copy(name.begin(), name.end(), entry.name);
    entry.type = RowFormat<T>::kType;
    entry.width = RowFormat<T>::kWidth;
    entry.rows = rows.size();
    entry.bytes = rows.size_bytes();
    entry.offset = align_column(values_.size());  // from the end of the table for now
    entries_.push_back(entry);
    values_.resize(entry.offset);
    if (!rows.empty()) values_.append(reinterpret_cast<const char*>(rows.data()), entry.bytes);
  }
  template <class T>
  void add(const std::string& name, const std::vector<T>& rows) {
    add(name, std::span<const T>(rows));
  }
  template <class T>
  void add(const std::string& name, const Array<T>& rows) {
    const Array<T> host = rows.device().is_cpu() ? rows : rows.to(Device{});
    add(name, std::span<const T>(host.data(), static_cast<std::size_t>(host.size())));
  }

  std::string file() {
    FileHeader header{};
    std::memcpy(header.magic, kModelMagic, kModelMagicSize);
    header.format = kModelFormat;
    header.column_count = static_cast<std::uint32_t>(entries_.size());

    const std::uint64_t table_bytes = entries_.size() * sizeof(ColumnEntry);
    const std::uint64_t values_begin = align_column(sizeof(header) + table_bytes);
    for (ColumnEntry& entry : entries_) entry.offset += values_begin;

    std::string file;
    file.reserve(align_column(values_begin + values_.size()) + sizeof(std::uint64_t));
    file.append(reinterpret_cast<const char*>(&header), sizeof(header));
    file.append(reinterpret_cast<const char*>(entries_.data()), table_bytes);
    file.resize(values_begin);
    file += values_;
    file.resize(align_column(file.size()));
    Hash hash;
    hash.add_bytes(file.data(), file.size());
    const std::uint64_t checksum = hash.value();
    file.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
    return file;
  }

 private:
  std::vector<ColumnEntry> entries_;
  std::string values_;  // of all columns
};

void add_keys(ColumnWriter& writer, const KeyTable& keys) {
  std::vector<int> sizes;
  std::string letters;
  for (int id = 0; id < keys.size(); ++id) {
    sizes.push_back(static_cast<int>(keys.name(id).size()));
    letters += keys.name(id);
  }
  writer.add("key_size", sizes);
  writer.add("key_text", std::span<const char>(letters));
}

void add_source(ColumnWriter&, const std::string&, std::monostate) {}

void add_source(ColumnWriter& writer, const std::string& name, const std::shared_ptr<const Mesh>& mesh) {
  writer.add(name + "_vertices", mesh->vertices);
  writer.add(name + "_indices", mesh->indices);
}

void add_source(ColumnWriter& writer, const std::string& name, const std::shared_ptr<const Heightfield>& field) {
  writer.add(name + "_heights", field->data);
  writer.add(name + "_grid", std::vector<Index2>{{field->nrow, field->ncol}});
  writer.add(name + "_extent", std::vector<RealN<4>>{{field->hx, field->hy, field->min_z, field->max_z}});
}

void add_source(ColumnWriter& writer, const std::string& name, const std::shared_ptr<const SDF>& sdf) {
  writer.add(name + "_values", sdf->values);
  writer.add(name + "_grid", std::vector<Index3>{{sdf->nx, sdf->ny, sdf->nz}});
  writer.add(name + "_frame", std::vector<RealN<4>>{{sdf->origin.x, sdf->origin.y, sdf->origin.z, sdf->spacing}});
}

void add_sources(ColumnWriter& writer, const std::vector<ShapeSource>& sources) {
  std::vector<int> types;
  for (const ShapeSource& source : sources) types.push_back(static_cast<int>(source.index()));
  writer.add("shape_source_type", types);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::visit([&](const auto& source) { add_source(writer, text("shape_source_", i), source); }, sources[i]);
  }
}

void add_options(ColumnWriter& writer, const ModelOptions& options) {
  writer.add("option_timestep", std::vector<Real>{options.timestep});
  writer.add("option_integrator", std::vector<int>{static_cast<int>(options.integrator)});
  writer.add("option_euler_damping", std::vector<int>{options.euler_damping});
  writer.add("option_cone", std::vector<int>{static_cast<int>(options.cone)});
  writer.add("option_impratio", std::vector<Real>{options.impratio});
  writer.add("option_refsafe", std::vector<int>{options.refsafe});
  writer.add("option_diagexact", std::vector<int>{options.diagexact});
  writer.add("option_speculative", std::vector<int>{options.speculative});
  writer.add("option_contact_keep_distance", std::vector<Real>{options.contact_keep_distance});
  writer.add("option_noslip_iterations", std::vector<int>{options.noslip_iterations});
  writer.add("option_noslip_tolerance", std::vector<Real>{options.noslip_tolerance});
  writer.add("option_density", std::vector<Real>{options.density});
  writer.add("option_viscosity", std::vector<Real>{options.viscosity});
  writer.add("option_wind", std::vector<Vec3>{options.wind});
  writer.add("option_magnetic", std::vector<Vec3>{options.magnetic});
  writer.add("option_sleep", std::vector<int>{options.sleep});
  writer.add("option_sleep_tolerance", std::vector<Real>{options.sleep_tolerance});
  writer.add("option_combine", std::vector<int>{static_cast<int>(options.combine)});
  visit_particle_material(
      options, [&](const char* name, Real value) { writer.add(text("option_", name), std::vector<Real>{value}); });
}

}  // namespace

std::string encode_model(const Model& model) {
  if (!model.keys) fail("the model is empty; save one that ModelBuilder::finalize() or load() made");
  ColumnWriter writer;
  visit_columns([&](const ColumnInfo& info, auto get) { writer.add(info.name, get(model)); });
  writer.add("world_key_id", model.world_key_id);
  writer.add("gravity", model.gravity);
  writer.add("up_axis", std::vector<int>{static_cast<int>(model.up_axis)});
  add_options(writer, model.options);
  writer.add("shape_collision_filter_pairs", model.shape_collision_filter_pairs);
  add_keys(writer, *model.keys);
  add_sources(writer, model.shape_sources);
  return writer.file();
}

}  // namespace carom::inline CAROM_PRECISION
