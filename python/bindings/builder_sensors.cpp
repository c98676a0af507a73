// ModelBuilder: sensors. What they look at is given by number or by key; a key with a star stands for all that match,
// each of which gets a sensor.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "builder.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

using Name = std::variant<int, std::string>;
using MaybeName = std::optional<Name>;
using MaybeFrame = std::optional<std::tuple<Name, Given<Transform>>>;
using Words = std::variant<std::string, std::vector<std::string>>;
using Added = std::variant<int, std::vector<int>>;

// One way to say what is sensed.
struct Criterion {
  const char* argument;
  SensorObject type;
  MaybeName name;
  Transform xform{};
  int axis = 0;
};

struct Match {
  SensedObject object{};
  std::string name{};  // of what a pattern stands for
};

bool is_pattern(const Criterion& c) {
  const std::string* key = std::get_if<std::string>(&*c.name);
  return key && key->find('*') != std::string::npos;
}

Entity entity_of(SensorObject type) {
  switch (type) {
    case SensorObject::kShape:
    case SensorObject::kSite: return Entity::kShape;
    case SensorObject::kJoint: return Entity::kJoint;
    case SensorObject::kTendon: return Entity::kTendon;
    case SensorObject::kActuator: return Entity::kActuator;
    default: return Entity::kBody;
  }
}

std::vector<Match> matches_of(const ModelBuilder& builder, const Criterion& c) {
  const auto object = [&](int index) { return SensedObject{c.type, index, c.xform, c.axis}; };
  if (const int* index = std::get_if<int>(&*c.name)) return {{object(*index)}};
  const std::string& key = std::get<std::string>(*c.name);
  const Entity entity = entity_of(c.type);
  if (entity == Entity::kBody && key == "world") return {{object(-1)}};
  std::vector<Match> matches;
  for (const int row : builder.find(entity, key)) {
    const bool is_site = entity == Entity::kShape && (builder.columns().shape_flags[row] & kShapeIsSite) != 0;
    if (is_pattern(c) && is_site != (c.type == SensorObject::kSite)) continue;
    matches.push_back({object(row), is_pattern(c) ? builder.key(entity, row) : ""});
  }
  if (matches.empty()) throw Error("no " + std::string(sensor_object_name(c.type)) + " has a key like '" + key + "'");
  return matches;
}

// At most one of them is given; none is anything.
struct Side {
  std::vector<Match> matches{Match{}};
  bool pattern = false;

  Side(const ModelBuilder& builder, const std::vector<Criterion>& criteria) {
    const char* given = nullptr;
    for (const Criterion& c : criteria) {
      if (!c.name) continue;
      if (given) throw Error(std::string(given) + " and " + c.argument + " are given; give one of them");
      given = c.argument;
      pattern = is_pattern(c);
      try {
        matches = matches_of(builder, c);
      } catch (const Error& error) {
        throw Error(std::string(c.argument) + ": " + error.what());
      }
    }
  }
};

// Those of a pattern are members of one channel.
std::string member_key(const std::string& key, const std::string& first, const std::string& second) {
  if (key.empty() || (first.empty() && second.empty())) return key;
  return key + "[" + first + (first.empty() || second.empty() ? "" : ", ") + second + "]";
}

Added add_matches(ModelBuilder& builder, SensorType type, const std::vector<Criterion>& objects,
                  const std::vector<Criterion>& references, const SensorConfig& cfg, const std::string& key) {
  const auto sides = [&] {
    try {
      return std::pair{Side(builder, objects), Side(builder, references)};
    } catch (const Error& error) {
      throw Error((key.empty() ? "sensor" : "sensor '" + key + "'") + " (" + sensor_type_name(type) +
                  "): " + error.what());
    }
  }();
  std::vector<int> added;
  for (const Match& first : sides.first.matches)
    for (const Match& second : sides.second.matches)
      added.push_back(
          builder.add_sensor(type, first.object, second.object, cfg, member_key(key, first.name, second.name)));
  if (sides.first.pattern || sides.second.pattern) return added;
  return added.front();
}

// -- Numbers

std::string words_of(const Words& words) {
  if (const std::string* line = std::get_if<std::string>(&words)) return *line;
  std::string line;
  for (const std::string& word : std::get<std::vector<std::string>>(words)) line += (line.empty() ? "" : " ") + word;
  return line;
}

// Of all sensors, behind their own arguments.
struct Reading {
  Real cutoff, noise, delay;
  int samples;
  std::string interpolation;
  Given<RealN<2>> interval;

  void set(SensorConfig& cfg) const {
    cfg.cutoff = cutoff;
    cfg.noise = noise;
    cfg.delay = delay;
    cfg.samples = samples;
    cfg.interpolation = parse_interpolation(interpolation);
    cfg.interval = read(interval, "interval");
  }
};

constexpr const char* kMeasuredDoc =
    "cutoff: values are clamped to it, 0 = they are not. noise: standard deviation of what is added. ";
constexpr const char* kContactDoc =
    "cutoff, noise: kept, and written to model files; as in MuJoCo, neither changes what a contact sensor reads. ";
constexpr const char* kReadingDoc =
    "delay: a reading is so old [s]. samples: readings that are kept, at least 1 for a delay or an interval. "
    "interpolation between them: \"hold\", \"linear\" or \"cubic\". interval: it reads every so often, and first so "
    "much "
    "before that [s].\n\n"
    "What it looks at is a number, or a key of the open world or a global one; with a star it stands for all that "
    "match, in their order: each gets a sensor \"key[name]\", and a list of their numbers is returned. \"world\" is "
    "body -1.";

Added add_contact_sensor(ModelBuilder& self, const Key& key, const MaybeName& geom1, const MaybeName& body1,
                         const MaybeName& subtree1, const MaybeName& site, const MaybeName& geom2,
                         const MaybeName& body2, const MaybeName& subtree2, const Words& data, int num,
                         const std::string& reduce, const Reading& reading) {
  SensorConfig cfg;
  cfg.data = parse_contact_data(words_of(data));
  cfg.num = num;
  cfg.reduce = parse_contact_reduce(reduce);
  reading.set(cfg);
  return add_matches(self, SensorType::kContact,
                     {{"geom1", SensorObject::kShape, geom1},
                      {"body1", SensorObject::kBody, body1},
                      {"subtree1", SensorObject::kSubtree, subtree1},
                      {"site", SensorObject::kSite, site}},
                     {{"geom2", SensorObject::kShape, geom2},
                      {"body2", SensorObject::kBody, body2},
                      {"subtree2", SensorObject::kSubtree, subtree2}},
                     cfg, key.text);
}

void def_contact_sensor(BuilderClass& cls) {
  cls.def(
      "add_sensor_contact",
      [](ModelBuilder& self, const Key& key, const MaybeName& geom1, const MaybeName& body1, const MaybeName& subtree1,
         const MaybeName& site, const MaybeName& geom2, const MaybeName& body2, const MaybeName& subtree2,
         const Words& data, int num, const std::string& reduce, Real cutoff, Real noise, Real delay, int samples,
         const std::string& interpolation, const Given<RealN<2>>& interval) {
        return add_contact_sensor(self, key, geom1, body1, subtree1, site, geom2, body2, subtree2, data, num, reduce,
                                  {cutoff, noise, delay, samples, interpolation, interval});
      },
      nb::kw_only(), nb::arg("key") = nb::none(), nb::arg("geom1") = nb::none(), nb::arg("body1") = nb::none(),
      nb::arg("subtree1") = nb::none(), nb::arg("site") = nb::none(), nb::arg("geom2") = nb::none(),
      nb::arg("body2") = nb::none(), nb::arg("subtree2") = nb::none(), nb::arg("data") = "found", nb::arg("num") = 1,
      nb::arg("reduce") = "none", nb::arg("cutoff") = 0.0, nb::arg("noise") = 0.0, nb::arg("delay") = 0.0,
      nb::arg("samples") = 0, nb::arg("interpolation") = "hold", nb::arg("interval") = nb::make_tuple(0.0, 0.0),
      (std::string("Contacts between two things: a shape (geom1), a body, a body with all that hang on it (subtree1) "
                   "or the volume of a site, and a second one; nothing given stands for anything. Normals point from "
                   "the first to the second, forces act on the second. data: some of \"found force torque dist pos "
                   "normal tangent linvel angvel\", in this order. num: contacts that it has room for. reduce: which "
                   "ones, \"none\" (the first), \"mindist\", \"maxforce\" or \"netforce\" (one for all of them).\n\n") +
       kContactDoc + kReadingDoc)
          .c_str());
}

// -- All others

Criterion framed(const char* argument, const MaybeFrame& frame) {
  Criterion c{argument, SensorObject::kFrame, {}};
  if (!frame) return c;
  c.name = std::get<0>(*frame);
  c.xform = read(std::get<1>(*frame), argument);
  return c;
}

int data_of(SensorType type, const std::optional<Words>& data) {
  if (!data) return SensorConfig{}.data;
  if (type == SensorType::kContact) return parse_contact_data(words_of(*data));
  if (type == SensorType::kRangefinder) return parse_ray_data(words_of(*data));
  throw Error(std::string("data is for contact sensors and rangefinders, not for ") + sensor_type_name(type));
}

void def_sensor(BuilderClass& cls) {
  cls.def(
      "add_sensor",
      [](ModelBuilder& self, const std::string& name, const Key& key, const MaybeName& body, const MaybeName& subtree,
         const MaybeName& shape, const MaybeName& site, const MaybeFrame& frame, const MaybeName& joint, int axis,
         const MaybeName& tendon, const MaybeName& actuator, const MaybeName& reference_body,
         const MaybeName& reference_subtree, const MaybeName& reference_shape, const MaybeName& reference_site,
         const MaybeFrame& reference_frame, const std::optional<Words>& data, const Given<RealN<4>>& camera,
         std::array<int, 2> resolution, Real cutoff, Real noise, Real delay, int samples,
         const std::string& interpolation, const Given<RealN<2>>& interval) {
        const SensorType type = parse_sensor_type(name);
        SensorConfig cfg;
        cfg.data = data_of(type, data);
        cfg.camera = read(camera, "camera");
        cfg.resolution = {resolution[0], resolution[1]};
        Reading{cutoff, noise, delay, samples, interpolation, interval}.set(cfg);
        return add_matches(self, type,
                           {{"body", SensorObject::kBody, body},
                            {"subtree", SensorObject::kSubtree, subtree},
                            {"shape", SensorObject::kShape, shape},
                            {"site", SensorObject::kSite, site},
                            framed("frame", frame),
                            {"joint", SensorObject::kJoint, joint, {}, axis},
                            {"tendon", SensorObject::kTendon, tendon},
                            {"actuator", SensorObject::kActuator, actuator}},
                           {{"reference_body", SensorObject::kBody, reference_body},
                            {"reference_subtree", SensorObject::kSubtree, reference_subtree},
                            {"reference_shape", SensorObject::kShape, reference_shape},
                            {"reference_site", SensorObject::kSite, reference_site},
                            framed("reference_frame", reference_frame)},
                           cfg, key.text);
      },
      nb::arg("type"), nb::kw_only(), nb::arg("key") = nb::none(), nb::arg("body") = nb::none(),
      nb::arg("subtree") = nb::none(), nb::arg("shape") = nb::none(), nb::arg("site") = nb::none(),
      nb::arg("frame") = nb::none(), nb::arg("joint") = nb::none(), nb::arg("axis") = 0, nb::arg("tendon") = nb::none(),
      nb::arg("actuator") = nb::none(), nb::arg("reference_body") = nb::none(),
      nb::arg("reference_subtree") = nb::none(), nb::arg("reference_shape") = nb::none(),
      nb::arg("reference_site") = nb::none(), nb::arg("reference_frame") = nb::none(), nb::arg("data") = nb::none(),
      nb::arg("camera") = nb::make_tuple(0.0, 0.0, 0.0, 0.0), nb::arg("resolution") = nb::make_tuple(1, 1),
      nb::arg("cutoff") = 0.0, nb::arg("noise") = 0.0, nb::arg("delay") = 0.0, nb::arg("samples") = 0,
      nb::arg("interpolation") = "hold", nb::arg("interval") = nb::make_tuple(0.0, 0.0),
      (std::string("A sensor of MuJoCo's name: \"accelerometer\", \"framepos\", \"jointpos\", ... What it looks at is "
                   "one of body, subtree, shape, site, frame, joint (and axis), tendon and actuator, against what one "
                   "of the references. frame: (body, xform); bodies, shapes and sites have frames, too. data: of a "
                   "rangefinder some of \"dist dir origin point normal depth\". camera, resolution: of what looks "
                   "through one, focal lengths and "
                   "principal point, and pixels across and down; it looks along -z.\n\n") +
       kMeasuredDoc + kReadingDoc)
          .c_str());
}

}  // namespace

void bind_builder_sensors(BuilderClass& cls) {
  def_contact_sensor(cls);
  def_sensor(cls);
}

}  // namespace carom::inline CAROM_PRECISION::python
