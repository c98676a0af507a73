// ModelBuilder: sensors.
#include "carom/builder.h"
#include "model/checks.h"
#include "model/entities.h"
#include "model/sensor_rows.h"

namespace carom::inline CAROM_PRECISION {

void ModelBuilder::check_sensed(const SensedObject& object, const std::string& who) const {
  const auto check_row = [&](Entity entity) {
    if (object.index < 0 || object.index >= count(entity))
      fail(who, ": ", entity_name(entity), " ", object.index, " does not exist: there are ", count(entity));
    const int world = (*world_column(data_.columns, entity))[object.index];
    if (world != -1 && world != current_world_)
      fail(who, ": ", describe(data_, entity, object.index), " belongs to world ", world,
           "; add a sensor of it between begin_world() and end_world() of that world");
  };
  switch (object.type) {
    case SensorObject::kNone: break;
    case SensorObject::kBody:
    case SensorObject::kSubtree:
    case SensorObject::kFrame: check_body(object.index, who); break;
    case SensorObject::kShape:
    case SensorObject::kSite: check_row(Entity::kShape); break;
    case SensorObject::kJoint: check_joint(object.index, who); break;
    case SensorObject::kTendon: check_tendon(object.index, who); break;
    case SensorObject::kActuator: check_row(Entity::kActuator); break;
  }
}

namespace {

int index_if(const SensedObject& object, std::initializer_list<SensorObject> kinds) {
  for (const SensorObject kind : kinds)
    if (object.type == kind) return object.index;
  return -1;
}
int body_of(const SensedObject& object) {
  return index_if(object, {SensorObject::kBody, SensorObject::kSubtree, SensorObject::kFrame});
}
int shape_of(const SensedObject& object) { return index_if(object, {SensorObject::kShape, SensorObject::kSite}); }

// What only has to be somewhere may be given as a body, shape or site, too: it is where their frame is.
SensedObject as_frame(const ModelColumns<Vector>& c, SensorObjects allowed, const SensedObject& object) {
  const bool taken = (sensor_objects(object.type) & allowed) != 0;
  if (taken || !(sensor_objects(SensorObject::kFrame) & allowed)) return object;
  if (object.type == SensorObject::kBody) return {SensorObject::kFrame, object.index};
  if (object.type != SensorObject::kShape && object.type != SensorObject::kSite) return object;
  return {SensorObject::kFrame, c.shape_body[object.index], c.shape_transform[object.index]};
}

}  // namespace

int ModelBuilder::add_sensor(SensorType type, const SensedObject& given_object, const SensedObject& given_reference,
                             const SensorConfig& cfg, const std::string& key) {
  const int sensor = count(Entity::kSensor);
  const std::string who = describe_new("sensor", sensor, key);
  check_room(Entity::kSensor, 1);
  check_sensed(given_object, who);
  check_sensed(given_reference, who);
  const SensorFacts& facts = sensor_facts(type);
  const SensedObject object = as_frame(data_.columns, facts.objects, given_object),
                     reference = as_frame(data_.columns, facts.references, given_reference);
  check_finite(who, "camera", cfg.camera);
  check_not_negative(who, "cutoff", cfg.cutoff);
  check_not_negative(who, "noise", cfg.noise);
  check_not_negative(who, "delay", cfg.delay);
  check_finite(who, "interval", cfg.interval);
  const Transform frame = check_transform(who, "frame", object.xform),
                  against = check_transform(who, "reference", reference.xform);
  all_or_nothing([&] {
    ModelColumns<Vector>& c = data_.columns;
    c.sensor_type.push_back(static_cast<int>(type));
    c.sensor_object_type.push_back(static_cast<int>(object.type));
    c.sensor_reference_type.push_back(static_cast<int>(reference.type));
    c.sensor_body.push_back(body_of(object));
    c.sensor_shape.push_back(shape_of(object));
    c.sensor_joint.push_back(index_if(object, {SensorObject::kJoint}));
    c.sensor_axis.push_back(object.axis);
    c.sensor_tendon.push_back(index_if(object, {SensorObject::kTendon}));
    c.sensor_actuator.push_back(index_if(object, {SensorObject::kActuator}));
    c.sensor_reference_body.push_back(body_of(reference));
    c.sensor_reference_shape.push_back(shape_of(reference));
    c.sensor_frame.push_back(frame);
    c.sensor_reference_frame.push_back(against);
    c.sensor_data.push_back(cfg.data);
    c.sensor_reduce.push_back(static_cast<int>(cfg.reduce));
    c.sensor_num.push_back(cfg.num);
    c.sensor_camera.push_back(cfg.camera);
    c.sensor_resolution.push_back(cfg.resolution);
    c.sensor_cutoff.push_back(cfg.cutoff);
    c.sensor_noise.push_back(cfg.noise);
    c.sensor_delay.push_back(cfg.delay);
    c.sensor_samples.push_back(cfg.samples);
    c.sensor_interpolation.push_back(static_cast<int>(cfg.interpolation));
    c.sensor_interval.push_back(cfg.interval);
    c.sensor_world.push_back(current_world_);
    c.sensor_key_id.push_back(-1);
    if (const std::string why = why_no_sensor(data_, sensor); !why.empty())
      fail(who, " (", sensor_type_name(type), "): ", why);
    c.sensor_key_id.back() = claim_key(Entity::kSensor, key);
  });
  return sensor;
}

}  // namespace carom::inline CAROM_PRECISION
