#include "collide/geometry_table.h"

#include <map>
#include <tuple>

#include "geometry/field_arrays.h"
#include "geometry/hull_topology.h"
#include "geometry/mesh_tree.h"
#include "model/sources.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Puts the arrays of one geometry on a device and lets its view point there.
class Upload {
 public:
  Upload(Device device, std::vector<std::shared_ptr<void>>& memory) : device_(device), memory_(memory) {}

  template <class T>
  const T* operator()(const std::vector<T>& values) {
    const Array<T> array(std::span<const T>(values), device_);
    memory_.push_back(array.memory());
    return array.data();
  }

 private:
  Device device_;
  std::vector<std::shared_ptr<void>>& memory_;
};

HullView upload_hull(const Mesh& hull, Vec3 scale, Upload& upload) {
  const HullArrays arrays = build_hull_arrays(hull, scale);
  HullView view = arrays.view();
  view.vertex = upload(arrays.vertex);
  view.face = upload(arrays.face);
  view.face_vertex = upload(arrays.face_vertex);
  view.edge = upload(arrays.edge);
  view.neighbor_start = upload(arrays.neighbor_start);
  view.neighbor = upload(arrays.neighbor);
  return view;
}

MeshView upload_mesh(const Mesh& mesh, Vec3 scale, Upload& upload) {
  const MeshArrays arrays(mesh, scale);
  MeshView view = arrays.view();
  view.vertex = upload(arrays.vertex);
  view.triangle = upload(arrays.triangle);
  view.triangle_flags = upload(arrays.triangle_flags);
  view.node = upload(arrays.node);
  view.bvh_triangle = upload(arrays.bvh_triangle);
  return view;
}

HeightfieldView upload_heightfield(const Heightfield& field, Vec3 scale, Upload& upload) {
  const HeightfieldArrays arrays(field, scale);
  HeightfieldView view = arrays.view();
  view.height = upload(arrays.height);
  return view;
}

SdfView upload_sdf(const SDF& sdf, Real scale, Upload& upload) {
  const SdfArrays arrays(sdf, scale);
  SdfView view = arrays.view();
  view.value = upload(arrays.value);
  return view;
}

GeometryView upload_source(ShapeType type, const ShapeSource& source, Vec3 scale, Upload& upload) {
  GeometryView view{};
  if (type == ShapeType::kConvexHull) view.hull = upload_hull(*mesh_of(source), scale, upload);
  if (type == ShapeType::kMesh) view.mesh = upload_mesh(*mesh_of(source), scale, upload);
  if (type == ShapeType::kHeightfield) view.heightfield = upload_heightfield(*heightfield_of(source), scale, upload);
  if (type == ShapeType::kSdf) view.sdf = upload_sdf(*sdf_of(source), scale.x, upload);
  return view;
}

}  // namespace

GeometryTable::GeometryTable(const Model& model, bool all_shapes) {
  const Array<int> type = model.shape_type.on_cpu(), source = model.shape_source.on_cpu();
  const Array<int> flags = model.shape_flags.on_cpu();
  const Array<Vec3> scale = model.shape_scale.on_cpu();
  std::map<std::tuple<int, int, Real, Real, Real>, int> known;
  std::vector<GeometryView> views;
  std::vector<int> row(model.shape_count, -1);
  Upload upload(model.device, memory_);
  for (int s = 0; s < model.shape_count; ++s) {
    const bool collides = (flags[s] & (kShapeCollidesShapes | kShapeCollidesParticles)) != 0;
    if (source[s] < 0 || !(collides || all_shapes)) continue;
    const auto [place, is_new] =
        known.try_emplace({type[s], source[s], scale[s].x, scale[s].y, scale[s].z}, static_cast<int>(views.size()));
    if (is_new)
      views.push_back(upload_source(static_cast<ShapeType>(type[s]), model.shape_sources[source[s]], scale[s], upload));
    row[s] = place->second;
  }
  table_ = Array<GeometryView>(std::span<const GeometryView>(views), model.device);
  shape_geometry_ = Array<int>(std::span<const int>(row), model.device);
}

}  // namespace carom::inline CAROM_PRECISION
