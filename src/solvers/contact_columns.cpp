#include "solvers/contact_columns.h"

#include <algorithm>

namespace carom::inline CAROM_PRECISION {

bool resists_turning(const Model& model) {
  for (const Array<Real>& column :
       {model.shape_material_torsional_friction.on_cpu(), model.shape_material_rolling_friction.on_cpu()})
    if (std::any_of(column.begin(), column.end(), [](Real x) { return x > 0; })) return true;
  return false;
}

ContactColumns contact_columns(const Model& m, const WorldPlans& worlds, const Contacts* contacts, bool turns) {
  if (!contacts) return {};
  const Contacts& c = *contacts;
  return {
      .world_start = c.rigid_contact_world_start.data(),
      .shape0 = c.rigid_contact_shape0.data(),
      .shape1 = c.rigid_contact_shape1.data(),
      .feature = c.rigid_contact_feature.data(),
      .point = c.rigid_contact_point.data(),
      .normal = c.rigid_contact_normal.data(),
      .tangent = c.rigid_contact_tangent.data(),
      .depth = c.rigid_contact_depth.data(),
      .force = c.rigid_contact_force.data(),
      .torque = c.rigid_contact_torque.data(),
      .shape_body = m.shape_body.data(),
      .body_link = worlds.body_link.data(),
      .material = {m.shape_material_ke.data(), m.shape_material_kd.data(), m.shape_material_kf.data(),
                   m.shape_material_ka.data(), m.shape_material_mu.data(), m.shape_material_torsional_friction.data(),
                   m.shape_material_rolling_friction.data(), m.shape_material_restitution.data(), m.options.combine},
      .turns = turns};
}

}  // namespace carom::inline CAROM_PRECISION
