#include "runtime/session/context.hpp"

#include <algorithm>

#include "runtime/wire/stop.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

int exit_code_of(const FrameHeader& stop) {
  const int said = as_stop(stop).exit_code;
  if (stop.payload_bytes == 0) return said == 130 ? 130 : 0;
  return said == 2 || said == 130 ? said : 3;
}

SessionContext::SessionContext(PeerSessionInput given)
    : input(std::move(given)),
      run_id(hearsay::run_id(input.agreement)),
      hello(encode_agreement(input.agreement)) {}

FrameHeader SessionContext::header(FrameKind kind) const {
  FrameHeader result;
  result.kind = kind;
  result.run_id = run_id;
  result.sender = input.self;
  result.incarnation = input.incarnation;
  result.iteration = next_needed;
  return result;
}

FrameHeader& SessionContext::say(PeerFrame::Way way, PeerId to, FrameKind kind, SharedBytes payload) {
  outbox.push_back({way, to, header(kind), {}, std::move(payload)});
  FrameHeader& result = outbox.back().header;
  if (way == PeerFrame::Way::observer) result.iteration -= added_between_members;
  return result;
}

void SessionContext::say_stop(int exit_code, const std::string& reason) {
  if (is_duplicate_process) return;
  const SharedBytes why(std::as_bytes(std::span(reason)));
  const auto say_it = [&](PeerFrame::Way way, PeerId to) { say(way, to, Stop{exit_code}, why); };
  say_it(PeerFrame::Way::observer, observer_peer);
  for (const PeerId to : input.destinations) say_it(PeerFrame::Way::outlet, to);
}

void SessionContext::fail(int exit_code, const std::string& reason) {
  if (phase == SessionPhase::failed) return;
  ensure(!has_started(), "a peer that trains takes part");
  phase = SessionPhase::failed;
  events.push_back(TakesNoPart{exit_code, reason});
  say_stop(exit_code, reason);
}

bool SessionContext::hears(PeerId id) const { return std::ranges::binary_search(input.sources, id); }

bool SessionContext::is_destination(PeerId id) const {
  return std::ranges::binary_search(input.destinations, id);
}

bool SessionContext::comes_later() const { return std::ranges::binary_search(input.absent, input.self); }

std::string SessionContext::name_of(PeerId destination) const {
  ensure(is_destination(destination), "addresses of destinations alone are known");
  const auto place = std::ranges::lower_bound(input.destinations, destination) - input.destinations.begin();
  return "peer " + std::to_string(destination) + " (" + input.addresses[static_cast<std::size_t>(place)] +
         ")";
}

}  // namespace hearsay
