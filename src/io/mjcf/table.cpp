// The table of MJCF, one row for each element.
//
// Attributes are written as `name` (text), `name:3` (three numbers), `name:1-3`, `name:*` (any number of them),
// `name:i` and `name:i2` (integers), `name:no|yes` (words). Attributes of the second list leave the motion alone, those
// of the third would change it and are not understood.
#include "io/mjcf/table.h"

#include <algorithm>
#include <limits>
#include <map>
#include <sstream>

#include "base/fail.h"
#include "io/mjcf/table_rows.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const std::string kLimited = ":false|true|auto";
const std::string kTurn = " quat:4 axisangle:4 xyaxes:6 zaxis:3 euler:3 ";
const std::string kSolver = " solref:1-2 solimp:1-5 ";
const std::string kTendonRow =
    "name class limited" + kLimited + " actuatorfrclimited" + kLimited +
    " range:2 actuatorfrcrange:2 solreflimit:1-2 solimplimit:1-5 solreffriction:1-2 solimpfriction:1-5 margin:1 "
    "stiffness:1-3 damping:1-3 springlength:1-2 springyield:1 frictionloss:1 armature:1";
const char* const kTendonSeen = "group:i user:* width:1 material:@material rgba:1-4";
const std::string kDelayed = " delay:1 nsample:i interp:zoh|linear|cubic ";
const std::string kCtrlLimited = " ctrllimited" + kLimited + " ";
const std::string kForceLimits = " forcerange:2 forcelimited" + kLimited + " ";
// What every actuator may have but those for orientation, adhesion and plugins. DC motors have no limits of their force
// but their saturation, dampers and adhesion always limit their controls, muscles pull at no site.
const std::string kMechanics =
    "name class group:i joint jointinparent tendon slidersite cranksite gear:1-6 cranklength:1 lengthrange:2 "
    "ctrlrange:2 armature:1 damping:1-3" +
    kDelayed;
const std::string kSites = " site refsite ";
const std::string kActuatorRow = kMechanics + kCtrlLimited + kForceLimits + kSites;
const std::string kGainRow =
    "dyntype:none|integrator|filter|filterexact|muscle|dcmotor|pid|user "
    "gaintype:fixed|affine|muscle|dcmotor|so3|pid|user biastype:none|affine|muscle|dcmotor|so3|user "
    "dynprm:1-10 gainprm:1-10 biasprm:1-10 actdim:i actearly:false|true actlimited" +
    kLimited + " actrange:2 inheritrange:1 ";
const std::string kFlag = ":disable|enable ";
const char* const kBodyChildren =
    "joint freejoint geom site camera light body frame replicate attach inertial flexcomp body/plugin";

const TableRow kFrameRows[] = {
    {"mujoco", "model", "", "",
     "compiler option size statistic visual default extension asset worldbody deformable contact equality tendon "
     "actuator sensor keyframe custom"},
    {"compiler",
     "autolimits:false|true boundmass:1 boundinertia:1 settotalmass:1 balanceinertia:false|true angle:radian|degree "
     "eulerseq meshdir assetdir strippath:false|true inertiafromgeom:false|true|auto inertiagrouprange:i2 "
     "alignfree:false|true coordinate:local|global fusestatic:false|true discardvisual:false|true "
     "conflict:warning|merge|error fitaabb:false|true",
     "texturedir usethread savecompiled savecanonical saveinertial passthrough", "", "lengthrange"},
    {"lengthrange",
     "mode:none|muscle|muscleuser|all useexisting:false|true uselimit:false|true accel:1 maxforce:1 timeconst:1 "
     "timestep:1 inttotal:1 interval:1 tolrange:1",
     ""},
    {"option",
     "timestep:1 gravity:3 wind:3 magnetic:3 density:1 viscosity:1 impratio:1 noslip_iterations:i noslip_tolerance:1 "
     "sleep_tolerance:1 integrator:Euler|RK4|implicit|implicitfast|discrete cone:pyramidal|elliptic "
     "actuatorgroupdisable:i* o_margin:1 o_solref:1-2 o_solimp:1-5 o_friction:1-5",
     "tolerance:1 ls_tolerance:1 ccd_tolerance:1 iterations:i ls_iterations:i ccd_iterations:i "
     "sdf_iterations:i sdf_initpoints:i jacobian:dense|sparse|auto solver:PGS|CG|Newton",
     "", "flag"},
    {"flag", "constraint" + kFlag + "equality" + kFlag + "frictionloss" + kFlag + "limit" + kFlag + "contact" + kFlag +
                 "spring" + kFlag + "damper" + kFlag + "gravity" + kFlag + "clampctrl" + kFlag + "warmstart" + kFlag +
                 "filterparent" + kFlag + "actuation" + kFlag + "refsafe" + kFlag + "sensor" + kFlag + "midphase" +
                 kFlag + "eulerdamp" + kFlag + "autoreset" + kFlag + "nativeccd" + kFlag + "island" + kFlag +
                 "multiccd" + kFlag + "override" + kFlag + "energy" + kFlag + "fwdinv" + kFlag + "invdiscrete" + kFlag +
                 "sleep" + kFlag + "diagexact" + kFlag + "ipc" + kFlag + "speculative" + kFlag},
    {"size", "nkey:i",
     "memory nconmax njmax nstack nuser_actuator nuser_body nuser_cam nuser_geom nuser_jnt "
     "nuser_sensor nuser_site nuser_tendon nuserdata"},
    {"default", "class", "", "",
     "default mesh texture material joint geom site camera light pair default/equality default/tendon general motor "
     "position velocity intvelocity damper cylinder muscle adhesion dcmotor orientation pid"},
    {"extension", "", "", "", "extension/plugin"},
    {"extension/plugin", "plugin", "", "", "", MjcfUse::kUsed, true},
    {"asset", "", "", "", "mesh hfield skin texture material model"},
    {"deformable", "", "", "", "flex skin"},
    {"flex", "", "", "", "", MjcfUse::kUnsupported, true},
};

const TableRow kAssetRows[] = {
    {"mesh",
     "name class file vertex:* face:i* scale:1-3 refpos:3 refquat:4 inertia:convex|exact|legacy|shell maxhullvert:i "
     "content_type params:* "
     "builtin:sphere|hemisphere|cone|supersphere|supertorus|wedge|plate|grid|box|cylinder|ellipsoid|square|disc",
     "normal:* texcoord:* material:@material smoothnormal", "", "mesh/plugin"},
    {"mesh/plugin", "", "", "", "", MjcfUse::kUnsupported, true},
    {"hfield", "name file nrow:i ncol:i size:4 elevation:* content_type"},
    {"model", "name file content_type"},
};

const TableRow kBodyRows[] = {
    {"worldbody", "name childclass", "", "", kBodyChildren},
    {"body", "name childclass pos:3 mocap:false|true fuse:false|true gravcomp:1 sleep:auto|never|allowed|init" + kTurn,
     "user:* simple", "", kBodyChildren},
    {"frame", "name childclass pos:3 scale:1-3 scaling:similar|geometry massscale:1" + kTurn, "", "", kBodyChildren},
    {"replicate", "count:i offset:3 euler:3 sep childclass", "", "", kBodyChildren},
    {"attach", "model body frame prefix"},
    {"inertial", "pos:3 mass:1 diaginertia:3 fullinertia:6" + kTurn},
    {"joint",
     "name class type:free|ball|slide|hinge pos:3 axis:3 limited" + kLimited + " actuatorfrclimited" + kLimited +
         " range:2 actuatorfrcrange:2 actuatorgravcomp:false|true stiffness:1-3 damping:1-3 armature:1 "
         "frictionloss:1 springref:1 springyield:1 springdamper:2 ref:1 margin:1 solreflimit:1-2 solimplimit:1-5 "
         "solreffriction:1-2 solimpfriction:1-5",
     "group:i user:*"},
    {"freejoint", "name align:false|true|auto", "group:i"},
    {"geom",
     "name class type:plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh|sdf pos:3 size:1-3 fromto:6 contype:i "
     "conaffinity:i condim:i priority:i group:i friction:1-3 solmix:1 margin:1 gap:1 adhesion:1 surfacevel:1-6 mass:1 "
     "density:1 shellinertia:false|true mesh hfield fitscale:1 fluidshape:none|ellipsoid fluidcoef:1-5" +
         kSolver + kTurn,
     "user:* material:@material rgba:1-4 castshadow", "", "geom/plugin"},
    {"geom/plugin", "", "", "", "", MjcfUse::kUnsupported, true},
    {"site",
     "name class pos:3 fromto:6 type:plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh|sdf size:1-3 mesh" + kTurn,
     "group:i material:@material rgba:1-4 user:*"},
    {"flexcomp", "", "", "", "", MjcfUse::kUnsupported, true},
    {"body/plugin", "", "", "", "", MjcfUse::kUnsupported, true},
};

const TableRow kContactRows[] = {
    {"contact", "", "", "", "pair exclude"},
    {"pair", "name class geom1 geom2 condim:i friction:1-5 solreffriction:1-2 margin:1 gap:1 adhesion:1" + kSolver},
    {"exclude", "name body1 body2"},
    {"equality", "", "", "", "connect weld equality/joint equality/tendon equality/flex equality/flexstrain"},
    {"default/equality", "active:false|true" + kSolver},
    {"connect", "name class active:false|true body1 body2 site1 site2 anchor:3" + kSolver},
    {"weld", "name class active:false|true body1 body2 site1 site2 anchor:3 relpose:7 torquescale:1" + kSolver},
    {"equality/joint", "name class active:false|true joint1 joint2 polycoef:1-5" + kSolver},
    {"equality/tendon", "name class active:false|true tendon1 tendon2 polycoef:1-5" + kSolver},
    {"equality/flex", "", "", "", "", MjcfUse::kUnsupported, true},
    {"equality/flexstrain", "", "", "", "", MjcfUse::kUnsupported, true},
    {"tendon", "", "", "", "spatial fixed"},
    {"default/tendon", kTendonRow, kTendonSeen},
    {"spatial", kTendonRow, kTendonSeen, "", "spatial/site spatial/geom pulley"},
    {"spatial/site", "site"},
    {"spatial/geom", "geom sidesite"},
    {"pulley", "divisor:1"},
    {"fixed", kTendonRow, "group:i user:*", "", "fixed/joint"},
    {"fixed/joint", "joint coef:1"},
};

const TableRow kActuatorRows[] = {
    {"actuator", "", "", "",
     "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor orientation pid "
     "actuator/plugin"},
    {"general", kActuatorRow + kGainRow + "body input velrange:2 ffrange:2", "user:*"},
    {"motor", kActuatorRow, "user:*"},
    {"position", kActuatorRow + "kp:1 kv:1 dampratio:1 timeconst:1 inheritrange:1", "user:*"},
    {"velocity", kActuatorRow + "kv:1", "user:*"},
    {"intvelocity", kActuatorRow + "kp:1 kv:1 dampratio:1 inheritrange:1 actrange:2 actlimited" + kLimited, "user:*"},
    {"damper", kMechanics + kForceLimits + kSites + "kv:1", "user:*"},
    {"cylinder", kActuatorRow + "timeconst:1 area:1 diameter:1 bias:1-3", "user:*"},
    {"muscle",
     kMechanics + kCtrlLimited + kForceLimits +
         "timeconst:1-2 tausmooth:1 range:2 force:1 scale:1 lmin:1 lmax:1 vmax:1 fpmax:1 fvmax:1",
     "user:*"},
    {"adhesion", "name class group:i body ctrlrange:2 forcelimited" + kLimited + " forcerange:2 gain:1" + kDelayed,
     "user:*"},
    {"dcmotor",
     kMechanics + kCtrlLimited + kSites +
         "input resistance:1 motorconst:1-2 nominal:1-3 saturation:1-3 inductance:1-2 "
         "cogging:1-3 controller:1-6 thermal:1-6 lugre:1-5",
     "user:*"},
    {"orientation",
     "name class group:i joint site refsite ctrlrange:2 forcerange:2 forcelimited" + kLimited +
         " kp:1 kv:1 dampratio:1 input" + kDelayed,
     "user:*"},
    {"pid",
     kActuatorRow + "kp:1 kv:1 dampratio:1 ki:1 imax:1 slewmax:1 input posrange:2 velrange:2 ffrange:2 inheritrange:1",
     "user:*"},
    {"actuator/plugin", "", "", "", "", MjcfUse::kUnsupported, true},
};

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

MjcfAttributeRule attribute_rule(const std::string& entry, MjcfUse use) {
  const std::size_t colon = entry.find(':');
  MjcfAttributeRule rule{entry.substr(0, colon), use};
  if (colon == std::string::npos) return rule;
  std::string what = entry.substr(colon + 1);
  if (what[0] == '@') {
    rule.refers_to = what.substr(1);
    return rule;
  }
  if (what.find('|') != std::string::npos) {
    rule.type = MjcfType::kWord;
    rule.words = split(what, '|');
    return rule;
  }
  rule.type = what[0] == 'i' ? MjcfType::kIntegers : MjcfType::kNumbers;
  if (what[0] == 'i') what = what.size() > 1 ? what.substr(1) : "1";
  const std::size_t dash = what.find('-');
  if (what == "*") {
    rule.most = std::numeric_limits<int>::max();
  } else if (dash != std::string::npos) {
    rule.least = std::stoi(what.substr(0, dash));
    rule.most = std::stoi(what.substr(dash + 1));
  } else {
    rule.least = rule.most = std::stoi(what);
  }
  return rule;
}

MjcfElementRule element_rule(const TableRow& row) {
  MjcfElementRule rule;
  rule.id = row.id;
  rule.tag = rule.id.substr(rule.id.find('/') + 1);
  rule.use = row.use;
  rule.opaque = row.opaque;
  rule.children = split(row.children, ' ');
  const auto add = [&](const std::string& list, MjcfUse use) {
    for (const std::string& entry : split(list, ' ')) rule.attributes.push_back(attribute_rule(entry, use));
  };
  add(row.used, MjcfUse::kUsed);
  add(row.ignored, MjcfUse::kIgnored);
  add(row.unsupported, MjcfUse::kUnsupported);
  return rule;
}

std::vector<MjcfElementRule> make_table() {
  std::vector<MjcfElementRule> table;
  const auto add = [&](const auto& rows) {
    for (const TableRow& row : rows) table.push_back(element_rule(row));
  };
  add(kFrameRows);
  add(kAssetRows);
  add(kBodyRows);
  add(kContactRows);
  add(kActuatorRows);
  add(mjcf_sensor_rows());
  add(mjcf_visual_rows());
  return table;
}

using RuleIndex = std::map<std::string, const MjcfElementRule*, std::less<>>;

const RuleIndex& rule_index() {
  static const RuleIndex index = [] {
    RuleIndex result;
    for (const MjcfElementRule& rule : mjcf_table()) result.emplace(rule.id, &rule);
    return result;
  }();
  return index;
}

}  // namespace

const MjcfAttributeRule* MjcfElementRule::find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const MjcfAttributeRule& rule) { return rule.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

const std::vector<MjcfElementRule>& mjcf_table() {
  static const std::vector<MjcfElementRule> table = make_table();
  return table;
}

const MjcfElementRule& mjcf_rule(std::string_view id) {
  const auto found = rule_index().find(id);
  if (found == rule_index().end()) fail("the table of MJCF has no '", id, "'");
  return *found->second;
}

const MjcfElementRule* mjcf_child_rule(const MjcfElementRule& parent, std::string_view tag) {
  for (const std::string& id : parent.children) {
    const MjcfElementRule& rule = mjcf_rule(id);
    if (rule.tag == tag) return &rule;
  }
  return nullptr;
}

}  // namespace carom::inline CAROM_PRECISION
