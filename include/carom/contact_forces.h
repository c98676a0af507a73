// What all contacts of a world do together to each of its bodies or shapes, or to one body of a pair, without any
// sensor: the sum of their forces, and how many there are.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "carom/contacts.h"
#include "carom/model.h"
#include "carom/queue.h"

namespace carom::inline CAROM_PRECISION {

enum class ContactSide : std::int32_t { kBodies, kShapes };
const char* contact_side_name(ContactSide side);  // "bodies", "shapes"
ContactSide parse_contact_side(const std::string& name);

// Keys of two bodies that every world has, of its own or global; an empty one stands for all that is fixed to the
// world.
struct BodyPair {
  std::string first, second;
};

// Tables with a row for each world. Columns are the bodies or shapes of the world, in the order of the model, then the
// global ones and, of bodies, one for all that is fixed to the world. Worlds that have fewer than others have zeros
// between their own and the global ones. Of pairs: a column for each of them. A model without worlds has one row.
class ContactForces {
 public:
  // The queue runs what update() sends; that of the model's device by default.
  explicit ContactForces(const Model& model, ContactSide side = ContactSide::kBodies, const Queue* queue = nullptr);
  ContactForces(const Model& model, std::span<const BodyPair> pairs, const Queue* queue = nullptr);

  // From contacts of the model, with the forces that the last solver wrote into them. Contacts among global shapes
  // belong to no world and are left out where there are worlds. The sums are added up in the order of the contacts, on
  // every device and number of threads. On the CPU it allocates nothing.
  void update(const Contacts& contacts);

  // On the body or shape of the column, of a pair on its second body; world frame [N]. Row by row.
  const Array<Vec3>& force() const;
  // Contacts; those that are near and do not push yet count, too.
  const Array<int>& count() const;

  int rows() const;
  int columns() const;
  // Of the body or shape with this key in the row of a world, its own or a global one; worlds that are alike have it in
  // the same column.
  int column(const std::string& key, int world = 0) const;
  const Model& model() const;

 private:
  struct Data;
  std::shared_ptr<Data> data_;
};

}  // namespace carom::inline CAROM_PRECISION
