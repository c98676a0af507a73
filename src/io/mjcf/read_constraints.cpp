// <contact>, <equality>, <tendon>.
#include "io/mjcf/mujoco_enums.h"
#include "io/mjcf/reading.h"

namespace carom::inline CAROM_PRECISION {

namespace {

PairSpec pair_spec(const MjcfAttributes& given) {
  PairSpec pair;
  pair.place = given.node->place;
  pair.name = given.text("name");
  pair.geom1 = given.needed_text("geom1");
  pair.geom2 = given.needed_text("geom2");
  pair.condim = given.integer("condim", pair.condim);
  given.read("friction", pair.friction);
  given.read("solref", pair.solref);
  given.read("solreffriction", pair.solreffriction);
  given.read("solimp", pair.solimp);
  given.read("margin", pair.margin);
  given.read("gap", pair.gap);
  given.read("adhesion", pair.adhesion);
  return pair;
}

// Bodies or sites, whichever are named.
void read_ends_of_equality(EqualitySpec& equality, const MjcfAttributes& given) {
  equality.sites = given.has("site1") || given.has("site2");
  if (equality.sites && (given.has("body1") || given.has("body2") || given.has("anchor")))
    given.fail_at("site1", "is given together with bodies or an anchor");
  equality.object1 = given.needed_text(equality.sites ? "site1" : "body1");
  equality.object2 = equality.sites ? given.needed_text("site2") : given.text("body2");
}

void read_connect(EqualitySpec& equality, const MjcfAttributes& given) {
  equality.type = mj::kConnect;
  read_ends_of_equality(equality, given);
  if (equality.sites) equality.data = {};
  else if (!given.read("anchor", equality.data.data(), 3)) given.fail_at("anchor", "is missing");
}

// Anchor, relative position, relative rotation (of zeros: as at qpos0), scale of torques.
void read_weld(EqualitySpec& equality, const MjcfAttributes& given) {
  equality.type = mj::kWeld;
  read_ends_of_equality(equality, given);
  if (!equality.sites) equality.data[1] = 0;
  given.read("anchor", equality.data.data(), 3);
  given.read("relpose", equality.data.data() + 3, 7);
  equality.data[10] = given.number("torquescale", 1);
}

void read_coupling(EqualitySpec& equality, const MjcfAttributes& given, bool joints) {
  equality.type = joints ? mj::kEqualJoints : mj::kEqualTendons;
  equality.object1 = given.needed_text(joints ? "joint1" : "tendon1");
  equality.object2 = given.text(joints ? "joint2" : "tendon2");
  given.read("polycoef", equality.data.data(), 5);
}

WrapSpec wrap_spec(const MjcfAttributes& given) {
  WrapSpec wrap;
  wrap.place = given.node->place;
  const std::string& id = given.rule->id;
  if (id == "fixed/joint") {
    wrap.type = mj::kWrapJoint;
    wrap.object = given.needed_text("joint");
    if (!given.has("coef")) given.fail_at("coef", "is missing");
    wrap.number = given.number("coef", 0);
  } else if (id == "spatial/site") {
    wrap.type = mj::kWrapSite;
    wrap.object = given.needed_text("site");
  } else if (id == "spatial/geom") {
    wrap.type = mj::kWrapSphere;
    wrap.object = given.needed_text("geom");
    wrap.sidesite = given.text("sidesite");
  } else {
    wrap.type = mj::kWrapPulley;
    if (!given.has("divisor")) given.fail_at("divisor", "is missing");
    wrap.number = given.number("divisor", 0);
    if (wrap.number <= 0) given.fail_at("divisor", "must be positive, is ", wrap.number);
  }
  return wrap;
}

TendonSpec tendon_spec(const MjcfAttributes& given) {
  TendonSpec tendon;
  tendon.place = given.node->place;
  tendon.name = given.text("name");
  tendon.spatial = given.rule->id == "spatial";
  tendon.limited = given.word("limited", tendon.limited);
  tendon.actuator_force_limited = given.word("actuatorfrclimited", tendon.actuator_force_limited);
  given.read("range", tendon.range);
  given.read("actuatorfrcrange", tendon.actuator_force_range);
  if (const MjcfValue* spring = given.find("springlength")) {
    tendon.springlength = {spring->numbers.front(), spring->numbers.back()};
  }
  given.read("stiffness", tendon.stiffness);
  given.read("damping", tendon.damping);
  given.read("margin", tendon.margin);
  given.read("frictionloss", tendon.frictionloss);
  given.read("armature", tendon.armature);
  given.read("springyield", tendon.springyield);
  given.read("solreflimit", tendon.solref_limit);
  given.read("solimplimit", tendon.solimp_limit);
  given.read("solreffriction", tendon.solref_friction);
  given.read("solimpfriction", tendon.solimp_friction);
  return tendon;
}

}  // namespace

void read_contact(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("contact"))) {
    if (child.rule->id == "pair") {
      in.spec.pairs.push_back(pair_spec(read_with_class(in, child, "")));
      continue;
    }
    const MjcfAttributes given = read_attributes(*child.node, *child.rule, in.messages);
    in.spec.excludes.push_back(
        {child.node->place, given.text("name"), given.needed_text("body1"), given.needed_text("body2")});
  }
}

void read_equality(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("equality"))) {
    const MjcfAttributes given = read_with_class(in, child, "", "default/equality");
    EqualitySpec equality;
    equality.place = child.node->place;
    equality.name = given.text("name");
    equality.active = given.is_true("active", true);
    given.read("solref", equality.solref);
    given.read("solimp", equality.solimp);
    if (child.rule->id == "connect") read_connect(equality, given);
    else if (child.rule->id == "weld") read_weld(equality, given);
    else read_coupling(equality, given, child.rule->id == "equality/joint");
    in.spec.equalities.push_back(std::move(equality));
  }
}

void read_tendon(MjcfReading& in, const XmlNode& node) {
  for (const RuledNode& child : ruled_children(in, node, mjcf_rule("tendon"))) {
    TendonSpec tendon = tendon_spec(read_with_class(in, child, "", "default/tendon"));
    for (const RuledNode& part : ruled_children(in, *child.node, *child.rule))
      tendon.wraps.push_back(wrap_spec(read_attributes(*part.node, *part.rule, in.messages)));
    if (tendon.wraps.empty()) fail_at(*child.node, "a tendon without a path");
    in.spec.tendons.push_back(std::move(tendon));
  }
}

}  // namespace carom::inline CAROM_PRECISION
