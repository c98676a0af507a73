// Small facts about entities and joints that several files of the model need.
#pragma once

#include <string>

#include "carom/columns.h"
#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

// Whether there is a type of joints with this number that has so many linear and angular axes.
bool joint_type_exists(int type, Index2 dofs);

// The columns that say to which world a row belongs and which key it has. Entities without the column get nullptr.
const std::vector<int>* world_column(const ModelColumns<Vector>& columns, Entity entity);
const std::vector<int>* key_column(const ModelColumns<Vector>& columns, Entity entity);

// The column of custom attributes; nullptr: the entity has none.
std::vector<int> ModelColumns<Vector>::*custom_column(Entity entity);

// How many there are, from the first column of the entity; 0 of those without columns.
int entity_count(const ModelColumns<Vector>& columns, Entity entity);

// Numbers of an actuator in control.ctrl and in State.act; one there even without a state, so that most models have as
// many as actuators.
int actuator_ctrl_count(const ModelColumns<Vector>& columns, int actuator);
int actuator_act_count(const ModelColumns<Vector>& columns, int actuator);
int actuator_history_count(const ModelColumns<Vector>& columns, int actuator);  // in State.ctrl_history
// Whether actuators of this ActuatorLaw have a row of controllers.
bool has_controller(int law);

// "body 3" or "body 3 'arm'", for messages.
std::string describe(const ModelData& data, Entity entity, int index);

// Why a tendon or an actuator cannot act on this axis of a joint; empty when it can. The joint exists.
std::string why_not_driven(const ModelData& data, int joint, int axis);
// Why what a spatial tendon passes, as TendonPointTypes, does not make a path; empty where it does.
std::string why_not_a_path(std::span<const int> types);

}  // namespace carom::inline CAROM_PRECISION
