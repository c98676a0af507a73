// What rangefinders tell of the rays that were cast for them (RayCaster), and the distances of shapes; both by MuJoCo's
// rules.
#pragma once

#include "carom/sensor_config.h"
#include "collide/narrow/shape_distance.kernel.h"
#include "collide/narrow_phase.kernel.h"

namespace carom::inline CAROM_PRECISION {

// A ray of a rangefinder.
struct RangeRay {
  int sensor = -1;  // row of the model; -1: it only fills the row of its world
  int at = 0;       // its first number among those of the sensor
  Real slant = 1;   // cosine between the ray and where the camera looks
};

struct TellRays {
  const RangeRay* ray;
  const Vec3 *origin, *direction;  // unit; in the frame of the body, or of the world
  const int* body;
  const Transform* body_q;
  const Real* distance;  // RayHits
  const Vec3* normal;
  const int* data;  // RayData of every sensor
  const std::int64_t* value_at;
  Real* values;

  CAROM_HD void operator()(int i) const {
    const RangeRay& own = ray[i];
    if (own.sensor < 0) return;
    const Transform X_WB = body[i] < 0 ? Transform{} : body_q[body[i]];
    const bool met = distance[i] >= 0;
    const Vec3 p = transform_point(X_WB, origin[i]), d = rotate(X_WB.q, direction[i]);
    const int fields = data[own.sensor];
    Real* to = values + value_at[own.sensor] + own.at;
    const auto tell = [&](Vec3 v) CAROM_HD_LAMBDA {
      for (int k = 0; k < 3; ++k) *to++ = v[k];
    };
    if (fields & kRayDist) *to++ = distance[i];
    if (fields & kRayDir) tell(met ? d : Vec3{});
    if (fields & kRayOrigin) tell(p);
    if (fields & kRayPoint) tell(met ? fma(d, distance[i], p) : Vec3{});
    if (fields & kRayNormal) tell(met ? normal[i] : Vec3{});
    if (fields & kRayDepth) *to++ = met ? distance[i] * own.slant : Real(-1);
  }
};

struct DistanceSensor {
  SensorType type;
  int sensor;      // row of the model
  int first, end;  // pairs of shapes
};

// The nearest of all pairs, if it is nearer than the cutoff.
struct SenseDistances {
  const DistanceSensor* sensors;
  const Index2* pair;
  PosedShapes shapes;  // X_WS is not read
  const int* shape_body;
  const Transform *shape_frame, *body_q;  // X_BS, X_WB
  const Real* cutoff;                     // of every sensor
  const std::int64_t* value_at;
  Real* values;

  CAROM_HD void operator()(int i) const {
    const DistanceSensor& own = sensors[i];
    const Real most = cutoff[own.sensor];
    ConvexDistance best{most, {}, {}, {}};
    for (int k = own.first; k < own.end; ++k) {
      const ConvexDistance found = distance_of(pair[k][0], pair[k][1]);
      if (found.distance < best.distance) best = found;
    }
    Real* to = values + value_at[own.sensor];
    const auto tell = [&](Vec3 v) CAROM_HD_LAMBDA {
      for (int k = 0; k < 3; ++k) *to++ = v[k];
    };
    if (own.type == SensorType::kDistance) *to = best.distance;
    // From surface to surface: where they overlap, that is the way back.
    if (own.type == SensorType::kNormal) tell(best.distance < 0 ? -best.normal : best.normal);
    if (own.type == SensorType::kFromTo) tell(best.point_a), tell(best.point_b);
  }

 private:
  CAROM_HD Transform pose(int s) const {
    return shape_body[s] < 0 ? shape_frame[s] : body_q[shape_body[s]] * shape_frame[s];
  }
  CAROM_HD ConvexDistance distance_of(int a, int b) const {
    return shape_distance(shapes[a], pose(a), shapes.thickness[a], shapes[b], pose(b), shapes.thickness[b]);
  }
};

}  // namespace carom::inline CAROM_PRECISION
