#include "model/archetypes.h"

#include <algorithm>
#include <map>
#include <set>

#include "model/entities.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Rows of one world, and indices relative to it.
class WorldRows {
 public:
  WorldRows(const WorldLayout& layout, int world) : layout_(layout), world_(world) {}

  int world() const { return world_; }
  int begin(Entity entity) const { return world_ < 0 ? 0 : starts(entity)[world_]; }
  int end(Entity entity) const { return world_ < 0 ? starts(entity).back() : starts(entity)[world_ + 1]; }
  bool has(Entity entity, int row) const {
    const std::vector<int>& start = starts(entity);
    return world_ < 0 ? row < start.front() || row >= start[layout_.world_count]
                      : row >= start[world_] && row < start[world_ + 1];
  }
  // Own rows count from 0 (the globals keep their absolute numbers), -1 stays, other worlds' rows become -2 - row.
  int relative(Entity entity, int row) const {
    if (row < 0) return row;
    return has(entity, row) ? row - begin(entity) : -2 - row;
  }

 private:
  const std::vector<int>& starts(Entity entity) const { return layout_.start[static_cast<int>(entity)]; }

  const WorldLayout& layout_;
  int world_;
};

constexpr Entity referred_entity(Refers refers) {
  switch (refers) {
    case Refers::kParticle: return Entity::kParticle;
    case Refers::kShape: return Entity::kShape;
    case Refers::kJoint: return Entity::kJoint;
    case Refers::kArticulation: return Entity::kArticulation;
    case Refers::kTendon: return Entity::kTendon;
    case Refers::kActuator: return Entity::kActuator;
    default: return Entity::kBody;
  }
}

// Integer columns that make worlds differ in kind.
bool is_compared(const ColumnInfo& info) {
  return info.refers != Refers::kKey && info.refers != Refers::kText && info.refers != Refers::kWorld;
}

// All integers that make up the structure of a world, in one list; two worlds are alike when their lists are.
void write_signature(const HostModel& host, const WorldRows& rows, std::span<const Index2> filter_pairs,
                     std::vector<int>& signature) {
  signature.clear();
  for (int e = 0; e < kEntityCount; ++e)
    signature.push_back(rows.end(static_cast<Entity>(e)) - rows.begin(static_cast<Entity>(e)));
  visit_columns([&](const ColumnInfo& info, auto get) {
    const auto& column = get(host.column);
    using Element = std::remove_cvref_t<decltype(column[0])>;
    const auto relative = [&](int value) {
      const bool number = info.refers == Refers::kNothing || info.refers == Refers::kSource;
      return number ? value : rows.relative(referred_entity(info.refers), value);
    };
    if constexpr (std::is_same_v<Element, int>) {
      if (!is_compared(info)) return;
      for (int i = rows.begin(info.entity); i < rows.end(info.entity); ++i) signature.push_back(relative(column[i]));
    } else if constexpr (std::is_same_v<Element, Index2> || std::is_same_v<Element, Index3> ||
                         std::is_same_v<Element, Index4>) {
      for (int i = rows.begin(info.entity); i < rows.end(info.entity); ++i)
        for (const int value : column[i]) signature.push_back(relative(value));
    }
  });
  for (const Index2& pair : filter_pairs)
    for (const int shape : pair) signature.push_back(rows.relative(Entity::kShape, shape));
}

// Explicit filter pairs ordered by the world they matter to; start has world_count + 1 entries.
struct FilterPairs {
  std::vector<Index2> pairs;
  std::vector<int> start;
};

FilterPairs filter_pairs_by_world(const HostModel& host, int world_count) {
  const Array<int>& world_of = host.column.shape_world;
  const auto world = [&](const Index2& pair) { return std::max(world_of[pair[0]], world_of[pair[1]]); };
  const Array<Index2> given = host.model.shape_collision_filter_pairs.on_cpu();
  FilterPairs sorted{{given.begin(), given.end()}, {}};
  std::stable_sort(sorted.pairs.begin(), sorted.pairs.end(), [&](const Index2& a, const Index2& b) {
    return world(a) != world(b) ? world(a) < world(b) : a < b;
  });
  std::size_t at = 0;
  for (int w = 0; w <= world_count; ++w) {
    while (at < sorted.pairs.size() && world(sorted.pairs[at]) < w) ++at;
    sorted.start.push_back(static_cast<int>(at));
  }
  return sorted;
}

// Joints by depth, parents before children; each connected tree gets a number.
void build_tree(const HostModel& host, const WorldRows& rows, Archetype& archetype) {
  const ModelColumns<Array>& c = host.column;
  const Array<int> joint_q_start = host.model.joint_q_start.on_cpu(),
                   joint_qd_start = host.model.joint_qd_start.on_cpu();
  std::map<int, int> joint_of_body;  // absolute body -> absolute joint, own joints alone
  std::vector<int> joints;
  for (int j = rows.begin(Entity::kJoint); j < rows.end(Entity::kJoint); ++j) {
    if (!rows.has(Entity::kJoint, j)) continue;
    joint_of_body[c.joint_child[j]] = j;
    joints.push_back(j);
  }
  const auto parent_joint = [&](int joint) {
    const auto found = joint_of_body.find(c.joint_parent[joint]);
    return found == joint_of_body.end() ? -1 : found->second;
  };
  std::map<int, int> depth, tree;
  for (const int j : joints) {
    int d = 0, root = j;
    for (int p = parent_joint(j); p >= 0; p = parent_joint(p)) ++d, root = p;
    depth[j] = d;
    tree[j] = root;
  }
  std::stable_sort(joints.begin(), joints.end(), [&](int a, int b) { return depth[a] < depth[b]; });

  std::map<int, int> tree_number;
  for (const int j : joints) {
    const auto [linear, angular] = c.joint_dof_dim[j];
    if (depth[j] == static_cast<int>(archetype.level_start.size()))
      archetype.level_start.push_back(static_cast<int>(archetype.tree_joints.size()));
    archetype.tree_joints.push_back({
        .joint = rows.relative(Entity::kJoint, j),
        .type = static_cast<JointType>(c.joint_type[j]),
        .parent = rows.relative(Entity::kBody, c.joint_parent[j]),
        .child = rows.relative(Entity::kBody, c.joint_child[j]),
        .q = joint_q_start[j] - rows.begin(Entity::kJointCoord),
        .qd = joint_qd_start[j] - rows.begin(Entity::kJointDof),
        .linear = linear,
        .angular = angular,
    });
    const int number = tree_number.try_emplace(tree[j], static_cast<int>(tree_number.size())).first->second;
    archetype.tree_of_joint.push_back(number);
  }
  archetype.level_start.push_back(static_cast<int>(archetype.tree_joints.size()));
  archetype.tree_count = static_cast<int>(tree_number.size());
}

// Bodies of the world that no joint moves, by their number in it.
std::vector<int> loose_bodies(const std::vector<TreeJoint>& joints, const WorldRows& rows) {
  std::set<int> loose;
  for (int b = rows.begin(Entity::kBody); b < rows.end(Entity::kBody); ++b)
    if (rows.has(Entity::kBody, b)) loose.insert(rows.relative(Entity::kBody, b));
  for (const TreeJoint& joint : joints) loose.erase(joint.child);
  return {loose.begin(), loose.end()};
}

}  // namespace

std::vector<Archetype> find_archetypes(const HostModel& host) {
  const WorldLayout& layout = *host.model.layout;
  std::vector<Archetype> archetypes;
  const auto make = [&](int world) {
    Archetype& made = archetypes.emplace_back();
    build_tree(host, WorldRows(layout, world), made);
    return static_cast<int>(archetypes.size()) - 1;
  };
  const std::vector<int>& body_start = layout.start[static_cast<int>(Entity::kBody)];
  if (body_start.front() > 0 || body_start.back() > body_start[layout.world_count])
    archetypes[make(-1)].world_list = {-1};

  const FilterPairs pairs = filter_pairs_by_world(host, layout.world_count);
  std::map<std::vector<int>, int> known;  // signature -> archetype
  std::vector<int> signature, last_signature;
  int last = -1;
  for (int world = 0; world < layout.world_count; ++world) {
    const std::span<const Index2> own(pairs.pairs.data() + pairs.start[world],
                                      pairs.pairs.data() + pairs.start[world + 1]);
    write_signature(host, WorldRows(layout, world), own, signature);
    if (last < 0 || signature != last_signature) {
      const auto found = known.find(signature);
      last = found != known.end() ? found->second : (known[signature] = make(world));
      std::swap(signature, last_signature);
    }
    archetypes[last].world_list.push_back(world);
  }
  for (Archetype& archetype : archetypes) {
    archetype.worlds = Array<int>(std::span<const int>(archetype.world_list), layout.device);
    archetype.tree = Array<TreeJoint>(std::span<const TreeJoint>(archetype.tree_joints), layout.device);
    archetype.level_start_device = Array<int>(std::span<const int>(archetype.level_start), layout.device);
    const std::vector<int> loose = loose_bodies(archetype.tree_joints, WorldRows(layout, archetype.world_list.front()));
    archetype.loose_bodies = Array<int>(std::span<const int>(loose), layout.device);
  }
  return archetypes;
}

}  // namespace carom::inline CAROM_PRECISION
