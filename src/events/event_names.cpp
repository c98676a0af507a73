// The words for what an EventStepper does.
#include "base/fail.h"
#include "carom/event_stepper.h"

namespace carom::inline CAROM_PRECISION {

namespace {

template <class Enum>
Enum parse(const char* what, const std::string& name, std::initializer_list<Enum> values,
           const char* (*name_of)(Enum)) {
  std::string list;
  for (const Enum value : values) {
    if (name == name_of(value)) return value;
    list += (list.empty() ? "\"" : ", \"") + std::string(name_of(value)) + "\"";
  }
  fail("there is no ", what, " '", name, "'; use one of ", list);
}

}  // namespace

const char* integration_method_name(IntegrationMethod method) {
  return method == IntegrationMethod::kRk45 ? "rk45" : method == IntegrationMethod::kBdf ? "bdf" : "adams";
}
IntegrationMethod parse_integration_method(const std::string& name) {
  return parse("integration method", name,
               {IntegrationMethod::kRk45, IntegrationMethod::kBdf, IntegrationMethod::kAdams}, integration_method_name);
}
const char* contact_response_name(ContactResponse response) {
  return response == ContactResponse::kImpulse ? "impulse" : "elastic";
}
ContactResponse parse_contact_response(const std::string& name) {
  return parse("response", name, {ContactResponse::kImpulse, ContactResponse::kElastic}, contact_response_name);
}
const char* hit_order_name(HitOrder order) { return order == HitOrder::kTogether ? "together" : "in_turn"; }
HitOrder parse_hit_order(const std::string& name) {
  return parse("order of hits", name, {HitOrder::kTogether, HitOrder::kInTurn}, hit_order_name);
}
const char* event_kind_name(EventKind kind) {
  constexpr const char* kNames[] = {"begin", "end", "impact", "stick", "user"};
  return kNames[static_cast<int>(kind)];
}
const char* restart_name(Restart restart) {
  constexpr const char* kNames[] = {"none", "restart", "full", "terminate"};
  return kNames[static_cast<int>(restart)];
}

}  // namespace carom::inline CAROM_PRECISION
