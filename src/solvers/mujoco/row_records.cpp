#include "solvers/mujoco/row_records.h"

namespace carom::inline CAROM_PRECISION {

const char* row_kind_name(RowKind kind) {
  switch (kind) {
    case RowKind::kJointLimit: return "joint limit";
    case RowKind::kTendonLimit: return "tendon limit";
    case RowKind::kJointFriction: return "joint friction";
    case RowKind::kTendonFriction: return "tendon friction";
    case RowKind::kEquality: return "equality";
    case RowKind::kFrictionless: return "frictionless contact";
    case RowKind::kSliding: return "contact with friction";
    case RowKind::kTurning: return "contact with turning friction";
    case RowKind::kNone: break;
  }
  return "none";
}

namespace {

RowKind kind_of(const JointRowOrigin& origin) {
  const bool is_tendon = origin.entity == Entity::kTendon;
  switch (origin.sort) {
    case JointRowSort::kTurningLimit:
    case JointRowSort::kLimit: return is_tendon ? RowKind::kTendonLimit : RowKind::kJointLimit;
    case JointRowSort::kTurningFriction:
    case JointRowSort::kFriction: return is_tendon ? RowKind::kTendonFriction : RowKind::kJointFriction;
    default: break;
  }
  return RowKind::kEquality;
}

}  // namespace

RowRecords::RowRecords(const std::vector<MuJoCoPlan>& plans, int parts, std::int64_t contacts, Device device)
    : contact(contacts, device) {
  std::vector<int> start(parts, 0);
  int next = 0;
  for (const MuJoCoPlan& plan : plans)
    for (const PartRows& part : plan.archetype.parts) {
      start[part.id] = next;
      next += plan.rows.rows.joint_rows();
    }
  joint = Array<RowRecord>(next, device);
  joint_row_start = Array<int>(std::span<const int>(start), device);
}

ConstraintRows RowRecords::collect(const std::vector<MuJoCoPlan>& plans) const {
  std::vector<RowRecord> acting;
  std::vector<std::int32_t> source, kind;
  const auto add = [&](const RowRecord& record, RowKind of_kind, int of) {
    if (record.kind == RowKind::kNone) return;
    acting.push_back(record);
    kind.push_back(static_cast<std::int32_t>(of_kind));
    source.push_back(of);
  };
  const Array<RowRecord> contacts = contact.on_cpu(), joints = joint.on_cpu();
  for (std::int64_t c = 0; c < contacts.size(); ++c) add(contacts[c], contacts[c].kind, static_cast<int>(c));
  const Array<int> start = joint_row_start.on_cpu();
  for (const MuJoCoPlan& plan : plans)
    for (const PartRows& part : plan.archetype.parts)
      for (std::size_t s = 0; s < plan.rows.joint_row_origins().size(); ++s) {
        const JointRowOrigin& origin = plan.rows.joint_row_origins()[s];
        add(joints[start[part.id] + static_cast<int>(s)], kind_of(origin), part.begin(origin.entity) + origin.row);
      }
  const std::int64_t n = static_cast<std::int64_t>(acting.size());
  ConstraintRows rows{Array<std::int32_t>(std::span<const std::int32_t>(kind)),
                      Array<std::int32_t>(std::span<const std::int32_t>(source)),
                      Array<Real>(n),
                      Array<SpatialVector>(n),
                      Array<SpatialVector>(n),
                      Array<SpatialVector>(n)};
  for (std::int64_t i = 0; i < n; ++i) {
    rows.D[i] = acting[i].D;
    rows.reference[i] = acting[i].reference;
    rows.residual[i] = acting[i].residual;
    rows.force[i] = acting[i].force;
  }
  return rows;
}

}  // namespace carom::inline CAROM_PRECISION
