// Cameras: where they are, and what they see.
#include <cmath>
#include <numbers>

#include "io/mjcf/compile.h"

namespace carom::inline CAROM_PRECISION {

namespace {

// MuJoCo has them in single precision.
using Floats2 = std::array<float, 2>;

Floats2 scaled_floats(const Doubles2& lengths, double scale) {
  return {static_cast<float>(double(float(lengths[0])) * scale), static_cast<float>(double(float(lengths[1])) * scale)};
}

// A length in pixels, or where that is 0 one as it is.
float length_of(float length, double pixels, int resolution, float sensor_size) {
  return pixels == 0 ? length : static_cast<float>(pixels) / (static_cast<float>(resolution) / sensor_size);
}

// Without a sensor's size MuJoCo has the near plane of its viewer in the place of focal lengths; nobody reads it there.
void add_optics(CompiledMjcf& m, const CameraSpec& camera) {
  const double L = camera.scale.units.length;
  const Floats2 size = scaled_floats(camera.sensor_size, L);
  const Floats2 focal = scaled_floats(camera.focal, L), principal = scaled_floats(camera.principal, L);
  append(m.cam_sensorsize, size);
  std::array<float, 4> intrinsic{};
  double fovy = camera.fovy;
  if (size[0] > 0 && size[1] > 0) {
    for (std::size_t k = 0; k < 2; ++k) {
      intrinsic[k] = length_of(focal[k], camera.focal_pixel[k], camera.resolution[k], size[k]);
      intrinsic[2 + k] = length_of(principal[k], camera.principal_pixel[k], camera.resolution[k], size[k]);
    }
    fovy = std::atan2(double(size[1]) / 2, double(intrinsic[1])) * 360 / std::numbers::pi;
  }
  append(m.cam_intrinsic, intrinsic);
  m.cam_fovy.push_back(fovy);
}

void add_camera(Compiling& c, const CameraSpec& camera, int body) {
  CompiledMjcf& m = c.out;
  add_name(c.cameras, camera.name, static_cast<int>(m.cam_mode.size()), camera.place, "camera");
  note_place(c, MjcfRows::kCamera, camera.place, "camera");
  const MjcfPose X = c.alignment[static_cast<std::size_t>(body)] * camera.pose;
  m.name_cam.push_back(camera.name);
  m.cam_mode.push_back(camera.mode);
  m.cam_projection.push_back(camera.projection);
  m.cam_bodyid.push_back(body);
  append(m.cam_resolution, camera.resolution);
  append(m.cam_pos, X.p);
  append(m.cam_quat, normalize(X.q));
  add_optics(m, camera);
}

}  // namespace

void compile_cameras(Compiling& c) {
  for (std::size_t body = 0; body < c.spec.bodies.size(); ++body)
    for (const CameraSpec& camera : c.spec.bodies[body].cameras) add_camera(c, camera, static_cast<int>(body));
}

}  // namespace carom::inline CAROM_PRECISION
