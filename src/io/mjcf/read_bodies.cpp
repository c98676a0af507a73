// <worldbody>, <body>, <frame>, <replicate>: the tree of bodies, depth first. Frames and replicates are no bodies: what
// is in them is placed in the body around them.
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Where an element stands in the tree.
struct Around {
  int body = 0;
  MjcfPose frame{};  // in the body
  std::string childclass{};
  std::string suffix{};  // of all names, inside replicates
};

std::string suffixed(const std::string& name, const Around& around) {
  return name.empty() ? name : name + around.suffix;
}

void read_body_children(MjcfReading& in, const XmlNode& node, const MjcfElementRule& rule, const Around& around);

InertialSpec inertial_spec(const MjcfAttributes& given, const MjcfAngles& angles) {
  InertialSpec inertial;
  if (!given.has("mass")) given.fail_at("mass", "is missing");
  inertial.pose = read_pose(given, angles);
  given.read("mass", inertial.mass);
  given.read("diaginertia", inertial.diagonal);
  std::array<double, 6> full{};
  if (given.read("fullinertia", full)) {
    if (given.has("diaginertia")) given.fail_at("fullinertia", "is given together with diaginertia");
    for (const char* turn : {"quat", "axisangle", "xyaxes", "zaxis", "euler"})
      if (given.has(turn)) given.fail_at("fullinertia", "is given together with ", turn);
    inertial.full = full;
  }
  return inertial;
}

void read_body(MjcfReading& in, const RuledNode& at, const Around& around) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  BodySpec body;
  body.place = at.node->place;
  body.name = suffixed(given.text("name"), around);
  body.parent = around.body;
  body.pose = around.frame * read_pose(given, in.angles());
  body.mocap = given.is_true("mocap", false);
  body.sleep = given.word("sleep", 0);
  given.read("gravcomp", body.gravcomp);
  in.spec.bodies.push_back(std::move(body));
  const Around inside{
      static_cast<int>(in.spec.bodies.size()) - 1, {}, given.text("childclass", around.childclass), around.suffix};
  find_class(in, *at.node, inside.childclass);
  read_body_children(in, *at.node, *at.rule, inside);
}

void read_frame(MjcfReading& in, const RuledNode& at, const Around& around) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  Around inside = around;
  inside.frame = around.frame * read_pose(given, in.angles());
  inside.childclass = given.text("childclass", around.childclass);
  find_class(in, *at.node, inside.childclass);
  read_body_children(in, *at.node, *at.rule, inside);
}

// Copies are moved and turned from one to the next, and their names end with their number.
void read_replicate(MjcfReading& in, const RuledNode& at, const Around& around) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  if (!given.has("count")) given.fail_at("count", "is missing");
  const int count = given.integer("count", 0);
  if (count < 1) given.fail_at("count", "must be positive, is ", count);
  MjcfPose step;
  given.read("offset", step.p);
  Vec3d euler;
  if (given.read("euler", euler)) step.q = quat_from_euler(euler, in.angles());
  const std::string separator = given.text("sep");
  const std::size_t digits = std::to_string(count).size();
  Around inside = around;
  inside.childclass = given.text("childclass", around.childclass);
  for (int i = 0; i < count; ++i) {
    if (i > 0) in.budget.count_tree(*at.node);
    std::string number = std::to_string(i);
    number.insert(0, digits - number.size(), '0');
    inside.suffix = separator + number + around.suffix;
    read_body_children(in, *at.node, *at.rule, inside);
    inside.frame = inside.frame * step;
  }
}

void read_joint(MjcfReading& in, const RuledNode& at, const Around& around) {
  JointSpec joint = joint_spec(read_with_class(in, at, around.childclass), in.angles());
  joint.name = suffixed(joint.name, around);
  joint.pos = around.frame.p + rotate(around.frame.q, joint.pos);
  joint.axis = rotate(around.frame.q, joint.axis);
  in.spec.bodies[static_cast<std::size_t>(around.body)].joints.push_back(std::move(joint));
}

void read_freejoint(MjcfReading& in, const RuledNode& at, const Around& around) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  JointSpec joint;
  joint.place = at.node->place;
  joint.name = suffixed(given.text("name"), around);
  joint.type = mj::kFree;
  joint.align = given.word("align", joint.align);
  in.spec.bodies[static_cast<std::size_t>(around.body)].joints.push_back(std::move(joint));
}

// Returns false for an element that is none of a body's own.
bool read_leaf(MjcfReading& in, const RuledNode& at, const Around& around) {
  BodySpec& body = in.spec.bodies[static_cast<std::size_t>(around.body)];
  if (at.rule->id == "geom") {
    GeomSpec geom = geom_spec(read_with_class(in, at, around.childclass), in.angles());
    ruled_children(in, *at.node, *at.rule);
    geom.name = suffixed(geom.name, around);
    geom.pose = around.frame * geom.pose;
    body.geoms.push_back(std::move(geom));
  } else if (at.rule->id == "site") {
    SiteSpec site = site_spec(read_with_class(in, at, around.childclass), in.angles());
    site.name = suffixed(site.name, around);
    site.pose = around.frame * site.pose;
    body.sites.push_back(std::move(site));
  } else if (at.rule->id == "camera") {
    CameraSpec camera = camera_spec(read_with_class(in, at, around.childclass));
    camera.name = suffixed(camera.name, around);
    body.cameras.push_back(std::move(camera));
  } else if (at.rule->id == "light") {
    const std::string name = read_with_class(in, at, around.childclass).text("name");
    body.lights.push_back({at.node->place, suffixed(name, around)});
  } else if (at.rule->id == "inertial") {
    if (body.inertial) fail_at(*at.node, "the body has two of them");
    body.inertial = inertial_spec(read_attributes(*at.node, *at.rule, in.messages), in.angles());
  } else if (at.rule->id == "joint") {
    read_joint(in, at, around);
  } else if (at.rule->id == "freejoint") {
    read_freejoint(in, at, around);
  } else {
    return false;
  }
  return true;
}

void read_body_children(MjcfReading& in, const XmlNode& node, const MjcfElementRule& rule, const Around& around) {
  for (const RuledNode& child : ruled_children(in, node, rule)) {
    const std::string& id = child.rule->id;
    const bool in_world = around.body == 0;
    if (in_world && (id == "joint" || id == "freejoint" || id == "inertial"))
      fail_at(*child.node, "the world has none");
    if (rule.id != "body" && id == "inertial") fail_at(*child.node, "stands in a body alone");
    if (read_leaf(in, child, around)) continue;
    if (id == "body") read_body(in, child, around);
    else if (id == "frame") read_frame(in, child, around);
    else if (id == "replicate") read_replicate(in, child, around);
    else
      attach_body(in, read_attributes(*child.node, *child.rule, in.messages), around.body, around.frame, around.suffix);
  }
}

}  // namespace

void read_worldbody(MjcfReading& in, const XmlNode& node) {
  const MjcfElementRule& rule = mjcf_rule("worldbody");
  const MjcfAttributes given = read_attributes(node, rule, in.messages);
  Around around;
  around.childclass = given.text("childclass");
  find_class(in, node, around.childclass);
  read_body_children(in, node, rule, around);
}

}  // namespace carom::inline CAROM_PRECISION
