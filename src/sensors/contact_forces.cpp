// ContactForces: finds the columns, keeps the tables, launches the kernels.
#include "carom/contact_forces.h"

#include <algorithm>

#include "backend/launch.h"
#include "base/fail.h"
#include "model/chosen_queue.h"
#include "model/owner.h"
#include "sensors/kernels.h"

namespace carom::inline CAROM_PRECISION {

const char* contact_side_name(ContactSide side) { return side == ContactSide::kShapes ? "shapes" : "bodies"; }

ContactSide parse_contact_side(const std::string& name) {
  for (const ContactSide side : {ContactSide::kBodies, ContactSide::kShapes})
    if (name == contact_side_name(side)) return side;
  fail("contact forces: there are none of '", name, "'; use \"bodies\" or \"shapes\", or name pairs of bodies");
}

namespace {

constexpr const char* kForcesWho = "contact forces";

// The body or shape of a world with this key, its own or a global one.
int find_in(const Model& model, Entity entity, int world, const std::string& key) {
  for (const int where : {world, -1}) {
    if (where >= model.world_count) continue;
    try {
      return entity == Entity::kBody ? model.find_body(key, where) : model.find_shape(key, where);
    } catch (const Error&) {  // it may be a global one; below it is said that neither has it
    }
  }
  fail(kForcesWho, ": no ", entity_name(entity), " of world ", world, ", and no global one, has the key '", key,
       "'; see ", entity_name(entity), "_key");
}

// The bodies with this key, one for each row; an empty key: what is fixed to the world.
std::vector<int> bodies_of_rows(const Model& model, int rows, const std::string& key) {
  std::vector<int> bodies(rows, -1);
  if (key.empty()) return bodies;
  const std::vector<int>& start = model.layout->start[static_cast<int>(Entity::kBody)];
  const Array<int> key_id = model.body_key_id.on_cpu();
  bodies[0] = find_in(model, Entity::kBody, 0, key);
  for (int w = 1; w < rows; ++w) {
    // Worlds that are alike have it at the same place, which saves a search.
    const int place = bodies[w - 1] - start[w - 1], guess = start[w] + place;
    const bool was_own = place >= 0 && bodies[w - 1] < start[w];
    const bool is_there = was_own && guess < start[w + 1] && key_id[guess] == key_id[bodies[w - 1]];
    bodies[w] = is_there ? guess : find_in(model, Entity::kBody, w, key);
  }
  return bodies;
}

}  // namespace

struct ContactForces::Data {
  Model model;
  Queue queue;
  ContactSide side = ContactSide::kBodies;
  EntityColumns of_row{};  // not of pairs
  Array<Index2> pair;      // of pairs alone
  int rows, columns;
  Array<Vec3> force;
  Array<int> count;

  Data(const Model& of, const Queue* q) : model(of), queue(chosen_queue(kForcesWho, of, q)) {
    rows = std::max(model.world_count, 1);
  }

  Entity entity() const { return side == ContactSide::kShapes ? Entity::kShape : Entity::kBody; }
  bool is_of_pairs() const { return pair.size() > 0; }

  void make_tables(int width) {
    columns = width;
    force = Array<Vec3>(std::int64_t{rows} * columns, model.device);
    count = Array<int>(std::int64_t{rows} * columns, model.device);
  }
  void take_side(ContactSide of) {
    side = of;
    of_row = columns_of(*model.layout, entity());
    make_tables(of_row.most + of_row.globals + (side == ContactSide::kBodies ? 1 : 0));
  }
  void take_pairs(std::span<const BodyPair> pairs) {
    if (pairs.empty()) fail(kForcesWho, ": no pairs of bodies are named");
    std::vector<Index2> bodies(pairs.size() * rows);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::vector<int> first = bodies_of_rows(model, rows, pairs[i].first),
                             second = bodies_of_rows(model, rows, pairs[i].second);
      for (int w = 0; w < rows; ++w) {
        if (first[w] == second[w])
          fail(kForcesWho, ": both of pair ", i, " are '", pairs[i].first, "'; what has one body never touches itself");
        bodies[w * pairs.size() + i] = {first[w], second[w]};
      }
    }
    make_tables(static_cast<int>(pairs.size()));
    pair = Array<Index2>(std::span<const Index2>(bodies), model.device);
  }

  void update(const Contacts& c) {
    check_contacts(kForcesWho, "contacts", c, model);
    const ContactForceView contacts{c.rigid_contact_world_start.data(), c.rigid_contact_shape0.data(),
                                    c.rigid_contact_shape1.data(), c.rigid_contact_force.data()};
    const ForceTable table{force.data(), count.data(), columns};
    const int* const shape_body = model.shape_body.data();
    if (is_of_pairs()) {
      launch(queue, rows, AddPairForces{contacts, shape_body, pair.data(), table});
    } else {
      EntityColumns on_device = of_row;
      on_device.start = model.layout->world_start[static_cast<int>(entity())].data();
      launch(queue, rows, AddForces{contacts, side == ContactSide::kBodies ? shape_body : nullptr, on_device, table});
    }
    queue.finish();
  }
};

ContactForces::ContactForces(const Model& model, ContactSide side, const Queue* queue)
    : data_(std::make_shared<Data>(model, queue)) {
  data_->take_side(side);
}
ContactForces::ContactForces(const Model& model, std::span<const BodyPair> pairs, const Queue* queue)
    : data_(std::make_shared<Data>(model, queue)) {
  data_->take_pairs(pairs);
}

void ContactForces::update(const Contacts& contacts) { data_->update(contacts); }
const Array<Vec3>& ContactForces::force() const { return data_->force; }
const Array<int>& ContactForces::count() const { return data_->count; }
int ContactForces::rows() const { return data_->rows; }
int ContactForces::columns() const { return data_->columns; }
const Model& ContactForces::model() const { return data_->model; }

int ContactForces::column(const std::string& key, int world) const {
  if (data_->is_of_pairs()) fail(kForcesWho, ": the columns of pairs are those that were named, in their order");
  if (world < 0 || world >= data_->rows)
    fail(kForcesWho, ": world ", world, " does not exist: there are ", data_->rows);
  return data_->of_row(world, find_in(data_->model, data_->entity(), world, key));
}

}  // namespace carom::inline CAROM_PRECISION
