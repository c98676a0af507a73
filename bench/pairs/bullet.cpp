// Bullet's functions for pairs: btBoxBoxDetector for boxes, and the algorithms of its dispatcher for spheres, capsules
// and planes. Contacts are received by a class of our own, so that no time goes into Bullet's cache of contacts.
#include "bench/pairs/contender.h"

#if defined(CAROM_HAS_BULLET)

#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <limits>
#include <memory>

#endif

namespace carom::inline CAROM_PRECISION {

#if defined(CAROM_HAS_BULLET)

namespace {

btTransform to_bullet(const Transform& X) {
  return btTransform(btQuaternion(btScalar(X.q.x), btScalar(X.q.y), btScalar(X.q.z), btScalar(X.q.w)),
                     btVector3(btScalar(X.p.x), btScalar(X.p.y), btScalar(X.p.z)));
}

std::unique_ptr<btCollisionShape> to_bullet(const PairShape& shape) {
  const btVector3 size(btScalar(shape.scale.x), btScalar(shape.scale.y), btScalar(shape.scale.z));
  switch (shape.type) {
    case ShapeType::kBox: return std::make_unique<btBoxShape>(size);
    case ShapeType::kSphere: return std::make_unique<btSphereShape>(size.x());
    case ShapeType::kCapsule: return std::make_unique<btCapsuleShapeZ>(size.x(), 2 * size.y());
    case ShapeType::kPlane: return std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
    default: return nullptr;
  }
}

struct BulletPose {
  btTransform a, b;
};

struct BulletCase {
  std::unique_ptr<btCollisionShape> a, b;
  std::vector<BulletPose> pose;
};

struct DeepestPoint final : btDiscreteCollisionDetectorInterface::Result {
  btScalar least = std::numeric_limits<btScalar>::max();

  void setShapeIdentifiersA(int, int) override {}
  void setShapeIdentifiersB(int, int) override {}
  void addContactPoint(const btVector3&, const btVector3&, btScalar distance) override {
    least = std::min(least, distance);
  }
};

void collide_boxes(const BulletCase& c, std::span<double> distance) {
  btBoxBoxDetector detector(static_cast<const btBoxShape*>(c.a.get()), static_cast<const btBoxShape*>(c.b.get()));
  btDiscreteCollisionDetectorInterface::ClosestPointInput input;
  for (std::size_t i = 0; i < distance.size(); ++i) {
    input.m_transformA = c.pose[i].a;
    input.m_transformB = c.pose[i].b;
    DeepestPoint deepest;
    detector.getClosestPoints(input, deepest, nullptr);
    distance[i] = deepest.least;
  }
}

// The algorithm that Bullet's dispatcher chooses for two shapes.
class Dispatched {
 public:
  explicit Dispatched(const BulletCase& c) : case_(c), dispatcher_(&configuration_) {
    object_a_.setCollisionShape(c.a.get());
    object_b_.setCollisionShape(c.b.get());
    const btCollisionObjectWrapper a = wrapper(object_a_, c.pose[0].a), b = wrapper(object_b_, c.pose[0].b);
    algorithm_ = dispatcher_.findAlgorithm(&a, &b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }
  Dispatched(const Dispatched&) = delete;
  ~Dispatched() {
    algorithm_->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm_);
  }

  void sweep(std::span<double> distance) {
    for (std::size_t i = 0; i < distance.size(); ++i) {
      const btCollisionObjectWrapper a = wrapper(object_a_, case_.pose[i].a), b = wrapper(object_b_, case_.pose[i].b);
      Deepest deepest;
      deepest.setBody0Wrap(&a);
      deepest.setBody1Wrap(&b);
      algorithm_->processCollision(&a, &b, info_, &deepest);
      distance[i] = deepest.least;
    }
  }

 private:
  struct Deepest final : btManifoldResult {
    btScalar least = std::numeric_limits<btScalar>::max();
    void addContactPoint(const btVector3&, const btVector3&, btScalar distance) override {
      least = std::min(least, distance);
    }
  };
  static btCollisionObjectWrapper wrapper(const btCollisionObject& object, const btTransform& transform) {
    return {nullptr, object.getCollisionShape(), &object, transform, -1, -1};
  }

  const BulletCase& case_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btCollisionObject object_a_, object_b_;
  btDispatcherInfo info_;
  btCollisionAlgorithm* algorithm_;
};

}  // namespace

std::vector<PairContender> bullet_contenders(const PairCase& problem) {
  const auto c = std::make_shared<BulletCase>(BulletCase{to_bullet(problem.a), to_bullet(problem.b), {}});
  if (!c->a || !c->b || problem.question != PairQuestion::kContacts) return {};
  for (const PairPose& pose : problem.pose) c->pose.push_back({to_bullet(pose.X_WA), to_bullet(pose.X_WB)});
  const std::string name = "Bullet " + std::to_string(btGetVersion());
  if (problem.a.type == ShapeType::kBox && problem.b.type == ShapeType::kBox) {
    // It takes a face for the normal unless an edge is better by a twentieth.
    return {{name + " btBoxBoxDetector", [c](std::span<double> distance) { collide_boxes(*c, distance); }, true}};
  }
  const auto dispatched = std::make_shared<Dispatched>(*c);
  return {{name, [c, dispatched](std::span<double> distance) { dispatched->sweep(distance); }}};
}

#else

std::vector<PairContender> bullet_contenders(const PairCase&) { return {}; }

#endif

}  // namespace carom::inline CAROM_PRECISION
