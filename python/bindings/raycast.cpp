// Rays, RayCaster, cast_rays and lidar_pattern. The GIL is released while rays are cast.
#include "carom/raycast.h"

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <utility>

#include "carom/error.h"
#include "convert.h"
#include "model.h"

namespace carom::inline CAROM_PRECISION::python {
namespace {

// Worlds that rays are given for; 0 for a model without worlds, whose arrays have no axis for them.
struct RaysHandle {
  Rays rays;
  int worlds;
};
struct RayHitsHandle {
  RayHits hits;
  int worlds;
};

template <class T>
ArrayHandle by_world(const Array<T>& rows, int worlds) {
  ArrayHandle handle(rows);
  if (worlds == 0) return handle;
  handle.shape[0] /= std::size_t(worlds);
  handle.shape.insert(handle.shape.begin(), std::size_t(worlds));
  return handle;
}

// -- Reading rays

// Vectors as (3,), (rays, 3) or (worlds, rays, 3); an axis that is not there, or has one entry, counts for all.
class VectorsOfRays {
 public:
  VectorsOfRays(nb::handle given, const char* name, std::size_t worlds)
      : name_(name), numbers_(read_numbers(given, name)) {
    const std::vector<std::size_t>& shape = numbers_.shape;
    const std::size_t dims = shape.size();
    if (dims < 1 || dims > 3 || shape[dims - 1] != 3) fail_shape("(3,), (rays, 3) or (worlds, rays, 3) numbers");
    rays_ = dims > 1 ? shape[dims - 2] : 1;
    worlds_ = dims > 2 ? shape[0] : 1;
    if (worlds_ != 1 && worlds_ != worlds) fail_shape("rays of " + std::to_string(worlds) + " worlds");
  }

  std::size_t rays() const { return rays_; }
  std::vector<Vec3> spread(std::size_t worlds, std::size_t rays) const {
    if (rays_ != 1 && rays_ != rays) fail_shape(std::to_string(rays) + " rays of a world, as the other argument has");
    std::vector<Vec3> rows;
    rows.reserve(worlds * rays);
    for (std::size_t w = 0; w < worlds; ++w)
      for (std::size_t r = 0; r < rays; ++r) {
        const std::size_t row = (worlds_ == 1 ? 0 : w * rays_) + (rays_ == 1 ? 0 : r);
        const Real* const v = numbers_.values.data() + 3 * row;
        rows.push_back({v[0], v[1], v[2]});
      }
    return rows;
  }

 private:
  [[noreturn]] void fail_shape(const std::string& expected) const {
    std::string shape;
    for (const std::size_t extent : numbers_.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    throw Error("Rays: " + std::string(name_) + ": expected " + expected + ", got an array of shape (" + shape + ")");
  }

  const char* name_;
  Numbers numbers_;
  std::size_t worlds_, rays_;
};

// One index for all, one per world, or one per ray; or the key of what has it in each world. None gives an empty list.
std::vector<int> indices_of_rays(const Model& model, nb::handle given, const char* name,
                                 int (Model::*find)(const std::string&, int) const, std::size_t worlds,
                                 std::size_t rays) {
  if (given.is_none()) return {};
  std::vector<int> found;
  if (nb::isinstance<nb::str>(given)) {
    const std::string key = nb::cast<std::string>(given);
    for (int w = 0; w < int(worlds); ++w) found.push_back((model.*find)(key, model.world_count == 0 ? kAnyWorld : w));
  } else {
    found = read_integers(given, name);
  }
  const std::size_t count = found.size();
  if (count != 1 && count != worlds && count != worlds * rays)
    throw Error("Rays: " + std::string(name) + ": expected one index, one per world (" + std::to_string(worlds) +
                ") or one per ray (" + std::to_string(worlds * rays) + "), got " + std::to_string(count));
  std::vector<int> rows(worlds * rays);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = found[count == 1 ? 0 : count == worlds ? i / rays : i];
  return rows;
}

RaysHandle make_rays(const ModelHandle& handle, const Given<Vec3>& origin, const Given<Vec3>& direction,
                     nb::handle body, nb::handle site, nb::handle exclude_body) {
  const Model& model = handle.model;
  const std::size_t worlds = std::max(model.world_count, 1);
  const VectorsOfRays from(origin.value, "origin", worlds), along(direction.value, "direction", worlds);
  const std::size_t count = from.rays() == 1 ? along.rays() : from.rays();
  const std::vector<Vec3> p = from.spread(worlds, count), d = along.spread(worlds, count);
  const auto bodies = [&](nb::handle given, const char* name) {
    const std::vector<int> rows = indices_of_rays(model, given, name, &Model::find_body, worlds, count);
    return Array<int>(std::span<const int>(rows), model.device);
  };
  Rays rays;
  if (site.is_none()) {
    rays = {Array<Vec3>(std::span<const Vec3>(p), model.device),
            Array<Vec3>(std::span<const Vec3>(d), model.device),
            bodies(body, "body"),
            {}};
  } else {
    if (!body.is_none()) throw Error("Rays: both body and site are given; rays are in the frame of one of them");
    rays = rays_at_sites(model, indices_of_rays(model, site, "site", &Model::find_shape, worlds, count), p, d);
  }
  rays.exclude_body = bodies(exclude_body, "exclude_body");
  return {rays, model.world_count};
}

// -- Classes

template <class T>
auto rows_of(Array<T> Rays::*member) {
  return [member](const RaysHandle& self) { return by_world(self.rays.*member, self.worlds); };
}
template <class T>
auto rows_of(Array<T> RayHits::*member) {
  return [member](const RayHitsHandle& self) {
    const bool empty = (self.hits.*member).empty();
    return by_world(self.hits.*member, empty ? 0 : self.worlds);
  };
}

void bind_rays(nb::module_& m) {
  nb::class_<RaysHandle>(m, "Rays",
                         "Rays of all worlds, on the model's device: made once, cast as often as one likes. Writing to "
                         "the arrays changes the rays.")
      .def(
          nb::new_(&make_rays), nb::arg("model"), nb::arg("origin"), nb::arg("direction"), nb::kw_only(),
          nb::arg("body") = nb::none(), nb::arg("site") = nb::none(), nb::arg("exclude_body") = nb::none(),
          "origin [m] and direction: (worlds, rays, 3), or (rays, 3) or (3,) for all. body: carries the rays, which "
          "are then given in its frame: an index, one per world or per ray, or its key in every world. site: likewise, "
          "in the frame of a site, and its body carries them. exclude_body: its shapes are passed; None = the body "
          "that carries the ray, -1 = none, -2: the shapes without a body are passed.")
      .def_prop_ro("origin", rows_of(&Rays::origin), "[m], in the frame of the body, or of the world")
      .def_prop_ro("direction", rows_of(&Rays::direction), "likewise, of any length but zero")
      .def_prop_ro("body", rows_of(&Rays::body), "that carries each ray, -1 = none; empty: none carries any")
      .def_prop_ro("exclude_body", rows_of(&Rays::exclude_body),
                   "whose shapes each ray passes, -1 = none, -2: those without a body; empty: the one that carries it");
  nb::class_<RayHitsHandle>(m, "RayHits", "What rays meet first: arrays (worlds, rays), without worlds (rays,).")
      .def_prop_ro("distance", rows_of(&RayHits::distance), "from the origin to the surface [m]; -1: nothing is met")
      .def_prop_ro("shape", rows_of(&RayHits::shape), "that is met; -1 = none")
      .def_prop_ro("normal", rows_of(&RayHits::normal),
                   "of the surface, unit, outwards, world frame; zero where nothing is met, empty if not asked for");
}

std::optional<std::vector<int>> shapes_or_all(nb::handle shapes) {
  if (shapes.is_none()) return {};
  return read_integers(shapes, "shapes");
}

void bind_caster(nb::module_& m) {
  const RayCasterConfig defaults;
  nb::class_<RayCaster>(m, "RayCaster", "Casts rays in all worlds at once, on the model's device.")
      .def(nb::new_([](const ModelHandle& model, nb::handle shapes, bool include_static, const Queue* queue) {
             return RayCaster(model.model, {shapes_or_all(shapes), include_static}, queue);
           }),
           nb::arg("model"), nb::kw_only(), nb::arg("shapes") = nb::none(),
           nb::arg("include_static") = defaults.include_static, nb::arg("queue") = nb::none(),
           "shapes: that rays can meet, None = all but sites. include_static: among them those that never move.")
      .def(
          "cast",
          [](RayCaster& self, const State& state, const RaysHandle& rays, Real max_distance, bool with_normals) {
            RayHits hits;
            {
              nb::gil_scoped_release unlocked;
              hits = self.cast(state, rays.rays, max_distance, with_normals);
            }
            return RayHitsHandle{hits, rays.worlds};
          },
          nb::arg("state"), nb::arg("rays"), nb::kw_only(), nb::arg("max_distance") = kUnbounded,
          nb::arg("with_normals") = true,
          "What each ray meets within max_distance [m]. The next call writes over the arrays of the result.");
  m.def(
      "cast_rays",
      [](const ModelHandle& model, const State& state, const Given<Vec3>& origin, const Given<Vec3>& direction,
         nb::handle body, nb::handle site, nb::handle exclude_body, Real max_distance, nb::handle shapes,
         bool include_static) {
        const RaysHandle rays = make_rays(model, origin, direction, body, site, exclude_body);
        const RayCasterConfig config{shapes_or_all(shapes), include_static};
        nb::gil_scoped_release unlocked;
        return RayHitsHandle{cast_rays(model.model, state, rays.rays, max_distance, config), rays.worlds};
      },
      nb::arg("model"), nb::arg("state"), nb::arg("origin"), nb::arg("direction"), nb::kw_only(),
      nb::arg("body") = nb::none(), nb::arg("site") = nb::none(), nb::arg("exclude_body") = nb::none(),
      nb::arg("max_distance") = kUnbounded, nb::arg("shapes") = nb::none(),
      nb::arg("include_static") = defaults.include_static,
      "The first shape that each ray meets, in all worlds; arguments as those of Rays and RayCaster. To cast often, "
      "make both.");
}

void bind_lidar(nb::module_& m) {
  const LidarConfig defaults;
  m.def(
      "lidar_pattern",
      [](int channels, int horizontal_steps, Real lowest, Real highest, Real horizontal_fov) {
        const std::vector<Vec3> directions =
            lidar_pattern({channels, horizontal_steps, lowest, highest, horizontal_fov});
        return ArrayHandle(Array<Vec3>(std::span<const Vec3>(directions)));
      },
      nb::arg("channels") = defaults.channels, nb::arg("horizontal_steps") = defaults.horizontal_steps,
      nb::arg("lowest") = shortest(defaults.lowest), nb::arg("highest") = shortest(defaults.highest),
      nb::arg("horizontal_fov") = shortest(defaults.horizontal_fov),
      "Unit directions (horizontal_steps * channels, 3) of a spinning lidar, x ahead and z up, in the order of firing: "
      "all channels from the lowest to the highest [rad above the horizon], then those of the next step, from right to "
      "left. A full turn begins behind.");
}

}  // namespace

void bind_raycast(nb::module_& m) {
  bind_rays(m);
  bind_caster(m);
  bind_lidar(m);
}

}  // namespace carom::inline CAROM_PRECISION::python
