#include "base/fail.h"
#include "carom/raycast.h"

namespace carom::inline CAROM_PRECISION {

Rays rays_at_sites(const Model& model, const std::vector<int>& site, const std::vector<Vec3>& origin,
                   const std::vector<Vec3>& direction) {
  if (site.size() != origin.size() || site.size() != direction.size())
    fail("rays_at_sites: there are ", site.size(), " sites, ", origin.size(), " origins and ", direction.size(),
         " directions; give as many of each");
  const Array<int> body_of = model.shape_body.on_cpu();
  const Array<Transform> X_BS = model.shape_transform.on_cpu();
  std::vector<Vec3> p, d;
  std::vector<int> body;
  for (std::size_t i = 0; i < site.size(); ++i) {
    const int s = site[i];
    if (s < 0 || s >= model.shape_count)
      fail("rays_at_sites: ray ", i, ": shape ", s, " does not exist: there are ", model.shape_count);
    p.push_back(transform_point(X_BS[s], origin[i]));
    d.push_back(rotate(X_BS[s].q, direction[i]));
    body.push_back(body_of[s]);
  }
  return {Array<Vec3>(std::span<const Vec3>(p), model.device),
          Array<Vec3>(std::span<const Vec3>(d), model.device),
          Array<int>(std::span<const int>(body), model.device),
          {}};
}

}  // namespace carom::inline CAROM_PRECISION
