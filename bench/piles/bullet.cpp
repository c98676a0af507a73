// Bullet as an engine of the benchmark of piles, as it comes: sequential impulses, 10 iterations, split impulses, in
// float. Bodies never sleep. Its classes for threads need another build than that of Debian, so it has one.
#include "bench/piles/engine.h"

#if defined(CAROM_HAS_BULLET_DYNAMICS)
#include <btBulletDynamicsCommon.h>

#include <cmath>
#endif

namespace carom::inline CAROM_PRECISION {

#if defined(CAROM_HAS_BULLET_DYNAMICS)

namespace {

btVector3 to_bullet(const Vec3& v) { return {btScalar(v.x), btScalar(v.y), btScalar(v.z)}; }
btTransform to_bullet(const Transform& X) {
  const btQuaternion q(btScalar(X.q.x), btScalar(X.q.y), btScalar(X.q.z), btScalar(X.q.w));
  return btTransform(q, to_bullet(X.p));
}

std::unique_ptr<btCollisionShape> make_shape(const Model& model, int shape) {
  const Vec3 size = model.shape_scale[shape];
  switch (static_cast<ShapeType>(model.shape_type[shape])) {
    case ShapeType::kBox: return std::make_unique<btBoxShape>(to_bullet(size));
    case ShapeType::kSphere: return std::make_unique<btSphereShape>(btScalar(size.x));
    case ShapeType::kPlane: return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
    default: throw Error("a shape that is not for Bullet");
  }
}

class BulletPile final : public PileEngine {
 public:
  BulletPile(const Model& model, Real dt) : dt_(dt), bodies_(model.body_count) {
    world_.setGravity(to_bullet(model.gravity[0]));
    for (int shape = 0; shape < model.shape_count; ++shape) add(model, shape);
  }
  ~BulletPile() override {
    for (const auto& object : objects_) world_.removeRigidBody(object.get());
  }

  std::string name() const override {
    const int version = btGetVersion();
    return "Bullet " + std::to_string(version / 100) + "." + std::to_string(version % 100);
  }
  void step() override { world_.stepSimulation(btScalar(dt_), 0); }
  int contacts() const override {
    int count = 0;
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i)
      count += const_cast<btCollisionDispatcher&>(dispatcher_).getManifoldByIndexInternal(i)->getNumContacts();
    return count;
  }
  void read(std::span<Transform> X_WB) const override {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const btVector3 p = bodies_[b]->getWorldTransform().getOrigin();
      const btQuaternion q = bodies_[b]->getWorldTransform().getRotation();
      X_WB[b] = {{Real(p.x()), Real(p.y()), Real(p.z())}, {Real(q.x()), Real(q.y()), Real(q.z()), Real(q.w())}};
    }
  }

 private:
  void add(const Model& model, int shape) {
    const int body = model.shape_body[shape];
    shapes_.push_back(make_shape(model, shape));
    btScalar mass = 0;
    btVector3 inertia(0, 0, 0);
    if (body >= 0) {
      mass = btScalar(model.body_mass[body]);
      const Mat33 I = model.body_inertia[body];
      inertia = to_bullet(Vec3{I.row0.x, I.row1.y, I.row2.z});
    }
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform = to_bullet(body < 0 ? model.shape_transform[shape] : model.body_q[body]);
    info.m_friction = btScalar(std::sqrt(model.shape_material_mu[shape]));  // a contact has the product
    objects_.push_back(std::make_unique<btRigidBody>(info));
    objects_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(objects_.back().get());
    if (body >= 0) bodies_[body] = objects_.back().get();
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> objects_;
  Real dt_;                           // [s]
  std::vector<btRigidBody*> bodies_;  // by body of the model
};

}  // namespace

std::unique_ptr<PileEngine> bullet_pile(const Model& model, Real dt) { return std::make_unique<BulletPile>(model, dt); }

#else

std::unique_ptr<PileEngine> bullet_pile(const Model&, Real) { return nullptr; }

#endif

}  // namespace carom::inline CAROM_PRECISION
