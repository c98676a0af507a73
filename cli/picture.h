// A picture of something made of capsules at several times, one pose beside the other on an axis of time, as an SVG
// file. It knows nothing of models: it is given thick lines that a camera has projected already.
#pragma once

#include <string>
#include <vector>

namespace carom::cli {

// All lengths are metres in the plane of the picture, x to the right, y up, the ground's origin at zero.
struct Stroke {
  double x0, y0, x1, y1;
  double radius;
  double depth;  // larger = nearer
  int tone;      // index of Picture::tones
};

struct ForceArrow {
  double x, y;    // where it acts
  double fx, fy;  // [N]; both zero = a contact whose force is not drawn
};

struct Pose {
  double time;  // [s]
  std::vector<Stroke> body;
  std::vector<Stroke> shadow;  // seen from above: y is along the ground, away from the camera
  std::vector<ForceArrow> forces;
};

struct Picture {
  std::string title, subtitle;
  std::vector<std::string> tones;  // what the colours mean; three at most
  double ground_slope = 0;         // height in the picture of a metre along the ground, away from the camera
  std::vector<Pose> poses;
};

std::string to_svg(const Picture& picture);

}  // namespace carom::cli
