// The rows of <sensor>.
#include "io/mjcf/table_rows.h"

namespace carom::inline CAROM_PRECISION {

std::vector<TableRow> mjcf_sensor_rows() {
  const std::string timed = "name cutoff:1 noise:1 nsample:i interp:zoh|linear|cubic delay:1 interval:1-2 ";
  const std::string object = "objtype:body|xbody|geom|site|camera objname ";
  const std::string reference = "reftype:body|xbody|geom|site|camera refname ";
  const std::string two = "geom1 geom2 body1 body2 ";
  const char* const seen = "user:*";
  std::vector<TableRow> rows{
      {"sensor", "", "", "",
       "touch accelerometer velocimeter gyro force torque magnetometer camprojection rangefinder jointpos jointvel "
       "tendonpos tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc ballquat ballangvel "
       "jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel tendonlimitfrc framepos framequat "
       "framexaxis frameyaxis framezaxis framelinvel frameangvel framelinacc frameangacc subtreecom subtreelinvel "
       "subtreeangmom insidesite distance normal fromto sensor/contact e_potential e_kinetic clock tactile sensor/user "
       "sensor/plugin"},
      {"camprojection", timed + "site camera", seen},
      {"rangefinder", timed + "site camera data", seen},
      {"insidesite", timed + object + "site enclosed:false|true", seen},
      {"sensor/contact", timed + two + "subtree1 subtree2 site num:i data reduce:none|mindist|maxforce|netforce", seen},
      {"tactile", "name cutoff:1 nsample:i interp:zoh|linear|cubic delay:1 interval:1-2 geom mesh", seen},
      {"sensor/user",
       "name cutoff:1 noise:1 objtype objname dim:i datatype:real|positive|axis|quaternion needstage:none|pos|vel|acc",
       seen},
      {"sensor/plugin", "", "", "", "", MjcfUse::kLater, true},
  };
  const auto add = [&](const std::string& attributes, std::initializer_list<const char*> ids) {
    for (const char* id : ids) rows.push_back({id, timed + attributes, seen});
  };
  add("site", {"touch", "accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer"});
  add("joint", {"jointpos", "jointvel", "jointactuatorfrc", "ballquat", "ballangvel", "jointlimitpos", "jointlimitvel",
                "jointlimitfrc"});
  add("tendon", {"tendonpos", "tendonvel", "tendonactuatorfrc", "tendonlimitpos", "tendonlimitvel", "tendonlimitfrc"});
  add("actuator", {"actuatorpos", "actuatorvel", "actuatorfrc"});
  add(object + reference,
      {"framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"});
  add(object, {"framelinacc", "frameangacc"});
  add("body", {"subtreecom", "subtreelinvel", "subtreeangmom"});
  add(two, {"distance", "normal", "fromto"});
  add("", {"e_potential", "e_kinetic", "clock"});
  return rows;
}

}  // namespace carom::inline CAROM_PRECISION
