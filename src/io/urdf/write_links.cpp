// Bodies as links, with what they weigh and their shapes; meshes as OBJ files.
#include <algorithm>

#include "base/fail.h"
#include "io/urdf/write.h"
#include "model/up_axis.h"

namespace carom::inline CAROM_PRECISION {

namespace {

bool is_no_displacement(const Transformd& X) { return X.p == Vec3d{} && X.q.x == 0 && X.q.y == 0 && X.q.z == 0; }

// Of what is written as a joint that moves; fixed and floating ones on the world say where the body itself is.
Transformd frame_of(const UrdfWriting& w, int body) {
  const int joint = w.m.body_joint[body];
  if (joint < 0 || (w.m.body_flags[body] & kBodyKinematic)) return {};
  const auto type = static_cast<JointType>(w.m.joint_type[joint]);
  const bool on_world = w.m.joint_parent[joint] < 0;
  if (type == JointType::kFixed || type == JointType::kBall) return {};
  if ((type == JointType::kFree || type == JointType::kDistance) && on_world) return {};
  return to_double(w.m.joint_X_c[joint]);
}

void write_urdf_inertial(UrdfWriting& w, int body, XmlElement& link) {
  const Model& m = w.m;
  const std::vector<int>& shapes = w.shapes_of[w.place(body)];
  const bool collides = std::any_of(shapes.begin(), shapes.end(), [&](int s) { return is_written_collision(w, s); });
  if (m.body_mass[body] == 0 && !collides) return;  // without a word, shapes would weigh something
  XmlElement& inertial = link.add("inertial");
  const Transformd frame = inverse(w.link_frame[w.place(body)]);
  set_origin(inertial, {transform_point(frame, to_double(m.body_com[body])), frame.q});
  inertial.add("mass").set("value", m.body_mass[body]);
  const Mat33 I = m.body_inertia[body];
  XmlElement& inertia = inertial.add("inertia");
  const std::pair<const char*, Real> numbers[] = {{"ixx", I[0][0]}, {"ixy", I[0][1]}, {"ixz", I[0][2]},
                                                  {"iyy", I[1][1]}, {"iyz", I[1][2]}, {"izz", I[2][2]}};
  for (const auto& [name, value] : numbers) inertia.set(name, value);
}

std::string obj_text(const Mesh& mesh) {
  std::string content;
  for (const Vec3& v : mesh.vertices)
    content += "v " + numbers_text(std::array{float(v.x), float(v.y), float(v.z)}) + "\n";
  for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3)
    content +=
        "f " + numbers_text(std::array{mesh.indices[i] + 1, mesh.indices[i + 1] + 1, mesh.indices[i + 2] + 1}) + "\n";
  return content;
}

const std::string& mesh_file(UrdfWriting& w, int source) {
  const auto [entry, added] = w.mesh_files.emplace(source, "");
  if (added) {
    const Mesh& mesh = *std::get<std::shared_ptr<const Mesh>>(w.m.shape_sources[static_cast<std::size_t>(source)]);
    entry->second = text(w.mesh_folder, w.mesh_folder.empty() ? "" : "/", "mesh_", w.meshes.size(), ".obj");
    w.meshes.push_back({entry->second, obj_text(mesh)});
  }
  return entry->second;
}

void write_geometry(UrdfWriting& w, int shape, XmlElement& into) {
  const Vec3 scale = w.m.shape_scale[shape];
  const auto round = [&](const char* tag) {
    XmlElement& element = into.add(tag);
    element.set("radius", scale.x);
    element.set("length", 2 * scale.y);
  };
  switch (static_cast<ShapeType>(w.m.shape_type[shape])) {
    case ShapeType::kBox: into.add("box").set("size", scale * Real(2)); break;
    case ShapeType::kSphere: into.add("sphere").set("radius", scale.x); break;
    case ShapeType::kCylinder: round("cylinder"); break;
    case ShapeType::kCapsule: round("capsule"); break;
    default: {
      XmlElement& mesh = into.add("mesh");
      mesh.set("filename", mesh_file(w, w.m.shape_source[shape]));
      mesh.set_unless("scale", scale, Vec3{1, 1, 1});
    }
  }
}

bool has_geometry(ShapeType type) {
  return type == ShapeType::kBox || type == ShapeType::kSphere || type == ShapeType::kCylinder ||
         type == ShapeType::kCapsule || type == ShapeType::kMesh || type == ShapeType::kConvexHull;
}

void write_urdf_shape(UrdfWriting& w, int shape, int body, XmlElement& link) {
  const Model& m = w.m;
  const auto type = static_cast<ShapeType>(m.shape_type[shape]);
  const std::string name = w.called(Entity::kShape, shape);
  if (m.shape_flags[shape] & kShapeIsSite) {
    w.lost.add("sites", name);
    return;
  }
  if (!has_geometry(type)) {
    w.lost.add(text("shapes of type ", shape_type_name(type)), name);
    return;
  }
  const bool collides = is_written_collision(w, shape);
  if (collides && type == ShapeType::kMesh)
    w.lost.add("surfaces of colliding meshes, which are their convex hulls", name);
  XmlElement& element = link.add(collides ? "collision" : "visual");
  if (m.shape_key_id[shape] >= 0) element.set("name", m.keys->name(m.shape_key_id[shape]));
  set_origin(element, inverse(w.link_frame[w.place(body)]) * to_double(m.shape_transform[shape]));
  write_geometry(w, shape, element.add("geometry"));
}

}  // namespace

bool is_written_collision(const UrdfWriting& w, int shape) {
  const int flags = w.m.shape_flags[shape];
  return (flags & kShapeCollidesShapes) && !(flags & kShapeIsSite) && w.m.shape_collision_group[shape] != 0 &&
         (w.m.shape_contype[shape] != 0 || w.m.shape_conaffinity[shape] != 0) &&
         has_geometry(static_cast<ShapeType>(w.m.shape_type[shape]));
}

void plan_urdf_links(UrdfWriting& w) {
  const auto count = static_cast<std::size_t>(w.m.body_count) + 1;
  w.shapes_of.resize(count);
  w.link_name.resize(count);
  w.link_frame.resize(count);
  w.dof_name.resize(static_cast<std::size_t>(w.m.joint_dof_count));
  for (const int shape : w.shapes) w.shapes_of[w.place(w.m.shape_body[shape])].push_back(shape);
  w.link_name[0] = "world";
  w.link_frame[0] = {{}, to_double(turn_of_z(w.m.up_axis))};  // z is up in the file
  for (const int body : w.bodies) {
    const int key = w.m.body_key_id[body];
    w.link_name[w.place(body)] = free_name(w.links, key >= 0 ? w.m.keys->name(key) : text("body_", body));
    w.link_frame[w.place(body)] = frame_of(w, body);
    if (!is_no_displacement(w.link_frame[w.place(body)]))
      w.lost.add("frames of bodies, which are those of their joints", w.called(Entity::kBody, body));
  }
}

void write_urdf_links(UrdfWriting& w) {
  XmlElement& world = add_named(w.root, "link", "world");
  for (const int shape : w.shapes_of[0]) write_urdf_shape(w, shape, -1, world);
  for (const int body : w.bodies) {
    XmlElement& link = add_named(w.root, "link", w.link_name[w.place(body)]);
    write_urdf_inertial(w, body, link);
    for (const int shape : w.shapes_of[w.place(body)]) write_urdf_shape(w, shape, body, link);
  }
}

}  // namespace carom::inline CAROM_PRECISION
