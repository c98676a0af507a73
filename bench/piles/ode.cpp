// ODE as an engine of the benchmark of piles, as it comes: dWorldQuickStep with 20 iterations, in double as Debian
// builds it, and no more than four points of a pair, which is what Bullet keeps. Bodies never sleep.
#include "bench/piles/engine.h"

#if defined(CAROM_HAS_ODE)
#include <ode/ode.h>
#include <ode/version.h>
#endif

namespace carom::inline CAROM_PRECISION {

#if defined(CAROM_HAS_ODE)

namespace {

void place(dGeomID geom, const Transform& X) {
  const dQuaternion q{X.q.w, X.q.x, X.q.y, X.q.z};
  dGeomSetPosition(geom, X.p.x, X.p.y, X.p.z);
  dGeomSetQuaternion(geom, q);
}

class OdePile final : public PileEngine {
 public:
  OdePile(const Model& model, Real dt) : dt_(dt), mu_(model.shape_material_mu[0]), bodies_(model.body_count) {
    dInitODE();
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    joints_ = dJointGroupCreate(0);
    const Vec3 g = model.gravity[0];
    dWorldSetGravity(world_, g.x, g.y, g.z);
    for (int shape = 0; shape < model.shape_count; ++shape) add(model, shape);
  }
  ~OdePile() override {
    dJointGroupDestroy(joints_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
    dCloseODE();
  }

  std::string name() const override { return "ODE " dODE_VERSION; }
  void step() override {
    contacts_ = 0;
    dSpaceCollide(space_, this, [](void* pile, dGeomID a, dGeomID b) { static_cast<OdePile*>(pile)->touch(a, b); });
    dWorldQuickStep(world_, dt_);
    dJointGroupEmpty(joints_);
  }
  int contacts() const override { return contacts_; }
  void read(std::span<Transform> X_WB) const override {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const dReal *const p = dBodyGetPosition(bodies_[b]), *const q = dBodyGetQuaternion(bodies_[b]);
      X_WB[b] = {{Real(p[0]), Real(p[1]), Real(p[2])}, {Real(q[1]), Real(q[2]), Real(q[3]), Real(q[0])}};
    }
  }

 private:
  void add(const Model& model, int shape) {
    const int body = model.shape_body[shape];
    const Vec3 size = model.shape_scale[shape];
    const auto type = static_cast<ShapeType>(model.shape_type[shape]);
    if (type == ShapeType::kPlane) {
      dCreatePlane(space_, 0, 0, 1, 0);
      return;
    }
    const bool sphere = type == ShapeType::kSphere;
    if (!sphere && type != ShapeType::kBox) throw Error("a shape that is not for ODE");
    const dGeomID geom =
        sphere ? dCreateSphere(space_, size.x) : dCreateBox(space_, 2 * size.x, 2 * size.y, 2 * size.z);
    if (body >= 0) {
      bodies_[body] = make_body(model, body);
      dGeomSetBody(geom, bodies_[body]);
    }
    place(geom, body < 0 ? model.shape_transform[shape] : model.body_q[body]);
  }

  dBodyID make_body(const Model& model, int body) {
    const Mat33 I = model.body_inertia[body];
    dMass mass;
    dMassSetParameters(&mass, model.body_mass[body], 0, 0, 0, I.row0.x, I.row1.y, I.row2.z, I.row0.y, I.row0.z,
                       I.row1.z);
    const dBodyID result = dBodyCreate(world_);
    dBodySetMass(result, &mass);
    return result;
  }

  void touch(dGeomID a, dGeomID b) {
    constexpr int kPoints = 4;
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact contact[kPoints];
    const int count = dCollide(a, b, kPoints, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
      contact[i].surface = {};
      contact[i].surface.mode = dContactApprox1;
      contact[i].surface.mu = mu_;
      dJointAttach(dJointCreateContact(world_, joints_, &contact[i]), body_a, body_b);
    }
    contacts_ += count;
  }

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID joints_;
  dReal dt_, mu_;  // [s], of a contact
  std::vector<dBodyID> bodies_;
  int contacts_ = 0;
};

}  // namespace

std::unique_ptr<PileEngine> ode_pile(const Model& model, Real dt) { return std::make_unique<OdePile>(model, dt); }

#else

std::unique_ptr<PileEngine> ode_pile(const Model&, Real) { return nullptr; }

#endif

}  // namespace carom::inline CAROM_PRECISION
