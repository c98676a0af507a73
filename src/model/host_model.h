// The columns of a model where the CPU can read them, with the rows of one world counted from 0: what plans are made
// from.
#pragma once

#include "carom/model.h"

namespace carom::inline CAROM_PRECISION {

struct HostModel {
  const Model& model;
  ModelColumns<Array> column;
  Array<Vec3> gravity;

  explicit HostModel(const Model& from) : model(from), gravity(from.gravity.on_cpu()) {
    visit_columns([&](const ColumnInfo&, auto get) {
      get(column) = get(static_cast<const ModelColumns<Array>&>(from)).on_cpu();
    });
  }

  // World -1 stands for a model without worlds, whose rows are all global.
  int begin(Entity entity, int world) const { return world < 0 ? 0 : starts(entity)[world]; }
  int count(Entity entity, int world) const {
    return world < 0 ? starts(entity).back() : starts(entity)[world + 1] - starts(entity)[world];
  }
  // Global rows stand before front_end and from back_begin on. Without worlds all are "at the back".
  struct GlobalRows {
    int front_end, back_begin;
  };
  GlobalRows global_rows(Entity entity) const {
    return {model.world_count > 0 ? starts(entity).front() : 0, starts(entity)[model.world_count]};
  }
  Vec3 gravity_of(int world) const { return gravity[world < 0 ? model.world_count : world]; }
  std::string name(Entity entity, int row) const { return model.key(entity, row); }

 private:
  const std::vector<int>& starts(Entity entity) const { return model.layout->start[static_cast<int>(entity)]; }
};

// The first body that moves on the way from the world to this one, -1 = none does. joint: of each body; dof_start: of
// each joint.
inline int root_of_moving(const HostModel& host, const Array<int>& joint, const Array<int>& dof_start, int body) {
  int root = -1;
  for (int b = body; b >= 0 && joint[b] >= 0; b = host.column.joint_parent[joint[b]])
    if (dof_start[joint[b]] < dof_start[joint[b] + 1]) root = b;
  return root;
}

}  // namespace carom::inline CAROM_PRECISION
