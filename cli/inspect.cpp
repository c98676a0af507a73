// carom inspect: what one stage of a step, from boxes to forces, makes of a model file, world by world.
#include <algorithm>
#include <cstdio>
#include <string>

#include "carom/carom.h"
#include "cli/commands.h"
#include "cli/load_model.h"
#include "cli/solver_args.h"
#include "cli/table.h"

namespace carom::cli {
namespace {

Real dt_of(const Model& model, const InspectArgs& args) {
  return args.dt ? static_cast<Real>(*args.dt) : model.options.timestep;
}

std::string number(Real value) { return format("%.6g", double(value)); }
std::string vector(Vec3 v) {
  return format("%.5g", double(v.x)) + " " + format("%.5g", double(v.y)) + " " + format("%.5g", double(v.z));
}
std::string world_name(int world) { return world < 0 ? "global" : std::to_string(world); }

// Of all worlds, or of one and the globals.
bool is_wanted(const InspectArgs& args, int world) { return args.world < 0 || world < 0 || world == args.world; }

void show_boxes(const InspectArgs& args, const CollisionPipeline& pipeline) {
  const Model& model = pipeline.model();
  const Array<Box> box = pipeline.shape_boxes();
  Table table({"world", "shape", "type", "lower [m]", "upper [m]"});
  for (int s = 0; s < model.shape_count; ++s)
    if (is_wanted(args, model.shape_world[s]))
      table.add({world_name(model.shape_world[s]), model.key(Entity::kShape, s),
                 shape_type_name(static_cast<ShapeType>(model.shape_type[s])), vector(box[s].lower),
                 vector(box[s].upper)});
  table.print(static_cast<std::size_t>(args.rows));
}

int world_of(const Model& model, int a, int b) { return std::max(model.shape_world[a], model.shape_world[b]); }

void show_pairs(const InspectArgs& args, const CollisionPipeline& pipeline) {
  const Model& model = pipeline.model();
  Table table({"world", "shape 0", "shape 1", "types"});
  for (const Index2& pair : pipeline.shape_pairs()) {
    const int world = world_of(model, pair[0], pair[1]);
    if (!is_wanted(args, world)) continue;
    const auto type = [&](int shape) { return shape_type_name(static_cast<ShapeType>(model.shape_type[shape])); };
    table.add({world_name(world), model.key(Entity::kShape, pair[0]), model.key(Entity::kShape, pair[1]),
               std::string(type(pair[0])) + ", " + type(pair[1])});
  }
  table.print(static_cast<std::size_t>(args.rows));
}

void show_contacts(const InspectArgs& args, const CollisionPipeline& pipeline, const Contacts& contacts) {
  const Model& model = pipeline.model();
  Table table({"world", "shape 0", "shape 1", "feature", "depth [m]", "normal", "point [m]", "force [N]"});
  for (int c = 0; c < contacts.rigid_contact_count[0]; ++c) {
    const int a = contacts.rigid_contact_shape0[c], b = contacts.rigid_contact_shape1[c];
    const int world = world_of(model, a, b);
    if (!is_wanted(args, world)) continue;
    table.add({world_name(world), model.key(Entity::kShape, a), model.key(Entity::kShape, b),
               std::to_string(contacts.rigid_contact_feature[c]), number(contacts.rigid_contact_depth[c]),
               vector(contacts.rigid_contact_normal[c]), vector(contacts.rigid_contact_point[c]),
               args.stage == "forces" ? vector(contacts.rigid_contact_force[c]) : "-"});
  }
  table.print(static_cast<std::size_t>(args.rows));
}

BroadPhaseMode mode_of(const std::string& name) {
  for (const BroadPhaseMode mode : {BroadPhaseMode::kNxn, BroadPhaseMode::kSap, BroadPhaseMode::kExplicit,
                                    BroadPhaseMode::kTree, BroadPhaseMode::kAuto})
    if (name == broad_phase_mode_name(mode)) return mode;
  throw Error("inspect: there is no broad phase '" + name + "'; use nxn, sap, explicit, tree or auto");
}

// By a step that is thrown away.
void solve_forces(const InspectArgs& args, const Model& model, const Contacts& contacts) {
  const Solver solver = make_solver(args.solver, model);
  solver.step(model.state(), model.state(), model.control(), &contacts, dt_of(model, args));
  for (std::int64_t w = 0; w < solver.status().size(); ++w)
    if (const int bits = solver.status()[w]; bits != 0 && is_wanted(args, static_cast<int>(w)))
      std::printf("world %lld: status %d (1 no room, 2 not finite, 4 not converged)\n", static_cast<long long>(w),
                  bits);
}

// What a row belongs to, and its world.
struct RowOwner {
  int world;
  std::string name;
};
RowOwner owner_of(const Model& model, const Contacts& contacts, RowKind kind, int source) {
  switch (kind) {
    case RowKind::kTendonLimit:
    case RowKind::kTendonFriction: return {model.tendon_world[source], model.key(Entity::kTendon, source)};
    case RowKind::kEquality:
      return {model.equality_constraint_world[source], model.key(Entity::kEqualityConstraint, source)};
    case RowKind::kJointLimit:
    case RowKind::kJointFriction: {
      const auto after = std::upper_bound(model.joint_qd_start.begin(), model.joint_qd_start.end(), source);
      const int joint = static_cast<int>(after - model.joint_qd_start.begin()) - 1;
      return {model.joint_world[joint], model.key(Entity::kJoint, joint)};
    }
    default: break;
  }
  const int a = contacts.rigid_contact_shape0[source], b = contacts.rigid_contact_shape1[source];
  return {world_of(model, a, b), model.key(Entity::kShape, a) + ", " + model.key(Entity::kShape, b)};
}

void show_rows(const InspectArgs& args, const Model& model, const Contacts& contacts) {
  const Solver solver = make_solver(args.solver, model);
  SolverMuJoCo* const mujoco = solver.get_if<SolverMuJoCo>();
  if (!mujoco) throw Error(std::string("inspect: the solver '") + solver.name() + "' has no constraint rows");
  const Forward forward = mujoco->forward(model.state(), model.control(), &contacts, dt_of(model, args));
  const ConstraintRows& rows = forward.rows;
  Table table({"world", "row", "of", "D", "a_ref", "J a - a_ref", "force"});
  for (std::int64_t i = 0; i < rows.kind.size(); ++i) {
    const RowKind kind = static_cast<RowKind>(rows.kind[i]);
    const RowOwner owner = owner_of(model, contacts, kind, rows.source[i]);
    if (!is_wanted(args, owner.world)) continue;
    const auto shown = [&](const SpatialVector& v) {
      if (kind == RowKind::kTurning) return vector(v.linear) + " " + vector(v.angular);
      return kind == RowKind::kSliding ? vector(v.linear) : number(v.linear.x);
    };
    table.add({world_name(owner.world), row_kind_name(kind), owner.name, number(rows.D[i]), shown(rows.reference[i]),
               shown(rows.residual[i]), shown(rows.force[i])});
  }
  table.print(static_cast<std::size_t>(args.rows));
}

}  // namespace

void inspect(const InspectArgs& args) {
  const LoadedModel loaded = load_model(args.path);
  print_warnings(loaded);
  const Model& model = loaded.model;
  if (args.world >= model.world_count)
    throw Error("inspect: world " + std::to_string(args.world) + " does not exist: there are " +
                std::to_string(model.world_count));
  CollisionPipeline pipeline(
      model, {.broad_phase_mode = mode_of(args.broad_phase), .contacts = parse_contact_rule(args.contacts)});
  const Contacts& contacts = pipeline.collide(model.state());
  if (args.stage == "aabb") show_boxes(args, pipeline);
  if (args.stage == "pairs") show_pairs(args, pipeline);
  if (args.stage == "rows") show_rows(args, model, contacts);
  if (args.stage == "forces") solve_forces(args, model, contacts);
  if (args.stage == "contacts" || args.stage == "forces") show_contacts(args, pipeline, contacts);
  std::printf("%d shapes, %lld pairs near each other (%s), %d contacts in %d worlds\n", model.shape_count,
              static_cast<long long>(pipeline.shape_pairs().size()), broad_phase_mode_name(pipeline.broad_phase_mode()),
              contacts.rigid_contact_count[0], model.world_count);
}

}  // namespace carom::cli
