#include "solvers/mujoco/row_records.h"

namespace carom::inline CAROM_PRECISION {

const char* row_kind_name(RowKind kind) {
  switch (kind) {
    case RowKind::kJointLimit: return "joint limit";
    case RowKind::kTendonLimit: return "tendon limit";
    case RowKind::kFrictionless: return "frictionless contact";
    case RowKind::kPyramid: return "contact with friction";
    case RowKind::kTurningPyramid: return "contact with turning friction";
    case RowKind::kNone: break;
  }
  return "none";
}

RowRecords::RowRecords(const std::vector<MuJoCoPlan>& plans, int parts, std::int64_t contacts, Device device)
    : contact(contacts, device) {
  std::vector<int> start(parts, 0);
  int next = 0;
  for (const MuJoCoPlan& plan : plans)
    for (const PartRows& part : plan.archetype.parts) {
      start[part.id] = next;
      next += plan.rows.rows.limits();
    }
  limit = Array<RowRecord>(next, device);
  limit_start = Array<int>(std::span<const int>(start), device);
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
  const Array<RowRecord> contacts = contact.on_cpu(), limits = limit.on_cpu();
  for (std::int64_t c = 0; c < contacts.size(); ++c) add(contacts[c], contacts[c].kind, static_cast<int>(c));
  const Array<int> start = limit_start.on_cpu();
  for (const MuJoCoPlan& plan : plans)
    for (const PartRows& part : plan.archetype.parts)
      for (std::size_t s = 0; s < plan.rows.limit_origins().size(); ++s) {
        const LimitOrigin& origin = plan.rows.limit_origins()[s];
        add(limits[start[part.id] + static_cast<int>(s)],
            origin.is_tendon ? RowKind::kTendonLimit : RowKind::kJointLimit,
            part.begin(origin.is_tendon ? Entity::kTendon : Entity::kJointDof) + origin.row);
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
