// Model: lookup by key, views of one world, gravity.
#include "carom/model.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/fail.h"
#include "base/near_names.h"
#include "carom/builder.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// The column of an entity that has numbers of keys or texts; nullptr: it has none.
const Array<int>* name_column(const Model& model, Entity entity, Refers refers) {
  const Array<int>* column = nullptr;
  visit_columns([&](const ColumnInfo& info, auto get) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(get(model))>, Array<int>>) {
      if (info.entity == entity && info.refers == refers) column = &get(model);
    }
  });
  return column;
}

// Lookup happens on the host.
const Array<int>& key_ids(const Model& model, Entity entity) {
  const Array<int>* column = name_column(model, entity, Refers::kKey);
  if (!column) fail(entity_name(entity), "s have no keys");
  return *column;
}

struct Rows {
  int begin, end;
};

std::vector<Rows> rows_of(const Model& model, Entity entity, int world) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  if (world == kAnyWorld) return {{0, start.back()}};
  if (world == -1) return {{0, model.world_count > 0 ? start.front() : 0}, {start[model.world_count], start.back()}};
  if (world < 0 || world >= model.world_count) fail("world ", world, " does not exist: there are ", model.world_count);
  return {{start[world], start[world + 1]}};
}

// Number of an entity in its world; of globals, the number in the whole model.
int place_in_world(const Model& model, Entity entity, int index) {
  const std::vector<int>& start = model.layout->start[static_cast<int>(entity)];
  const auto next = std::upper_bound(start.begin(), start.begin() + model.world_count + 1, index);
  const bool is_global = next == start.begin() || next == start.begin() + model.world_count + 1;
  return is_global ? index : index - *(next - 1);
}

// "body_3" -> 3; -1 when the text is not such a name.
int generated_place(Entity entity, const std::string& key) {
  const std::string prefix = std::string(entity_name(entity)) + "_";
  if (!key.starts_with(prefix) || key.size() == prefix.size() || key.size() > prefix.size() + 9) return -1;
  int place = 0;
  for (const char digit : key.substr(prefix.size())) {
    if (digit < '0' || digit > '9') return -1;
    place = place * 10 + (digit - '0');
  }
  return place;
}

// Of all worlds, when none is named.
std::string near_keys(const Model& model, Entity entity, const Array<int>& ids, const std::string& key, int world) {
  std::vector<int> known;
  for (const Rows rows : rows_of(model, entity, world))
    std::copy_if(ids.begin() + rows.begin, ids.begin() + rows.end, std::back_inserter(known),
                 [](int id) { return id >= 0; });
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::vector<std::string> names;
  for (const int id : known) names.push_back(model.keys->name(id));
  if (names.empty()) return text("; there are none, see ", entity_name(entity), "_key");
  return "; near are " + near_names(names, key);
}

int find(const Model& model, Entity entity, const std::string& key, int world) {
  const Array<int> ids = key_ids(model, entity).on_cpu();
  const int id = model.keys->find(key), place = generated_place(entity, key);
  int found = -1, matches = 0;
  for (const Rows rows : rows_of(model, entity, world)) {
    for (int i = rows.begin; i < rows.end; ++i) {
      const bool match = id >= 0 ? ids[i] == id : place >= 0 && ids[i] < 0 && place_in_world(model, entity, i) == place;
      if (match && matches++ == 0) found = i;
    }
  }
  if (matches == 0)
    fail("no ", entity_name(entity), " has the key '", key, "'",
         world == kAnyWorld ? std::string() : text(" in world ", world), near_keys(model, entity, ids, key, world));
  if (matches > 1)
    fail(matches, " worlds have a ", entity_name(entity), " with the key '", key, "'; name one of them with world=");
  return found;
}

}  // namespace

int Model::find_particle(const std::string& key, int world) const { return find(*this, Entity::kParticle, key, world); }
int Model::find_body(const std::string& key, int world) const { return find(*this, Entity::kBody, key, world); }
int Model::find_shape(const std::string& key, int world) const { return find(*this, Entity::kShape, key, world); }
int Model::find_joint(const std::string& key, int world) const { return find(*this, Entity::kJoint, key, world); }
int Model::find_articulation(const std::string& key, int world) const {
  return find(*this, Entity::kArticulation, key, world);
}
int Model::find_equality_constraint(const std::string& key, int world) const {
  return find(*this, Entity::kEqualityConstraint, key, world);
}
int Model::find_tendon(const std::string& key, int world) const { return find(*this, Entity::kTendon, key, world); }
int Model::find_actuator(const std::string& key, int world) const { return find(*this, Entity::kActuator, key, world); }
int Model::find_sensor(const std::string& key, int world) const { return find(*this, Entity::kSensor, key, world); }

int Model::find_world(const std::string& key) const {
  for (int world = 0; world < world_count; ++world)
    if (world_key(world) == key) return world;
  fail("no world has the key '", key, "'; see world_key");
}

std::string Model::key(Entity entity, int index) const {
  const Array<int>& ids = key_ids(*this, entity);
  if (index < 0 || index >= ids.size())
    fail(entity_name(entity), " ", index, " does not exist: there are ", ids.size());
  const int id = ids.slice(index, index + 1).on_cpu()[0];
  return id >= 0 ? keys->name(id) : text(entity_name(entity), "_", place_in_world(*this, entity, index));
}

std::string Model::custom(Entity entity, int index) const {
  const Array<int>* ids = name_column(*this, entity, Refers::kText);
  if (!ids) fail(entity_name(entity), "s have no custom attributes; bodies, shapes, joints and articulations do");
  if (index < 0 || index >= ids->size())
    fail(entity_name(entity), " ", index, " does not exist: there are ", ids->size());
  const int id = ids->slice(index, index + 1).on_cpu()[0];
  return id >= 0 ? keys->name(id) : std::string();
}

std::string Model::world_key(int world) const {
  if (world < 0 || world >= world_count) fail("world ", world, " does not exist: there are ", world_count);
  return world_key_id[world] >= 0 ? keys->name(world_key_id[world]) : text("world_", world);
}

ModelColumns<Array> Model::world(int world) const {
  if (world < 0 || world >= world_count) fail("world ", world, " does not exist: there are ", world_count);
  ModelColumns<Array> view;
  visit_columns([&](const ColumnInfo& info, auto get) {
    const std::vector<int>& start = layout->start[static_cast<int>(info.entity)];
    get(view) = get(*this).slice(start[world], start[world + 1]);
  });
  return view;
}

void Model::set_gravity(Vec3 value, int world) const {
  if (!is_finite(value)) fail("set_gravity: gravity is not finite; give finite numbers");
  if (world < kAnyWorld || world >= world_count)
    fail("set_gravity: world ", world, " does not exist: there are ", world_count);
  if (edits->is_open) fail("set_gravity: the model is being edited; write to the gravity of the edit");
  std::vector<Vec3> rows(world == kAnyWorld ? world_count + 1 : 1, value);
  const int first = world == kAnyWorld ? 0 : world == -1 ? world_count : world;
  gravity.slice(first, first + static_cast<int>(rows.size())).assign(Array<Vec3>(std::span<const Vec3>(rows)));
  ++edits->generation;
  std::vector<int> worlds(rows.size(), world);
  if (world == kAnyWorld) {
    std::iota(worlds.begin(), worlds.end(), 0);
    worlds.back() = -1;
  }
  edits->remember({{"gravity", worlds}});
}

void Model::Edits::remember(std::vector<ColumnChange> columns) {
  constexpr std::size_t kRemembered = 16;
  if (recent.size() == kRemembered) recent.erase(recent.begin());
  recent.push_back({generation, std::move(columns)});
}

std::optional<std::vector<ColumnChange>> Model::changes_since(std::int64_t since) const {
  std::vector<ColumnChange> all;
  std::int64_t known = 0;
  for (const Edits::Change& change : edits->recent) {
    if (change.generation <= since) continue;
    ++known;
    all.insert(all.end(), change.columns.begin(), change.columns.end());
  }
  if (known != generation() - since) return {};
  return all;
}

}  // namespace carom::inline CAROM_PRECISION
