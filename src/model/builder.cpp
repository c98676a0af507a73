// ModelBuilder: bookkeeping that all kinds of entities share, and worlds.
#include "carom/builder.h"

#include <limits>

#include "model/checks.h"
#include "model/entities.h"
#include "model/finalize.h"
#include "model/up_axis.h"

namespace carom::inline CAROM_PRECISION {

ModelBuilder::ModelBuilder(Axis up_axis, std::optional<Vec3> gravity)
    : gravity(gravity.value_or(default_gravity(up_axis))) {
  check_finite("ModelBuilder", "gravity", this->gravity);
  data_.up_axis = up_axis;
}

int ModelBuilder::count(Entity entity) const { return entity_count(data_.columns, entity); }

std::string ModelBuilder::key(Entity entity, int index) const {
  const std::vector<int>* ids = key_column(data_.columns, entity);
  if (!ids) fail(entity_name(entity), "s have no keys");
  if (index < 0 || index >= count(entity))
    fail(entity_name(entity), " ", index, " does not exist: there are ", count(entity));
  return (*ids)[index] >= 0 ? data_.keys.name((*ids)[index]) : std::string();
}

void ModelBuilder::set_custom(Entity entity, int index, const std::string& json) {
  custom(entity, index);  // throws for one that does not exist
  (data_.columns.*custom_column(entity))[index] = json.empty() ? -1 : data_.keys.intern(json);
}

std::string ModelBuilder::custom(Entity entity, int index) const {
  const auto column = custom_column(entity);
  if (!column) fail(entity_name(entity), "s have no custom attributes; bodies, shapes, joints and articulations do");
  if (index < 0 || index >= count(entity))
    fail(entity_name(entity), " ", index, " does not exist: there are ", count(entity));
  const int id = (data_.columns.*column)[index];
  return id >= 0 ? data_.keys.name(id) : std::string();
}

void ModelBuilder::check_room(Entity entity, std::int64_t more) const {
  if (count(entity) + more > std::numeric_limits<int>::max())
    fail(count(entity) + more, " entities of kind ", entity_name(entity),
         " are more than the 2^31 - 1 that a model can hold; split the worlds over several models");
}

// Keys are unique among the entities of one kind in one world (or among the globals).
int ModelBuilder::claim_key(Entity entity, const std::string& key) {
  if (key.empty()) return -1;
  const int id = data_.keys.intern(key);
  const std::int64_t claim = (std::int64_t{id} << 8) | static_cast<int>(entity);
  if (!used_keys_[current_world_ >= 0].insert(claim).second)
    fail(entity_name(entity), " key '", key, "' is already taken in ",
         current_world_ < 0 ? std::string("the global world") : text("world ", current_world_), "; choose another key");
  return id;
}

// For methods that append many rows, without keys.
void ModelBuilder::all_or_nothing(const std::function<void()>& add) {
  std::array<int, kEntityCount> counts;
  for (int e = 0; e < kEntityCount; ++e) counts[e] = count(static_cast<Entity>(e));
  try {
    add();
  } catch (...) {
    visit_columns(
        [&](const ColumnInfo& info, auto get) { get(data_.columns).resize(counts[static_cast<int>(info.entity)]); });
    throw;
  }
}

void ModelBuilder::check_body(int body, const std::string& who) const {
  if (body == -1) return;
  if (body < -1 || body >= count(Entity::kBody))
    fail(who, ": body ", body, " does not exist: there are ", count(Entity::kBody), " bodies; use -1 for the world");
  const int world = data_.columns.body_world[body];
  if (world != -1 && world != current_world_)
    fail(who, ": ", describe(data_, Entity::kBody, body), " belongs to world ", world,
         current_world_ < 0 ? text(", which is closed") : text(", not to the current world ", current_world_),
         "; add what belongs to it between begin_world() and end_world() of that world");
}

void ModelBuilder::check_joint(int joint, const std::string& who) const {
  if (joint < 0 || joint >= count(Entity::kJoint))
    fail(who, ": joint ", joint, " does not exist: there are ", count(Entity::kJoint), " joints");
  const int world = data_.columns.joint_world[joint];
  if (world != current_world_)
    fail(who, ": ", describe(data_, Entity::kJoint, joint), " belongs to world ", world, ", not to the current world ",
         current_world_, "; only joints of one world can be put together");
}

void ModelBuilder::check_tendon(int tendon, const std::string& who) const {
  if (tendon < 0 || tendon >= count(Entity::kTendon))
    fail(who, ": tendon ", tendon, " does not exist: there are ", count(Entity::kTendon), " tendons");
  const int world = data_.columns.tendon_world[tendon];
  if (world != current_world_)
    fail(who, ": ", describe(data_, Entity::kTendon, tendon), " belongs to world ", world,
         ", not to the current world ", current_world_, "; only tendons of one world can be put together");
}

void ModelBuilder::check_particles(std::span<const int> particles, const std::string& who) const {
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const int p = particles[i];
    if (p < 0 || p >= count(Entity::kParticle))
      fail(who, ": particle ", p, " does not exist: there are ", count(Entity::kParticle), " particles");
    if (data_.columns.particle_world[p] != current_world_)
      fail(who, ": particle ", p, " belongs to world ", data_.columns.particle_world[p], ", not to the current world ",
           current_world_, "; name particles of one world");
    for (std::size_t j = 0; j < i; ++j)
      if (particles[j] == p) fail(who, ": particle ", p, " is named twice; name different particles");
  }
}

// -- Worlds

int ModelBuilder::begin_world(const std::string& key, std::optional<Vec3> gravity) {
  if (current_world_ >= 0)
    fail("begin_world: world ", current_world_, " is still open; worlds do not nest, call end_world() first");
  const Vec3 g = gravity.value_or(this->gravity);
  check_finite(text("begin_world '", key, "'"), "gravity", g);
  for (int e = 0; world_count() > 0 && e < kEntityCount; ++e) {
    const Entity entity = static_cast<Entity>(e);
    if (count(entity) != end_of_worlds_[e])
      fail("begin_world: ", describe(data_, entity, end_of_worlds_[e]),
           " was added between two worlds; global entities come before the first world or after the last one");
  }
  int key_id = -1;
  if (!key.empty()) {
    key_id = data_.keys.intern(key);
    for (int w = 0; w < world_count(); ++w)
      if (data_.world_key_id[w] == key_id)
        fail("begin_world: world key '", key, "' is already taken by world ", w, "; choose another key");
  }
  data_.world_gravity.push_back(g);
  data_.world_key_id.push_back(key_id);
  used_keys_[1].clear();
  return current_world_ = world_count() - 1;
}

void ModelBuilder::end_world() {
  if (current_world_ < 0) fail("end_world: no world is open; call begin_world() first");
  for (int e = 0; e < kEntityCount; ++e) end_of_worlds_[e] = count(static_cast<Entity>(e));
  current_world_ = -1;
}

Model ModelBuilder::finalize(Device device) const {
  if (current_world_ >= 0) fail("finalize: world ", current_world_, " is still open; call end_world() first");
  check_not_negative("builder", "rigid_contact_margin", rigid_contact_margin);
  check_finite("builder", "gravity", gravity);
  check_options(options);
  return make_model(data_, options, gravity, rigid_contact_margin, device);
}

}  // namespace carom::inline CAROM_PRECISION
