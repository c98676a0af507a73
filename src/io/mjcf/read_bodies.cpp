// <worldbody>, <body>, <frame>, <replicate>: the tree of bodies, depth first. Frames and replicates are no bodies: what
// is in them is placed in the body around them.
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"
#include "io/mjcf/subtree.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Where an element stands in the tree.
struct Around {
  int body = 0;
  MjcfPose frame{};  // in the body
  std::string childclass{};
  bool replicated = false;
};

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
  body.name = given.text("name");
  body.parent = around.body;
  body.own = read_pose(given, in.angles());
  body.pose = around.frame * body.own;
  body.rules = in.spec.compiler.inertia;
  body.mocap = given.is_true("mocap", false);
  body.fuse = given.is_true("fuse", true);
  body.sleep = given.word("sleep", 0);
  given.read("gravcomp", body.gravcomp);
  in.spec.bodies.push_back(std::move(body));
  const Around inside{static_cast<int>(in.spec.bodies.size()) - 1, {}, given.text("childclass", around.childclass)};
  find_class(in, *at.node, inside.childclass);
  read_body_children(in, *at.node, *at.rule, inside);
}

void read_frame(MjcfReading& in, const RuledNode& at, const Around& around) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  Around inside = around;
  inside.frame = around.frame * read_pose(given, in.angles());
  inside.childclass = given.text("childclass", around.childclass);
  find_class(in, *at.node, inside.childclass);
  FrameSpec frame{given.text("name"), around.frame, inside.frame, begin_run(in.spec, around.body),
                  read_frame_scale(given)};
  read_body_children(in, *at.node, *at.rule, inside);
  end_run(in.spec, frame.run);
  if (!frame.name.empty() || !frame.scale.is_one()) in.spec.frames.push_back(std::move(frame));
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
  MjcfRun run = begin_run(in.spec, around.body);
  read_body_children(in, *at.node, *at.rule, {around.body, {}, given.text("childclass", around.childclass), true});
  end_run(in.spec, run);
  const Subtree original = cut_run(in.spec, run);
  NamesInside inside(original);
  const MjcfReferences references = take_references(in.spec, inside);
  const std::size_t elements = original.elements() + count_elements(references), name_bytes = original.name_bytes();
  MjcfPose frame = around.frame;
  for (int i = 0; i < count; ++i) {
    std::string number = std::to_string(i);
    number.insert(0, digits - number.size(), '0');
    const Renaming names{"", separator + number};
    // The first copy takes the place of what was read, and only its names are longer.
    const CopySize longer{0, name_bytes + elements * names.suffix.size()};
    count_copy(in.budget, *at.node, i > 0 ? CopySize{elements, name_bytes} : longer, names);
    add_subtree(in.spec, original, around.body, frame, names);
    add_references(in.spec, references, inside, names);
    frame = frame * step;
  }
}

void read_joint(MjcfReading& in, const RuledNode& at, const Around& around) {
  JointSpec joint = joint_spec(read_with_class(in, at, around.childclass), in.angles());
  joint.pos = around.frame.p + rotate(around.frame.q, joint.pos);
  joint.axis = rotate(around.frame.q, joint.axis);
  in.spec.bodies[static_cast<std::size_t>(around.body)].joints.push_back(std::move(joint));
}

void read_freejoint(MjcfReading& in, const RuledNode& at, const Around& around) {
  const MjcfAttributes given = read_attributes(*at.node, *at.rule, in.messages);
  JointSpec joint;
  joint.place = at.node->place;
  joint.name = given.text("name");
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
    geom.pose = around.frame * geom.pose;
    geom.fit_around = in.spec.compiler.fit_around;
    body.geoms.push_back(std::move(geom));
  } else if (at.rule->id == "site") {
    SiteSpec site = site_spec(read_with_class(in, at, around.childclass), in.angles());
    site.pose = around.frame * site.pose;
    body.sites.push_back(std::move(site));
  } else if (at.rule->id == "camera") {
    CameraSpec camera = camera_spec(read_with_class(in, at, around.childclass), in.angles());
    camera.pose = around.frame * camera.pose;
    body.cameras.push_back(std::move(camera));
  } else if (at.rule->id == "light") {
    body.lights.push_back({at.node->place, read_with_class(in, at, around.childclass).text("name")});
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
    if (around.replicated && (id == "joint" || id == "freejoint"))
      fail_at(*child.node, "in a replicate stands in a body");
    if (rule.id != "body" && id == "inertial") fail_at(*child.node, "stands in a body alone");
    if (read_leaf(in, child, around)) continue;
    if (id == "body") read_body(in, child, around);
    else if (id == "frame") read_frame(in, child, around);
    else if (id == "replicate") read_replicate(in, child, around);
    else read_attach(in, read_attributes(*child.node, *child.rule, in.messages), around.body, around.frame);
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
