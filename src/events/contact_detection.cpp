// ContactDetection: the dictionaries, and what each of the three kinds of evaluation does to them.
#include "carom/contact_detection.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/fail.h"
#include "events/pair_distances.h"
#include "events/pair_material.h"
#include "model/owner.h"

namespace carom::inline CAROM_PRECISION {

const char* detection_scheme_name(DetectionScheme scheme) { return scheme == DetectionScheme::kTwo ? "two" : "pairs"; }

DetectionScheme parse_detection_scheme(const std::string& name) {
  for (const DetectionScheme scheme : {DetectionScheme::kPairs, DetectionScheme::kTwo})
    if (name == detection_scheme_name(scheme)) return scheme;
  fail("there is no scheme '", name, "' of contact detection; use \"pairs\" or \"two\"");
}

namespace {

constexpr const char* kWho = "contact detection";

// In place of a distance where there is none of its kind [m].
constexpr Real kNoPair = 1;

const ContactDetectionConfig& checked(const ContactDetectionConfig& c) {
  if (!(c.z_eps > 0) || !is_finite(c.z_eps)) fail(kWho, ": z_eps must be positive, is ", c.z_eps, " m");
  if (c.nz_max < 1) fail(kWho, ": nz_max must be positive, is ", c.nz_max);
  if (!(c.smoothing_radius >= 0) || !is_finite(c.smoothing_radius))
    fail(kWho, ": smoothing_radius must be finite and not negative, is ", c.smoothing_radius, " m");
  return c;
}

int checked_world(const Model& model, int world) {
  if (!model.device.is_cpu())
    fail(kWho, ": the model is on ", model.device.name(), "; contacts are detected on the CPU");
  if (model.world_count == 0 ? world != -1 : world < 0 || world >= model.world_count)
    fail(kWho, ": world ", world, " does not exist: ",
         model.world_count == 0 ? "the model has none, so it is -1" : "there are " + std::to_string(model.world_count));
  return world;
}

}  // namespace

struct ContactDetection::Data {
  Model model;
  int world;
  ContactDetectionConfig config;
  PairDistances pairs;
  std::map<PairID, MaterialContactPair> last_contact_dict;
  ContactDict contact_dict;
  std::map<PairKey, Real> distance_dict;
  NoContactDict no_contact_dict;
  std::vector<Real> z;

  Data(const Model& m, int w, const ContactDetectionConfig& c)
      : model(m), world(checked_world(m, w)), config(checked(c)), pairs(m, w, c.smoothing_radius) {}

  bool bounded() const { return config.scheme == DetectionScheme::kPairs; }

  void place(const char* who, const State& state) {
    check_state(who, "state", state, model);
    pairs.place(state);
  }

  NoContactPair entry(Index2 pair, const ShapeDistance& d, bool contact) const {
    const Real with_hysteresis = contact ? d.distance : d.distance + 2 * config.z_eps;
    return {pair[0], pair[1], d.distance, with_hysteresis, contact, d.point_a, d.point_b, d.normal};
  }

  // in_contact(pair id, distance): what an event makes of a pair.
  template <class InContact>
  void find_contacts(const State& state, InContact in_contact) {
    ContactDict found;
    NoContactNearest others(*this);
    for (int p = 0; p < pairs.count(); ++p) {
      const Index2 pair = pairs.pair(p);
      const PairID id = pairs.id(p);
      const ShapeDistance d = contact_dict.contains(id) ? pairs.exact(pair) : pairs.quick(pair);
      if (!in_contact(id, d.distance)) {
        others.add(id, entry(pair, d, false));
        continue;
      }
      const auto before = last_contact_dict.find(id);
      found[id] = {entry(pair, d, true), before == last_contact_dict.end()
                                             ? pair_material(model, pair, pairs.rate(state, pair, d))
                                             : before->second};
    }
    if (bounded() && static_cast<int>(found.size()) > config.nz_max) fail_at(found);
    contact_dict = std::move(found);
    others.keep(config.nz_max - static_cast<int>(contact_dict.size()));
    last_contact_dict.clear();
    for (const auto& [id, pair] : contact_dict) last_contact_dict[id] = pair.material;
    write_z();
  }

  // The nearest of the pairs that are not in contact.
  struct NoContactNearest {
    Data& d;
    std::map<PairKey, Real> distance;
    NoContactDict pair;

    explicit NoContactNearest(Data& data) : d(data) {}
    void add(PairID id, const NoContactPair& found) {
      distance[{found.distance_with_hysteresis, id}] = found.distance_with_hysteresis;
      pair[id] = found;
    }
    void keep(int most) {
      if (d.bounded())
        while (static_cast<int>(distance.size()) > most) {
          pair.erase(std::prev(distance.end())->first.pair_id);
          distance.erase(std::prev(distance.end()));
        }
      d.distance_dict = std::move(distance);
      d.no_contact_dict = std::move(pair);
    }
  };

  // Keys of contacts stay; the others are chosen anew.
  void find_nearest() {
    NoContactNearest others(*this);
    for (int p = 0; p < pairs.count(); ++p) {
      const Index2 pair = pairs.pair(p);
      const auto contact = contact_dict.find(pairs.id(p));
      if (contact == contact_dict.end()) others.add(pairs.id(p), entry(pair, pairs.quick(pair), false));
      else static_cast<NoContactPair&>(contact->second) = entry(pair, pairs.exact(pair), true);
    }
    others.keep(config.nz_max - static_cast<int>(contact_dict.size()));
    write_z();
  }

  void write_z() {
    z.clear();
    if (bounded()) {
      for (const auto& [id, pair] : contact_dict) z.push_back(pair.distance_with_hysteresis);
      for (const auto& [key, distance] : distance_dict) z.push_back(distance);
      return;
    }
    Real deepest_end = -kNoPair;
    if (!contact_dict.empty()) deepest_end = -std::numeric_limits<Real>::infinity();
    for (const auto& [id, pair] : contact_dict) deepest_end = std::max(deepest_end, pair.distance_with_hysteresis);
    z = {deepest_end, distance_dict.empty() ? kNoPair : distance_dict.begin()->second};
  }

  [[noreturn]] void fail_at(const ContactDict& found) const {
    std::ostringstream names;
    for (const auto& [id, pair] : found)
      names << (id == found.begin()->first ? "" : ", ") << "'" << model.key(Entity::kShape, pair.shape_a) << "' and '"
            << model.key(Entity::kShape, pair.shape_b) << "' (" << pair.distance_org << " m)";
    fail(kWho, ": ", found.size(), " pairs are in contact, nz_max is ", config.nz_max, ": ", names.str(),
         "; raise nz_max, or use the scheme \"two\"");
  }
};

ContactDetection::ContactDetection(const Model& model, int world, const ContactDetectionConfig& config)
    : data_(std::make_shared<Data>(model, world, config)) {}

void ContactDetection::initialize(const State& state) {
  Data& d = *data_;
  d.place("initialize", state);
  d.last_contact_dict.clear();
  d.find_contacts(state, [&](PairID, Real distance) { return distance < -d.config.z_eps; });
}

void ContactDetection::find_at_event(const State& state) { find_at_event(state, {}); }

void ContactDetection::find_at_event(const State& state, std::span<const PairID> begins) {
  Data& d = *data_;
  d.place("find_at_event", state);
  d.find_contacts(state, [&](PairID id, Real distance) {
    if (std::find(begins.begin(), begins.end(), id) != begins.end()) return true;
    return d.contact_dict.contains(id) ? distance <= 0 : distance + 2 * d.config.z_eps < 0;
  });
}

const std::vector<Real>& ContactDetection::find_zero_crossings(const State& state) {
  data_->place("find_zero_crossings", state);
  data_->find_nearest();
  return data_->z;
}

void ContactDetection::update(const State& state) {
  Data& d = *data_;
  d.place("update", state);
  for (auto& [id, pair] : d.contact_dict)
    static_cast<NoContactPair&>(pair) =
        d.entry({pair.shape_a, pair.shape_b}, d.pairs.exact({pair.shape_a, pair.shape_b}), true);
  for (auto& [id, pair] : d.no_contact_dict)
    pair = d.entry({pair.shape_a, pair.shape_b}, d.pairs.quick({pair.shape_a, pair.shape_b}), false);
}

const std::map<PairID, MaterialContactPair>& ContactDetection::last_contact_dict() const {
  return data_->last_contact_dict;
}
const ContactDetection::ContactDict& ContactDetection::contact_dict() const { return data_->contact_dict; }
const std::map<PairKey, Real>& ContactDetection::distance_dict() const { return data_->distance_dict; }
const ContactDetection::NoContactDict& ContactDetection::no_contact_dict() const { return data_->no_contact_dict; }
const std::vector<Real>& ContactDetection::z() const { return data_->z; }
int ContactDetection::pair_count() const { return data_->pairs.count(); }
const ContactDetectionConfig& ContactDetection::config() const { return data_->config; }
const Model& ContactDetection::model() const { return data_->model; }
int ContactDetection::world() const { return data_->world; }

}  // namespace carom::inline CAROM_PRECISION
