#include "runtime/observer/farewell.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

Farewell::Farewell(LastWord word, std::string reason, PeerId peer_count, const IdClaims& claims,
                   Members& members, ObserverFrames& words)
    : word_(word), reason_(std::move(reason)), claims_(claims), members_(members), words_(words) {
  for (PeerId id = 0; id < peer_count; ++id) {
    if (claims_.is_absent(id)) continue;
    say(id);
    const Members::Member& member = members_[id];
    const bool takes_part =
        member.standing == Members::Standing::member || member.standing == Members::Standing::finished;
    if (takes_part && !member.has_left) awaited_.push_back({id});
  }
}

void Farewell::say(PeerId id, std::optional<std::uint32_t> only_to) {
  ensure(only_to || !claims_.is_absent(id), "the last word is said to a process that is known");
  std::visit([&](const auto& word) { words_.say(id, word, reason_).only_to = only_to; }, word_);
}

void Farewell::hear(const FrameHeader& header, Instant now) {
  const PeerId sender = header.sender;
  if (!claims_.is_holder(header)) return;
  members_.note_heard(sender, now);
  const auto found = std::ranges::find(awaited_, sender, &Awaited::id);
  if (found != awaited_.end()) found->unreachable = 0;
  const bool ends = header.kind == FrameKind::stop || header.kind == FrameKind::parted;
  if (ends || header.kind == FrameKind::bye) forget(sender);
}

void Farewell::forget(PeerId id) {
  std::erase_if(awaited_, [&](const Awaited& peer) { return peer.id == id; });
}

void Farewell::note_unreachable(PeerId id) {
  const auto found = std::ranges::find(awaited_, id, &Awaited::id);
  if (found != awaited_.end() && ++found->unreachable == 2) awaited_.erase(found);
}

void Farewell::judge_silence(Instant now, Duration patience) {
  std::erase_if(awaited_, [&](const Awaited& peer) {
    const bool is_silent = members_.silence_of(peer.id, now) > patience;
    if (is_silent) given_up_.push_back(peer.id);
    return is_silent;
  });
}

void Farewell::repeat() {
  for (const Awaited& peer : awaited_) say(peer.id);
}

}  // namespace hearsay
