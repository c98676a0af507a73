// What a Python Model holds: a carom::Model, and the edit that goes on.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "array.h"
#include "carom/collide.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION::python {

// `with model.edit():` lasts as long as one of these.
struct OpenEdit {
  ModelEdit edit;
  std::shared_ptr<bool> open = std::make_shared<bool>(true);

  explicit OpenEdit(const Model& model) : edit(model) {}
  ~OpenEdit() { *open = false; }
};

// The pipeline of Model.collide(), which threads use one after the other.
struct DefaultPipeline {
  CollisionPipeline pipeline;
  std::mutex mutex{};
};

struct ModelHandle {
  Model model;
  std::unique_ptr<OpenEdit> edit{};
  std::shared_ptr<DefaultPipeline> default_pipeline{};  // made when it is first needed

  // What is shown: inside of an edit the numbers that it works on.
  const ModelColumns<Array>& columns() const { return edit ? edit->edit.numbers : columns_of(model); }
  ModelAccess access(const char* name, bool structure) const {
    if (structure) return {ModelAccess::Rule::kStructure, name};
    if (!edit) return {ModelAccess::Rule::kFrozen, name};
    return {ModelAccess::Rule::kEdited, name, edit->open};
  }

 private:
  static const ModelColumns<Array>& columns_of(const Model& model) { return model; }
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
    {"contact_pair_count", Entity::kContactPair, "Pairs of shapes whose contacts have numbers of their own."},
    {"joint_count", Entity::kJoint, "Number of joints."},
    {"articulation_count", Entity::kArticulation, "Number of articulations."},
    {"equality_constraint_count", Entity::kEqualityConstraint, "Number of equality constraints."},
    {"spring_count", Entity::kSpring, "Number of springs."},
    {"tri_count", Entity::kTriangle, "Number of triangles."},
    {"edge_count", Entity::kEdge, "Number of bending edges."},
    {"tet_count", Entity::kTetrahedron, "Number of tetrahedra."},
    {"tendon_count", Entity::kTendon, "Number of tendons."},
    {"tendon_joint_count", Entity::kTendonJoint, "Joints of all tendons."},
    {"tendon_point_count", Entity::kTendonPoint, "Points of all spatial tendons."},
    {"actuator_count", Entity::kActuator, "Number of actuators."},
    {"controller_count", Entity::kController, "Number of pid controllers and DC motors."},
    {"ctrl_count", Entity::kCtrl, "Inputs of all actuators."},
    {"sensor_count", Entity::kSensor, "Number of sensors."},
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

// Custom attributes by name, each a list with a value for every row of the entity, None where it has none.
// json_of(row): what set_custom() gave the row.
nb::dict custom_attributes(const std::string& entity, const std::function<int(Entity)>& count,
                           const std::function<std::string(Entity, int)>& json_of);
// "body", "shape", "joint" or "articulation"; throws Error for anything else.
Entity custom_entity(const std::string& name);

void bind_model_usd(nb::class_<ModelHandle>& cls);

inline constexpr const char* kCustomAttributesDoc =
    "What files gave the rows of an entity (\"body\", \"shape\", \"joint\" or \"articulation\") for their users alone, "
    "by "
    "name: each a list with a value for every row, None where it has none.";

}  // namespace carom::inline CAROM_PRECISION::python
