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
  view.edge_parts = upload(arrays.edge_parts);
  view.face_edges = upload(arrays.face_edges);
  view.neighbor_start = upload(arrays.neighbor_start);
  view.neighbor = upload(arrays.neighbor);
  view.rows.vertex = upload(arrays.vertex_rows);
  view.rows.face = upload(arrays.face_rows);
  view.directions.start = upload(arrays.directions.start);
  view.directions.id = upload(arrays.directions.id);
  view.directions.vertex = upload(arrays.directions.vertex);
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

const Mesh& unit_box() {
  static const Mesh box = [] {
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k) corners.push_back({k & 1 ? Real(1) : -1, k & 2 ? Real(1) : -1, k & 4 ? Real(1) : -1});
    return convex_hull(Mesh(corners, {}));
  }();
  return box;
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
  const auto is_wanted = [&](int s) {
    return all_shapes || (flags[s] & (kShapeCollidesShapes | kShapeCollidesParticles)) != 0;
  };
  bool hulls = false;
  for (int s = 0; s < model.shape_count; ++s) hulls |= ShapeType(type[s]) == ShapeType::kConvexHull && is_wanted(s);
  for (int s = 0; s < model.shape_count; ++s) {
    const bool box = hulls && ShapeType(type[s]) == ShapeType::kBox;  // meets hulls as one of them
    if ((source[s] < 0 && !box) || !is_wanted(s)) continue;
    const auto [place, is_new] =
        known.try_emplace({type[s], source[s], scale[s].x, scale[s].y, scale[s].z}, static_cast<int>(views.size()));
    row[s] = place->second;
    if (!is_new) continue;
    GeometryView view{};
    if (box) view.hull = upload_hull(unit_box(), scale[s], upload);
    else view = upload_source(ShapeType(type[s]), model.shape_sources[source[s]], scale[s], upload);
    views.push_back(view);
  }
  table_ = Array<GeometryView>(std::span<const GeometryView>(views), model.device);
  shape_geometry_ = Array<int>(std::span<const int>(row), model.device);
}

}  // namespace carom::inline CAROM_PRECISION
