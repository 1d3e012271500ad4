#include "runtime/peer/exchanges.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

void Exchanges::ask(std::uint64_t iteration, PeerId to) {
  ensure(!awaited_, "one request at a time is out");
  awaited_ = MessageKey{iteration, reply_slot, to};
}

Exchanges::Outcome Exchanges::hear(const MessageKey& key, const PacketRef& packet) {
  if (key.slot == reply_slot && awaited_ == key) {
    taken_ = std::exchange(awaited_, std::nullopt);
    return Outcome::reply;
  }
  if (key.slot != request_slot) return taken_ == key ? Outcome::duplicate : Outcome::late;
  std::uint64_t& last = last_request_[key.sender];
  if (key.iteration <= last) return key.iteration == last ? Outcome::duplicate : Outcome::late;
  if (std::ranges::any_of(put_off_, [&](const Request& waiting) { return waiting.key.sender == key.sender; }))
    return Outcome::overflow;
  last = key.iteration;
  if (awaited_ && !std::ranges::binary_search(patient_, key.sender)) return Outcome::busy;
  put_off_.push_back({key, packet});
  return Outcome::request;
}

std::optional<Exchanges::Request> Exchanges::next() {
  if (awaited_ || put_off_.empty()) return std::nullopt;
  Request request = std::move(put_off_.front());
  put_off_.erase(put_off_.begin());
  return request;
}

}  // namespace hearsay
