// The rows of what is seen and of what users write down: nothing of it moves anything.
#include "io/mjcf/table_rows.h"

namespace carom::inline CAROM_PRECISION {

namespace {

const char* const kTexture =
    "type:2d|cube|skybox colorspace:auto|linear|sRGB embed:false|true content_type file gridsize:i2 gridlayout "
    "fileright fileleft fileup filedown filefront fileback builtin:none|gradient|checker|flat rgb1:3 rgb2:3 "
    "mark:none|edge|cross|random markrgb:3 random:1 width:i height:i hflip:false|true vflip:false|true nchannel:i";
const char* const kMaterial =
    "texrepeat:1-2 texuniform:false|true emission:1 specular:1 shininess:1 reflectance:1 metallic:1 roughness:1 "
    "rgba:1-4";
const char* const kCamera =
    "name class mode:fixed|track|trackcom|targetbody|targetbodycom target:@body projection:perspective|orthographic "
    "fovy:1 resolution:i2 sensorsize:2 focal:2 focalpixel:i2 principal:2 principalpixel:i2 pos:3 quat:4 axisangle:4 "
    "xyaxes:6 zaxis:3 euler:3";
const char* const kLight =
    "mode:fixed|track|trackcom|targetbody|targetbodycom type:spot|directional|point|image directional:false|true "
    "castshadow:false|true active:false|true pos:3 dir:3 diffuse:3 ambient:3 specular:3 intensity:1 range:1 "
    "bulbradius:1 attenuation:3 cutoff:1 exponent:1 softness:1";
const char* const kSkin = "file vertex:* texcoord:* face:i* inflate:1 group:i rgba:1-4";

}  // namespace

std::vector<TableRow> mjcf_visual_rows() {
  return {
      {"visual", "", "", "", "visual/global visual/quality visual/headlight visual/map visual/scale visual/rgba"},
      {"visual/global", "",
       "cameraid:i orthographic:false|true fovy:1 ipd:1 azimuth:1 elevation:1 linewidth:1 glow:1 offwidth:i "
       "offheight:i realtime:1 ellipsoidinertia:false|true bvactive:false|true"},
      {"visual/quality", "", "shadowsize:i offsamples:i numslices:i numstacks:i numquads:i"},
      {"visual/headlight", "", "ambient:3 diffuse:3 specular:3 active:i"},
      {"visual/map", "",
       "stiffness:1 stiffnessrot:1 force:1 torque:1 alpha:1 fogstart:1 fogend:1 znear:1 zfar:1 haze:1 shadowclip:1 "
       "shadowscale:1 actuatortendon:1"},
      {"visual/scale", "",
       "forcewidth:1 contactwidth:1 contactheight:1 connect:1 com:1 camera:1 light:1 selectpoint:1 jointlength:1 "
       "jointwidth:1 actuatorlength:1 actuatorwidth:1 framelength:1 framewidth:1 constraint:1 slidercrank:1 "
       "frustum:1"},
      {"visual/rgba", "",
       "fog:4 haze:4 force:4 inertia:4 joint:4 actuator:4 actuatornegative:4 actuatorpositive:4 com:4 camera:4 "
       "light:4 selectpoint:4 connect:4 contactpoint:4 contactforce:4 contactfriction:4 contacttorque:4 contactgap:4 "
       "rangefinder:4 constraint:4 slidercrank:4 crankbroken:4 frustum:4 bv:4 bvactive:4"},
      {"statistic", "", "center:3 extent:1 meaninertia:1 meanmass:1 meansize:1"},
      {"texture", "name class", kTexture},
      {"material", "name class texture:@texture", kMaterial, "", "layer"},
      {"layer", "texture:@texture", "role"},
      {"camera", kCamera, "ipd:1 output user:*"},
      {"light", "name class target:@body texture:@texture", kLight},
      {"skin", "name material:@material", kSkin, "", "bone"},
      {"bone", "body:@body", "bindpos:3 bindquat:4 vertid:i* vertweight:*"},
      {"keyframe", "", "", "", "key"},
      {"key", "name time:1 qpos:* qvel:* act:* ctrl:* mpos:* mquat:* plastic:*"},
      {"custom", "", "", "", "numeric custom/text tuple"},
      {"numeric", "name size:i data:*"},
      {"custom/text", "name data"},
      {"tuple", "name", "", "", "tuple/element"},
      {"tuple/element", "objtype objname prm:1"},
  };
}

}  // namespace carom::inline CAROM_PRECISION
