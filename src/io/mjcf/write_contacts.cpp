// <contact>: pairs with numbers of their own, and bodies that do not touch. MJCF leaves out pairs of bodies, carom
// pairs of shapes: all shapes of two bodies touch, or none.
#include <map>
#include <unordered_set>

#include "io/mjcf/write.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// Whether groups let shapes touch; see ShapeConfig.
bool groups_touch(int a, int b) {
  if (a > 0) return a == b || b < 0;
  return a != b;
}

struct BodyContacts {
  int touching = -1, filtered = -1;  // a pair of shapes each, by its first
  int other = -1;                    // the second one of the last
};

struct ContactRules {
  const MjcfWriting& w;
  std::unordered_set<std::int64_t> filtered{};
  std::vector<int> weld{};  // of bodies: the one that they are fixed to; -1 = the world

  static std::int64_t pair_key(int a, int b) { return (std::int64_t{std::min(a, b)} << 32) | std::max(a, b); }
  int weld_of(int body) const { return body < 0 ? -1 : weld[static_cast<std::size_t>(body)]; }
  bool collides(int shape) const {
    const int flags = w.m.shape_flags[shape];
    return (flags & kShapeCollidesShapes) && !(flags & kShapeIsSite) && w.m.shape_collision_group[shape] != 0;
  }
  bool spares_parent(int shape, int body, int other) const {
    return body >= 0 && other >= 0 && (w.m.shape_flags[shape] & kShapeFilterParent) &&
           w.parent[static_cast<std::size_t>(body)] == other;
  }
  bool touch(int a, int b) const {
    const Model& m = w.m;
    const int body_a = m.shape_body[a], body_b = m.shape_body[b];
    return groups_touch(m.shape_collision_group[a], m.shape_collision_group[b]) && !spares_parent(a, body_a, body_b) &&
           !spares_parent(b, body_b, body_a) && !filtered.contains(pair_key(a, b));
  }
};

std::vector<int> find_welds(const MjcfWriting& w) {
  std::vector<int> weld(static_cast<std::size_t>(w.m.body_count), -2);
  const std::function<int(int)> find = [&](int body) {
    if (body < 0) return -1;
    int& found = weld[static_cast<std::size_t>(body)];
    if (found != -2) return found;
    const int joint = w.m.body_joint[body];
    const bool fixed = joint < 0 || static_cast<JointType>(w.m.joint_type[joint]) == JointType::kFixed;
    return found = fixed ? find(w.parent[static_cast<std::size_t>(body)]) : body;
  };
  for (const int body : w.bodies) find(body);
  return weld;
}

// What MuJoCo leaves out of itself, once all joints of a parent are seen past fixed ones.
bool is_parent_and_child(const ContactRules& rules, int weld_a, int weld_b) {
  const auto parent = [&](int weld) { return rules.weld_of(rules.w.parent[static_cast<std::size_t>(weld)]); };
  return weld_a >= 0 && weld_b >= 0 && (parent(weld_a) == weld_b || parent(weld_b) == weld_a);
}

using BodyPairs = std::map<std::pair<int, int>, BodyContacts>;

BodyPairs find_body_pairs(const ContactRules& rules) {
  const Model& m = rules.w.m;
  BodyPairs pairs;
  std::vector<int> colliding;
  for (const int shape : rules.w.shapes)
    if (rules.collides(shape)) colliding.push_back(shape);
  for (std::size_t i = 0; i < colliding.size(); ++i)
    for (std::size_t k = i + 1; k < colliding.size(); ++k) {
      const int a = colliding[i], b = colliding[k];
      if (rules.weld_of(m.shape_body[a]) == rules.weld_of(m.shape_body[b])) continue;
      if (!((m.shape_contype[a] & m.shape_conaffinity[b]) | (m.shape_contype[b] & m.shape_conaffinity[a]))) continue;
      BodyContacts& found = pairs[std::minmax(m.shape_body[a], m.shape_body[b])];
      if (rules.touch(a, b)) found.touching = a;
      else found.filtered = a, found.other = b;
    }
  return pairs;
}

void write_pair(MjcfWriting& w, int pair, XmlElement& into) {
  const Model& m = w.m;
  XmlElement& element = into.add("pair");
  if (m.contact_pair_key_id[pair] >= 0) element.set("name", m.keys->name(m.contact_pair_key_id[pair]));
  const Index2 shapes = m.contact_pair_shapes[pair];
  element.set("geom1", named_shape(w, shapes[0]));
  element.set("geom2", named_shape(w, shapes[1]));
  element.set_unless("condim", m.contact_pair_condim[pair], 3);
  element.set("friction", m.contact_pair_friction[pair]);
  element.set_unless("solref", m.contact_pair_solref[pair], kDefaultSolref);
  element.set_unless("solreffriction", m.contact_pair_solref_friction[pair], RealN<2>{});
  element.set_unless("solimp", m.contact_pair_solimp[pair], kDefaultSolimp);
  element.set_unless("margin", m.contact_pair_margin[pair], Real(0));
  element.set_unless("gap", m.contact_pair_gap[pair], Real(0));
  element.set_unless("adhesion", m.contact_pair_adhesion[pair], Real(0));
}

}  // namespace

XmlElement written_contacts(MjcfWriting& w, bool& filters_parents) {
  ContactRules rules{w};
  rules.weld = find_welds(w);
  for (std::int64_t i = 0; i < w.m.shape_collision_filter_pairs.size(); ++i) {
    const Index2 pair = w.m.shape_collision_filter_pairs[i];
    rules.filtered.insert(ContactRules::pair_key(pair[0], pair[1]));
  }
  const BodyPairs pairs = find_body_pairs(rules);
  const auto related = [&](const std::pair<int, int>& bodies) {
    return is_parent_and_child(rules, rules.weld_of(bodies.first), rules.weld_of(bodies.second));
  };
  filters_parents = true;
  for (const auto& [bodies, found] : pairs)
    if (found.touching >= 0 && related(bodies)) filters_parents = false;
  XmlElement contact{"contact"};
  for (const int pair : w.pairs) write_pair(w, pair, contact);
  for (const auto& [bodies, found] : pairs) {
    if (found.filtered < 0) continue;
    if (found.touching >= 0)
      fail("to_mjcf: ", called(w, Entity::kShape, found.filtered), " and ", called(w, Entity::kShape, found.other),
           " do not touch, but other shapes of their bodies do; MJCF leaves out whole bodies");
    if (filters_parents && related(bodies)) continue;
    XmlElement& exclude = contact.add("exclude");
    exclude.set("body1", named_body(w, bodies.first));
    exclude.set("body2", named_body(w, bodies.second));
  }
  return contact;
}

}  // namespace carom::inline CAROM_PRECISION
