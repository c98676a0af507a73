// What is seen: names that others refer to are kept, everything else is only looked through.
#include <filesystem>
#include <set>

#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

void check_sensor_size(const CameraSpec& camera, const MjcfAttributes& given) {
  if (given.node->find("fovy") && given.node->find("sensorsize"))
    given.fail_at("sensorsize", "is given together with fovy");
  if (camera.sensor_size[0] > 0 && camera.sensor_size[1] > 0) {
    if (camera.resolution[0] < 1 || camera.resolution[1] < 1)
      given.fail_at("sensorsize", "needs a positive resolution");
    return;
  }
  for (const Doubles2* pair : {&camera.focal, &camera.focal_pixel, &camera.principal, &camera.principal_pixel})
    if ((*pair)[0] != 0 || (*pair)[1] != 0)
      given.fail_at("sensorsize", "must be positive where there is a focal length or a principal point");
}

}  // namespace

void check_tree(MjcfReading& in, const XmlNode& node, const MjcfElementRule& rule) {
  note_names(in, read_attributes(node, rule, in.messages));
  for (const RuledNode& child : ruled_children(in, node, rule)) check_tree(in, *child.node, *child.rule);
}

void read_visual(MjcfReading& in, const XmlNode& node) { check_tree(in, node, mjcf_rule("visual")); }

void read_look(MjcfReading& in, const RuledNode& at) {
  if (at.rule->id == "skin") return check_tree(in, *at.node, *at.rule);
  const MjcfAttributes given = read_with_class(in, at, "");
  std::string name = given.text("name");
  if (name.empty() && at.rule->id == "texture") name = std::filesystem::path(given.text("file")).stem().string();
  const std::vector<RuledNode> layers = ruled_children(in, *at.node, *at.rule);
  for (const RuledNode& layer : layers) check_tree(in, *layer.node, *layer.rule);
  if (at.rule->id == "material") {
    if (name.empty()) given.fail_at("name", "is missing");
    if (!layers.empty() && given.has("texture")) given.fail_at("texture", "is given together with layers");
  }
  in.named.emplace(at.rule->id, name);
}

CameraSpec camera_spec(const MjcfAttributes& given, const MjcfAngles& angles) {
  CameraSpec camera{given.node->place, given.text("name"), read_pose(given, angles)};
  camera.mode = given.word("mode", camera.mode);
  camera.projection = given.word("projection", camera.projection);
  given.read("fovy", camera.fovy);
  if (camera.fovy >= 180) given.fail_at("fovy", "must be less than 180 degrees, is ", camera.fovy);
  given.read("sensorsize", camera.sensor_size);
  given.read("focal", camera.focal);
  given.read("focalpixel", camera.focal_pixel);
  given.read("principal", camera.principal);
  given.read("principalpixel", camera.principal_pixel);
  Doubles2 resolution{1, 1};
  given.read("resolution", resolution);
  if (resolution[0] < 0 || resolution[1] < 0) given.fail_at("resolution", "is negative");
  constexpr double kMostPixels = 1 << 24;  // sensors have a number for each
  if (resolution[0] * resolution[1] > kMostPixels) given.fail_at("resolution", "is more than ", kMostPixels, " pixels");
  camera.resolution = {static_cast<int>(resolution[0]), static_cast<int>(resolution[1])};
  check_sensor_size(camera, given);
  return camera;
}

void note_names(MjcfReading& in, const MjcfAttributes& given) {
  for (const MjcfValue& value : given.values)
    if (!value.rule->refers_to.empty() && !value.text.empty())
      in.mentions.push_back({given.node->place, given.node->name, value.rule->name, value.rule->refers_to, value.text});
}

void check_mentions(const MjcfReading& in) {
  std::set<std::string> bodies;
  for (const BodySpec& body : in.spec.bodies) bodies.insert(body.name);
  for (const MjcfMention& mention : in.mentions) {
    bool found = in.named.contains({mention.kind, mention.name});
    if (mention.kind == "body") {  // copies of a replicate have longer names
      const auto next = bodies.lower_bound(mention.name);
      found = next != bodies.end() && next->starts_with(mention.name);
    }
    if (!found)
      fail(at_place(mention.place, mention.element, mention.attribute), "there is no ", mention.kind, " '",
           mention.name, "'");
  }
}

}  // namespace carom::inline CAROM_PRECISION
