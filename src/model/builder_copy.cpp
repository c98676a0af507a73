// ModelBuilder: copying one builder into another, once or thousands of times.
//
// A copy appends every column of the other builder, with the integers that point to entities shifted by how many
// entities were there before. Columns are walked once each, so 10,000 copies cost what the memory costs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/builder.h"
#include "model/checks.h"
#include "model/contact_options.h"
#include "model/entities.h"
#include "model/joints/joints.kernel.h"
#include "model/up_axis.h"

namespace carom::inline CAROM_PRECISION {

namespace {

std::string describe(const ModelOptions& o) {
  std::string particles;
  visit_particle_material(o, [&](const char* name, Real value) { particles += text(", ", name, " ", value); });
  return text("timestep ", o.timestep, ", ", integrator_name(o.integrator),
              o.euler_damping ? "" : " without implicit damping", ", ", cone_name(o.cone), " cone, impratio ",
              o.impratio, o.refsafe ? "" : ", not refsafe", o.diagexact ? ", diagexact" : "",
              o.speculative ? ", speculative" : "", ", contact_keep_distance ", o.contact_keep_distance, ", noslip ",
              o.noslip_iterations, " ", o.noslip_tolerance, ", density ", o.density, ", viscosity ", o.viscosity,
              ", wind ", o.wind.x, " ", o.wind.y, " ", o.wind.z, ", magnetic ", o.magnetic.x, " ", o.magnetic.y, " ",
              o.magnetic.z, o.sleep ? ", sleep " : ", no sleep ", o.sleep_tolerance, ", combine ",
              combine_rule_name(o.combine), particles);
}

template <std::size_t N>
std::array<int, N> shifted(std::array<int, N> index, int shift) {
  for (int& i : index) i += shift;
  return index;
}
int shifted(int index, int shift) { return index < 0 ? index : index + shift; }

// Room for more values; at least twice as much as before, so that world after world can be added.
template <class T>
void grow(std::vector<T>& values, std::size_t more) {
  const std::size_t needed = values.size() + more;
  if (needed > values.capacity()) values.reserve(std::max(needed, 2 * values.capacity()));
}

// Appends `copies` times the values of `from`; change(value, copy) is what the copies differ by.
template <class T, class Change>
void append(std::vector<T>& to, const std::vector<T>& from, int copies, Change change) {
  grow(to, from.size() * copies);
  for (int copy = 0; copy < copies; ++copy)
    for (const T& value : from) to.push_back(change(value, copy));
}

template <class T>
void append_same(std::vector<T>& to, const std::vector<T>& from, int copies) {
  grow(to, from.size() * copies);
  for (int copy = 0; copy < copies; ++copy) to.insert(to.end(), from.begin(), from.end());
}

// Places a grid of `count` points along the axes that have a spacing: it stands on the ground, and is centred along the
// two axes of the ground.
std::vector<Transform> grid_of_worlds(int count, Vec3 spacing, Axis up_axis) {
  int axes = 0;
  for (int a = 0; a < 3; ++a) axes += spacing[a] != 0;
  int side = 1;
  while (axes > 0 && std::pow(double(side), axes) < count) ++side;
  std::vector<Transform> xforms(count);
  for (int i = 0; i < count; ++i) {
    int rest = i;
    for (int a = 0; a < 3; ++a) {
      if (spacing[a] == 0) continue;
      const Real middle = a != static_cast<int>(up_axis) ? Real(side - 1) / 2 : 0;
      xforms[i].p[a] = (rest % side - middle) * spacing[a];
      rest /= side;
    }
  }
  return xforms;
}

// The numbers in `to` of the keys, or of the texts, of `from`.
std::vector<int> interned(KeyTable& to, const ModelData& from, Refers refers, const std::string& prefix) {
  std::vector<int> ids(static_cast<std::size_t>(from.keys.size()), -1);
  const auto use = [&](int id) {
    if (id >= 0 && ids[id] < 0) ids[id] = to.intern(prefix + from.keys.name(id));
  };
  visit_columns([&](const ColumnInfo& info, auto get) {
    if constexpr (std::is_same_v<decltype(get), ColumnOf<int>>) {
      if (info.refers != refers) return;
      for (const int id : get(from.columns)) use(id);
    }
  });
  return ids;
}

bool is_identity(const Transform& X) { return X.p == Vec3{} && X.q.x == 0 && X.q.y == 0 && X.q.z == 0 && X.q.w == 1; }

// What a constraint fixes to the world moves along.
void place_equality(ModelColumns<Vector>& c, int i, const Transform& X) {
  const EqualityType type = static_cast<EqualityType>(c.equality_constraint_type[i]);
  const bool first = c.equality_constraint_body1[i] < 0, second = c.equality_constraint_body2[i] < 0;
  Vec3 &anchor = c.equality_constraint_anchor[i], &anchor2 = c.equality_constraint_anchor2[i];
  Transform& relpose = c.equality_constraint_relpose[i];
  if (type == EqualityType::kConnect) {
    if (first) anchor = transform_point(X, anchor);
    if (second) anchor2 = transform_point(X, anchor2);
  } else if (type == EqualityType::kWeld) {
    if (first) relpose = X * relpose;
    if (!second) return;
    relpose = relpose * inverse(X), anchor = transform_point(X, anchor);
    RealN<4>& axes = c.equality_constraint_axes[i];
    const Quat turned = X.q * Quat{axes[0], axes[1], axes[2], axes[3]};
    axes = {turned.x, turned.y, turned.z, turned.w};
  }
}

// What a placement moves: poses and velocities of bodies and particles, shapes of the world, frames of root joints,
// what constraints, tendons, actuators and sensors fix to the world, and coordinates of root joints that are free.
// Works on the rows of one copy, which start at `first`.
void place(ModelColumns<Vector>& c, const std::array<int, kEntityCount>& first,
           const std::array<int, kEntityCount>& size, const Transform& X) {
  const auto rows = [&](Entity entity) {
    const int e = static_cast<int>(entity);
    return std::pair(first[e], first[e] + size[e]);
  };
  const auto [particle, particle_end] = rows(Entity::kParticle);
  for (int i = particle; i < particle_end; ++i) {
    c.particle_q[i] = transform_point(X, c.particle_q[i]);
    c.particle_qd[i] = transform_vector(X, c.particle_qd[i]);
  }
  const auto [body, body_end] = rows(Entity::kBody);
  for (int i = body; i < body_end; ++i) {
    c.body_q[i] = X * c.body_q[i];
    c.body_qd[i] = {transform_vector(X, c.body_qd[i].linear), transform_vector(X, c.body_qd[i].angular)};
  }
  const auto [shape, shape_end] = rows(Entity::kShape);
  for (int i = shape; i < shape_end; ++i)
    if (c.shape_body[i] < 0) c.shape_transform[i] = X * c.shape_transform[i];
  const auto [equality, equality_end] = rows(Entity::kEqualityConstraint);
  for (int i = equality; i < equality_end; ++i) place_equality(c, i, X);
  const auto [point, point_end] = rows(Entity::kTendonPoint);
  for (int i = point; i < point_end; ++i) {
    if (c.tendon_point_body[i] < 0) c.tendon_point_xform[i] = X * c.tendon_point_xform[i];
    if (c.tendon_point_side_body[i] < 0) c.tendon_point_side[i] = transform_point(X, c.tendon_point_side[i]);
  }
  const auto [actuator, actuator_end] = rows(Entity::kActuator);
  for (int i = actuator; i < actuator_end; ++i) {
    if (c.actuator_body[i] < 0) c.actuator_site[i] = X * c.actuator_site[i];
    if (c.actuator_reference_body[i] < 0) c.actuator_reference[i] = X * c.actuator_reference[i];
  }
  const auto [sensor, sensor_end] = rows(Entity::kSensor);
  for (int i = sensor; i < sensor_end; ++i) {
    if (c.sensor_body[i] < 0) c.sensor_frame[i] = X * c.sensor_frame[i];
    if (c.sensor_reference_body[i] < 0) c.sensor_reference_frame[i] = X * c.sensor_reference_frame[i];
  }
  const auto [joint, joint_end] = rows(Entity::kJoint);
  int q = first[static_cast<int>(Entity::kJointCoord)], qd = first[static_cast<int>(Entity::kJointDof)];
  for (int i = joint; i < joint_end; ++i) {
    const JointType type = static_cast<JointType>(c.joint_type[i]);
    const auto [linear, angular] = c.joint_dof_dim[i];
    if (c.joint_parent[i] < 0) {
      if (type == JointType::kFree) {
        // The coordinates are relative to the joint frame: p' = X_p^-1 X X_p p.
        const Transform Y = inverse(c.joint_X_p[i]) * X * c.joint_X_p[i];
        Real* const p = &c.joint_q[q];
        const Transform moved = Y * Transform{{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
        std::copy_n(&moved.p.x, 3, p);
        std::copy_n(&moved.q.x, 4, p + 3);
        for (int part = 0; part < 6; part += 3) {
          Real* const v = &c.joint_qd[qd + part];
          const Vec3 turned = transform_vector(Y, Vec3{v[0], v[1], v[2]});
          std::copy_n(&turned.x, 3, v);
        }
      } else {
        c.joint_X_p[i] = X * c.joint_X_p[i];
      }
    }
    q += joint_coord_count(type, {linear, angular});
    qd += linear + angular;
  }
}

}  // namespace

void ModelBuilder::check_addable(const ModelBuilder& other, std::int64_t copies, const AddArgs& args,
                                 const char* who) const {
  if (other.current_world_ >= 0 || other.world_count() > 0)
    fail(who, ": the builder to copy has worlds of its own; worlds do not nest, copy a builder without worlds");
  if (other.up_axis() != up_axis())
    fail(who, ": the builder to copy has up_axis ", axis_name(other.up_axis()), ", this one ", axis_name(up_axis()),
         "; make both with the same one");
  if (const ModelOptions none; other.options != none && options != none && other.options != options)
    fail(who, ": the options of the builder to copy (", describe(other.options), ") are not those of this one (",
         describe(options), "), and all worlds of a model are stepped alike; give both the same options");
  check_transform(who, "xform", args.xform);
  for (int e = 0; e < kEntityCount; ++e) {
    const Entity entity = static_cast<Entity>(e);
    check_room(entity, copies * other.count(entity));
  }
}

void ModelBuilder::take_options(const ModelBuilder& other) {
  if (other.options != ModelOptions{}) options = other.options;
}

std::optional<Vec3> ModelBuilder::own_gravity() const {
  return gravity == default_gravity(up_axis()) ? std::nullopt : std::optional(gravity);
}

void ModelBuilder::append_copies(const ModelBuilder& other, const std::vector<Transform>& xforms,
                                 const std::string& key_prefix, bool world_each) {
  const int copies = static_cast<int>(xforms.size());
  const int first_world = current_world_;
  std::array<int, kEntityCount> base{}, size{};
  for (int e = 0; e < kEntityCount; ++e) {
    base[e] = count(static_cast<Entity>(e));
    size[e] = other.count(static_cast<Entity>(e));
  }
  const auto base_of = [&](Entity entity, int copy) {
    return base[static_cast<int>(entity)] + copy * size[static_cast<int>(entity)];
  };
  take_options(other);
  const std::vector<int> key_ids = interned(data_.keys, other.data_, Refers::kKey, key_prefix);
  const std::vector<int> text_ids = interned(data_.keys, other.data_, Refers::kText, "");
  std::vector<int> source_ids;
  for (const ShapeSource& source : other.data_.shape_sources) source_ids.push_back(intern_source(source));

  visit_columns([&](const ColumnInfo& info, auto get) {
    auto& to = get(data_.columns);
    const auto& from = get(other.data_.columns);
    using Element = typename std::remove_cvref_t<decltype(to)>::value_type;
    const auto shift = [&](Entity entity) {
      if constexpr (!std::is_same_v<Element, Real> &&
                    (std::is_integral_v<Element> || requires(Element e) { e.size(); })) {
        if constexpr (requires(Element e) { shifted(e, 0); })
          append(to, from, copies, [&](const Element& v, int copy) { return shifted(v, base_of(entity, copy)); });
      }
    };
    switch (info.refers) {
      case Refers::kNothing: append_same(to, from, copies); break;
      case Refers::kParticle: shift(Entity::kParticle); break;
      case Refers::kBody: shift(Entity::kBody); break;
      case Refers::kShape: shift(Entity::kShape); break;
      case Refers::kJoint: shift(Entity::kJoint); break;
      case Refers::kArticulation: shift(Entity::kArticulation); break;
      case Refers::kTendon: shift(Entity::kTendon); break;
      case Refers::kActuator: shift(Entity::kActuator); break;
      default:
        if constexpr (std::is_same_v<Element, int>) {
          if (info.refers == Refers::kWorld) {
            append(to, from, copies, [&](int, int copy) { return world_each ? first_world + copy : first_world; });
          } else {
            const std::vector<int>& ids = info.refers == Refers::kKey    ? key_ids
                                          : info.refers == Refers::kText ? text_ids
                                                                         : source_ids;
            append(to, from, copies, [&](int id, int) { return id < 0 ? -1 : ids[id]; });
          }
        }
    }
  });
  append(body_joint_, other.body_joint_, copies,
         [&](int joint, int copy) { return shifted(joint, base_of(Entity::kJoint, copy)); });
  append_same(body_locked_, other.body_locked_, copies);
  append(data_.shape_collision_filter_pairs, other.data_.shape_collision_filter_pairs, copies,
         [&](const Index2& pair, int copy) { return shifted(pair, base_of(Entity::kShape, copy)); });

  for (int copy = 0; copy < copies; ++copy) {
    if (is_identity(xforms[copy])) continue;
    std::array<int, kEntityCount> first;
    for (int e = 0; e < kEntityCount; ++e) first[e] = base_of(static_cast<Entity>(e), copy);
    place(data_.columns, first, size, xforms[copy]);
  }
}

void ModelBuilder::add_builder(const ModelBuilder& builder, const AddArgs& args) {
  check_addable(builder, 1, args, "add_builder");
  if (&builder == this) return add_builder(ModelBuilder(*this), args);  // a copy: its columns grow while they are read
  std::unordered_set<std::int64_t>& used = used_keys_[current_world_ >= 0];
  const auto claim = [](int id, int entity) { return (std::int64_t{id} << 8) | entity; };
  std::vector<std::pair<std::string, int>> keys;  // nothing is interned before all of them are known to be free
  for (int e = 0; e < kEntityCount; ++e) {
    const std::vector<int>* ids = key_column(builder.data_.columns, static_cast<Entity>(e));
    for (std::size_t i = 0; ids && i < ids->size(); ++i) {
      if ((*ids)[i] < 0) continue;
      const std::string key = args.key_prefix + builder.data_.keys.name((*ids)[i]);
      if (const int id = data_.keys.find(key); id >= 0 && used.contains(claim(id, e)))
        fail("add_builder: ", entity_name(static_cast<Entity>(e)), " key '", key,
             "' is already taken in this world; give key_prefix");
      keys.emplace_back(key, e);
    }
  }
  append_copies(builder, {{args.xform.p, normalize(args.xform.q)}}, args.key_prefix, false);
  for (const auto& [key, e] : keys) used.insert(claim(data_.keys.find(key), e));
}

int ModelBuilder::add_world(const ModelBuilder& builder, const AddArgs& args, const std::string& key) {
  if (&builder == this) fail("add_world: a builder cannot become a world of itself; use a second builder");
  check_addable(builder, 1, args, "add_world");
  const int world = begin_world(key, builder.own_gravity());
  add_builder(builder, args);
  end_world();
  return world;
}

void ModelBuilder::replicate(const ModelBuilder& builder, int count, Vec3 spacing) {
  if (count < 0) fail("replicate: count must not be negative, is ", count);
  check_finite("replicate", "spacing", spacing);
  if (&builder == this) fail("replicate: a builder cannot become a world of itself; use a second builder");
  check_addable(builder, count, {}, "replicate");
  if (std::int64_t{world_count()} + count > std::numeric_limits<int>::max())
    fail("replicate: ", std::int64_t{world_count()} + count,
         " worlds are more than the 2^31 - 1 that a model can hold; split the worlds over several models");
  if (count == 0) return;
  begin_world("", builder.own_gravity());  // checks that a world can be begun; the other worlds follow it directly
  const Vec3 gravity = data_.world_gravity.back();
  data_.world_gravity.resize(data_.world_gravity.size() + count - 1, gravity);
  data_.world_key_id.resize(data_.world_key_id.size() + count - 1, -1);
  append_copies(builder, grid_of_worlds(count, spacing, up_axis()), "", true);
  end_world();
}

}  // namespace carom::inline CAROM_PRECISION
