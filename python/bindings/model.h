// What a Python Model holds: a carom::Model, and whether its arrays may be written just now.
#pragma once

#include <memory>

#include "array.h"
#include "carom/collide.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION::python {

struct ModelHandle {
  Model model;
  std::shared_ptr<bool> editing = std::make_shared<bool>(false);
  std::shared_ptr<CollisionPipeline> default_pipeline{};  // of collide(), made when it is first needed

  void refresh() {
    model.refresh();
    default_pipeline.reset();
  }

  const ModelColumns<Array>& columns() const { return model; }
  std::shared_ptr<const bool> writeable() const { return editing; }
};

// The counts of a ModelBuilder and of a Model.
struct CountName {
  const char* name;
  Entity entity;
  const char* doc;
};
inline constexpr CountName kCountNames[] = {
    {"particle_count", Entity::kParticle, "Number of particles."},
    {"body_count", Entity::kBody, "Number of bodies."},
    {"shape_count", Entity::kShape, "Number of shapes."},
    {"joint_count", Entity::kJoint, "Number of joints."},
    {"articulation_count", Entity::kArticulation, "Number of articulations."},
    {"equality_constraint_count", Entity::kEqualityConstraint, "Number of equality constraints."},
    {"spring_count", Entity::kSpring, "Number of springs."},
    {"tri_count", Entity::kTriangle, "Number of triangles."},
    {"edge_count", Entity::kEdge, "Number of bending edges."},
    {"tet_count", Entity::kTetrahedron, "Number of tetrahedra."},
    {"tendon_count", Entity::kTendon, "Number of tendons."},
    {"tendon_joint_count", Entity::kTendonJoint, "Joints of all tendons."},
    {"actuator_count", Entity::kActuator, "Number of actuators."},
    {"joint_dof_count", Entity::kJointDof, "Degrees of freedom of all joints."},
    {"joint_coord_count", Entity::kJointCoord, "Coordinates of all joints."},
};

// Calls visit(name, entity) for every kind of entity that has keys: "body_key", kBody.
template <class Visit>
void visit_key_names(Visit&& visit) {
  visit_columns([&](const ColumnInfo& info, auto) {
    const std::string name = info.name;
    if (info.refers == Refers::kKey) visit(name.substr(0, name.size() - std::string("_id").size()), info.entity);
  });
}

}  // namespace carom::inline CAROM_PRECISION::python
