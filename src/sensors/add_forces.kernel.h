// Adds up the forces of the contacts of each world, one world after the other contact by contact, so that the order of
// the sums does not depend on who does it.
#pragma once

#include "carom/columns.h"
#include "carom/math.h"
#include "sensors/entity_columns.h"

namespace carom::inline CAROM_PRECISION {

// The contacts of all worlds, as Contacts has them.
struct ContactForceView {
  const int *world_start, *shape0, *shape1;
  const Vec3* force;  // on shape 1
};

// One row of a table.
struct ForceRow {
  Vec3* force;
  int* count;
  int columns;

  CAROM_HD void clear() const {
    for (int i = 0; i < columns; ++i) force[i] = {}, count[i] = 0;
  }
  CAROM_HD void add(int column, Vec3 f) const {
    force[column] += f;
    ++count[column];
  }
};
struct ForceTable {
  Vec3* force;
  int* count;
  int columns;

  CAROM_HD ForceRow row(int i) const {
    return {force + std::int64_t{i} * columns, count + std::int64_t{i} * columns, columns};
  }
};

struct AddForces {
  ContactForceView contacts;
  const int* shape_body;  // nullptr: the columns are shapes
  EntityColumns column;
  ForceTable table;

  CAROM_HD void operator()(int world) const {
    const ForceRow row = table.row(world);
    row.clear();
    for (int c = contacts.world_start[world]; c < contacts.world_start[world + 1]; ++c) {
      row.add(column_of(world, contacts.shape0[c]), -contacts.force[c]);
      row.add(column_of(world, contacts.shape1[c]), contacts.force[c]);
    }
  }

 private:
  CAROM_HD int column_of(int world, int shape) const { return column(world, shape_body ? shape_body[shape] : shape); }
};

// Of pairs of bodies.
struct AddPairForces {
  ContactForceView contacts;
  const int* shape_body;
  const Index2* pair;  // bodies of each column of each row, -1 = fixed to the world
  ForceTable table;

  CAROM_HD void operator()(int world) const {
    const ForceRow row = table.row(world);
    const Index2* const own = pair + std::int64_t{world} * row.columns;
    row.clear();
    for (int c = contacts.world_start[world]; c < contacts.world_start[world + 1]; ++c) {
      const int a = shape_body[contacts.shape0[c]], b = shape_body[contacts.shape1[c]];
      for (int i = 0; i < row.columns; ++i) {
        if (own[i][0] == a && own[i][1] == b) row.add(i, contacts.force[c]);
        else if (own[i][0] == b && own[i][1] == a) row.add(i, -contacts.force[c]);
      }
    }
  }
};

}  // namespace carom::inline CAROM_PRECISION
