#include "runtime/supervision/child_words.hpp"

#include <string_view>

#include "runtime/foundation/peer_name.hpp"

namespace hearsay {

namespace {

/// True if the reason begins with the peer whose it is: "peer 1: its objective failed". Its neighbors end
/// with the same sentence, and may be heard first.
bool says_whose_it_is(std::string_view reason) {
  constexpr std::string_view peer = "peer ";
  if (!reason.starts_with(peer)) return false;
  const std::size_t end = reason.find_first_not_of("0123456789", peer.size());
  return end != reason.npos && end > peer.size() && reason.substr(end).starts_with(": ");
}

}  // namespace

std::string last_words(const PeerEnd& end, bool resumes) {
  if (end.exit_code == 0) return ended_well;
  const bool was_kept_out = resumes && !end.took_part && end.exit_code != 130;
  return (was_kept_out ? cannot_come_back : "") + end.reason;
}

std::string how_it_ended(PeerId id, const std::string& reason, const ProcessEnd& end) {
  if (!reason.empty()) return says_whose_it_is(reason) ? reason : name_of(id) + ": " + reason;
  return name_of(id) +
         " was lost: " + (end.by == ProcessEnd::By::exit ? "it ended with code " : "killed by signal ") +
         std::to_string(end.number);
}

std::string why_it_left(PeerId id, const std::string& reason) {
  if (reason.empty()) return {};
  const std::string name = name_of(id) + ": ";
  return "it has left: " + (reason.starts_with(name) ? reason.substr(name.size()) : reason);
}

}  // namespace hearsay
