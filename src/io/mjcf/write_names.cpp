// Names in a file: the keys of the model where it has some, and made ones where something must be referred to.
#include "io/mjcf/write.h"
#include "io/one_world.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::string key_of(const MjcfWriting& w, const Array<int>& key_ids, int row) {
  return key_ids[row] < 0 ? "" : w.m.keys->name(key_ids[row]);
}

void name_axes(MjcfWriting& w, int joint) {
  const auto type = static_cast<JointType>(w.m.joint_type[joint]);
  const bool turns = type == JointType::kBall || type == JointType::kFree;
  const int first = w.m.joint_qd_start[joint];
  const int count = turns ? 1 : w.m.joint_qd_start[joint + 1] - first;
  const std::string key = key_of(w, w.m.joint_key_id, joint);
  if (key.empty() || count == 0) return;
  const std::vector<std::string> parts = axis_names(key, count);
  for (std::size_t k = 0; k < parts.size(); ++k)
    w.dof_name[static_cast<std::size_t>(first) + k] = claim_name(w, WrittenKind::kJoint, parts[k]);
}

const std::string& needed(MjcfWriting& w, std::vector<std::string>& names, int row, WrittenKind kind,
                          const char* stem) {
  std::string& name = names[static_cast<std::size_t>(row)];
  if (name.empty()) name = claim_name(w, kind, text(stem, row));
  return name;
}

}  // namespace

std::string claim_name(MjcfWriting& w, WrittenKind kind, const std::string& wanted) {
  std::set<std::string>& used = w.used[static_cast<std::size_t>(kind)];
  std::string name = wanted;
  for (int i = 2; !used.insert(name).second; ++i) name = text(wanted, "_", i);
  return name;
}

void plan_names(MjcfWriting& w) {
  w.used[static_cast<std::size_t>(WrittenKind::kBody)].insert("world");
  w.body_name.resize(static_cast<std::size_t>(w.m.body_count));
  w.shape_name.resize(static_cast<std::size_t>(w.m.shape_count));
  w.tendon_name.resize(static_cast<std::size_t>(w.m.tendon_count));
  w.actuator_name.resize(static_cast<std::size_t>(w.m.actuator_count));
  w.dof_name.resize(static_cast<std::size_t>(w.m.joint_dof_count));
  const auto name_rows = [&](const std::vector<int>& rows, const Array<int>& keys, std::vector<std::string>& names,
                             WrittenKind kind) {
    for (const int row : rows) {
      const std::string key = key_of(w, keys, row);
      if (!key.empty()) names[static_cast<std::size_t>(row)] = claim_name(w, kind, key);
    }
  };
  std::vector<int> bodies, geoms, sites;
  for (const int body : w.bodies)
    if (!w.folded[static_cast<std::size_t>(body)]) bodies.push_back(body);
  for (const int shape : w.shapes) (w.m.shape_flags[shape] & kShapeIsSite ? sites : geoms).push_back(shape);
  name_rows(bodies, w.m.body_key_id, w.body_name, WrittenKind::kBody);
  name_rows(geoms, w.m.shape_key_id, w.shape_name, WrittenKind::kGeom);
  name_rows(sites, w.m.shape_key_id, w.shape_name, WrittenKind::kSite);
  name_rows(w.tendons, w.m.tendon_key_id, w.tendon_name, WrittenKind::kTendon);
  name_rows(w.actuators, w.m.actuator_key_id, w.actuator_name, WrittenKind::kActuator);
  for (const int joint : w.joints) name_axes(w, joint);
}

const std::string& named_body(MjcfWriting& w, int body) {
  static const std::string kWorld = "world";
  if (body < 0) return kWorld;
  if (w.folded[static_cast<std::size_t>(body)]) fail("to_mjcf: ", called(w, Entity::kBody, body), " has no mass");
  return needed(w, w.body_name, body, WrittenKind::kBody, "body_");
}
const std::string& named_shape(MjcfWriting& w, int shape) {
  return needed(w, w.shape_name, shape, WrittenKind::kGeom, "geom_");
}
const std::string& named_site(MjcfWriting& w, int shape) {
  return needed(w, w.shape_name, shape, WrittenKind::kSite, "site_");
}
const std::string& named_tendon(MjcfWriting& w, int tendon) {
  return needed(w, w.tendon_name, tendon, WrittenKind::kTendon, "tendon_");
}
const std::string& named_actuator(MjcfWriting& w, int actuator) {
  return needed(w, w.actuator_name, actuator, WrittenKind::kActuator, "actuator_");
}
const std::string& named_dof(MjcfWriting& w, int joint, int axis) {
  return needed(w, w.dof_name, w.m.joint_qd_start[joint] + axis, WrittenKind::kJoint, "joint_");
}

std::string add_written_site(MjcfWriting& w, int body, const Transformd& X, const std::string& wanted) {
  named_body(w, body);
  for (const WrittenSite& site : w.sites[w.place(body)])
    if (site.X.p == X.p && site.X.q.x == X.q.x && site.X.q.y == X.q.y && site.X.q.z == X.q.z && site.X.q.w == X.q.w)
      return site.name;
  std::string name = claim_name(w, WrittenKind::kSite, wanted);
  w.sites[w.place(body)].push_back({name, X});
  return name;
}

std::string called(const MjcfWriting& w, Entity entity, int row) {
  return text(entity_name(entity), " '", w.m.key(entity, row), "'");
}

}  // namespace carom::inline CAROM_PRECISION
