// ImpulseResolver: checks the model and the arguments, keeps the arrays, launches the kernels.
#include "backend/launch.h"
#include "base/fail.h"
#include "carom/resolve_impulses.h"
#include "impulse/kernels.h"
#include "model/chosen_queue.h"
#include "model/kinematics.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

namespace {

constexpr const char* kWho = "resolve_impulses";

void check_config(const ImpulseConfig& c) {
  if (!(c.tangential_restitution >= -1 && c.tangential_restitution <= 1))
    fail(kWho, ": tangential_restitution is ", c.tangential_restitution, "; it must be in [-1, 1]");
  if (!(c.restitution_threshold >= 0) || !is_finite(c.restitution_threshold))
    fail(kWho, ": restitution_threshold is ", c.restitution_threshold, " m/s; it must not be negative");
  if (!is_finite(c.least_depth)) fail(kWho, ": least_depth is ", c.least_depth, " m");
  if (c.max_iterations < 1) fail(kWho, ": max_iterations is ", c.max_iterations, "; it must be 1 or more");
  if (!(c.tolerance >= 0) || !is_finite(c.tolerance))
    fail(kWho, ": tolerance is ", c.tolerance, "; it must not be negative");
}

// Bodies that joints move, or hold.
struct Joints {
  std::vector<int> free;              // joints to the world
  std::vector<std::uint8_t> is_held;  // per body

  explicit Joints(const Model& model) : is_held(model.body_count, 0) {
    const Array<int> type = model.joint_type.on_cpu(), parent = model.joint_parent.on_cpu(),
                     child = model.joint_child.on_cpu();
    for (int j = 0; j < model.joint_count; ++j) {
      const JointType t = static_cast<JointType>(type[j]);
      if (parent[j] < 0 && t == JointType::kFree) free.push_back(j);
      else if (parent[j] < 0 && t == JointType::kFixed) is_held[child[j]] = 1;
      else
        fail(kWho, ": joint ", j, " (", joint_type_name(t), ") ties body ", child[j], " to ",
             parent[j] < 0 ? "the world" : "body " + std::to_string(parent[j]),
             "; impulses of bodies that are tied to each other are the work of a solver");
    }
  }
};

template <class T>
Array<T> on_device(const std::vector<T>& values, Device device) {
  return Array<T>(std::span<const T>(values), device);
}

}  // namespace

struct ImpulseResolver::Data {
  Model model;
  ImpulseConfig config;
  Queue queue;
  Array<int> worlds, free_joint;
  Array<std::uint8_t> is_held;
  Array<ImpactBody> body;
  Array<ImpactPoint> point;
  Array<Index2> bodies;
  Array<Vec3> impulse_room, impulse;        // a part of the room, as long as the contacts of the last call
  Array<std::int32_t> status, pose_status;  // of all; of poses written from outside

  Data(const Model& of, const ImpulseConfig& config, const Queue& q) : model(of), config(config), queue(q) {
    check_config(config);
    const Joints joints(model);
    std::vector<int> all(model.world_count + 1);
    for (int w = 0; w <= model.world_count; ++w) all[w] = w;
    worlds = on_device(all, model.device);
    free_joint = on_device(joints.free, model.device);
    is_held = on_device(joints.is_held, model.device);
    body = Array<ImpactBody>(1 + 2 * std::int64_t{model.body_count}, model.device);
    for (Array<std::int32_t>* bits : {&status, &pose_status})
      *bits = Array<std::int32_t>(model.world_count + 1, model.device);
  }

  void make_room(std::int64_t contacts) {
    if (point.size() < 1 + contacts) {
      point = Array<ImpactPoint>(1 + contacts, model.device);
      bodies = Array<Index2>(1 + contacts, model.device);
    }
    if (impulse_room.size() < contacts) impulse_room = Array<Vec3>(contacts, model.device);
    impulse = impulse_room.slice(0, contacts);
  }

  void fill_rows(const State& state, const Contacts& c) {
    launch(queue, model.body_count,
           RowsOfBodies{.body_count = model.body_count,
                        .body_q = state.body_q.data(),
                        .body_qd = state.body_qd.data(),
                        .inverse_mass = model.body_inv_mass.data(),
                        .inverse_inertia = model.body_inv_inertia.data(),
                        .is_held = is_held.data(),
                        .row = body.data()});
    launch(queue, static_cast<int>(impulse.size()),
           RowsOfPoints{.contact_count = c.rigid_contact_count.data(),
                        .shape0 = c.rigid_contact_shape0.data(),
                        .shape1 = c.rigid_contact_shape1.data(),
                        .point = c.rigid_contact_point.data(),
                        .normal = c.rigid_contact_normal.data(),
                        .depth = c.rigid_contact_depth.data(),
                        .body_count = model.body_count,
                        .shape_body = model.shape_body.const_view(),
                        .shape_world = model.shape_world.const_view(),
                        .body_world = model.body_world.const_view(),
                        .shape_restitution = model.shape_material_restitution.data(),
                        .shape_mu = model.shape_material_mu.data(),
                        .body_q = state.body_q.data(),
                        .body_com = model.body_com.data(),
                        .restitution_rule = config.restitution_rule,
                        .friction_rule = config.friction_rule,
                        .tangential_restitution = config.tangential_restitution,
                        .least_depth = config.least_depth,
                        .row = point.data(),
                        .bodies = bodies.data()});
  }

  void solve(const State& state, const Contacts& c) {
    launch_lanes(queue, ResolveWorlds{.worlds = worlds.const_view(),
                                      .contact_start = c.rigid_contact_world_start.data(),
                                      .body_count = model.body_count,
                                      .body_qd = state.body_qd.data(),
                                      .bodies = bodies.data(),
                                      .body = body.data(),
                                      .point = point.data(),
                                      .config = {.max_iterations = config.max_iterations,
                                                 .tolerance = config.tolerance,
                                                 .restitution_threshold = config.restitution_threshold},
                                      .status = status.data()});
  }

  void write_results(const State& state, const Contacts& c) {
    launch(queue, static_cast<int>(impulse.size()),
           WriteImpulses{c.rigid_contact_count.data(), point.data(), impulse.data()});
    launch(
        queue, model.body_count,
        WriteVelocities{body.data(), state.body_qd.data(), state.body_jump.empty() ? nullptr : state.body_jump.data()});
    launch(queue, static_cast<int>(free_joint.size()),
           WriteJointVelocities{.free_joint = free_joint.data(),
                                .joint_child = model.joint_child.data(),
                                .joint_qd_start = model.joint_qd_start.data(),
                                .joint_X_p = model.joint_X_p.data(),
                                .row = body.data(),
                                .joint_qd = state.joint_qd.data()});
  }
};

ImpulseResolver::ImpulseResolver(const Model& model, const ImpulseConfig& config, const Queue* queue)
    : data_(std::make_shared<Data>(model, config, chosen_queue(kWho, model, queue))) {}

const Array<Vec3>& ImpulseResolver::resolve(const State& state_in, const State& state_out, const Contacts& contacts) {
  Data& d = *data_;
  check_state(kWho, "state_in", state_in, d.model);
  check_state(kWho, "state_out", state_out, d.model);
  check_contacts(kWho, "contacts", contacts, d.model);
  send_align(d.queue, d.model, state_in, d.pose_status);
  d.make_room(contacts.rigid_contact_point.size());
  d.fill_rows(state_in, contacts);
  d.solve(state_in, contacts);
  d.queue.finish();
  if (state_out.body_qd.data() != state_in.body_qd.data()) state_out.assign(state_in);
  d.write_results(state_out, contacts);
  send_add_status(d.queue, d.pose_status, d.status);
  d.queue.finish();
  // Both sides were written, and are in line.
  state_out.aligned.body_qd.assign(state_out.body_qd);
  state_out.aligned.joint_qd.assign(state_out.joint_qd);
  return d.impulse;
}

const Array<std::int32_t>& ImpulseResolver::status() const { return data_->status; }
const ImpulseConfig& ImpulseResolver::config() const { return data_->config; }
const Model& ImpulseResolver::model() const { return data_->model; }

Array<Vec3> resolve_impulses(const Model& model, const State& state_in, const State& state_out,
                             const Contacts& contacts, const ImpulseConfig& config, const Queue* queue) {
  return ImpulseResolver(model, config, queue).resolve(state_in, state_out, contacts);
}

}  // namespace carom::inline CAROM_PRECISION
