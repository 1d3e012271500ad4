#include "runtime/observer/peer_statements.hpp"

#include <algorithm>

#include "runtime/foundation/peer_name.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::size_t most_listed = 8;

}  // namespace

std::optional<std::string> PeerStatements::objection_to(PeerId peer, const Agreement& agreement) const {
  std::optional<PeerId> opponent;  // the first one
  for (const auto& [stated, peers] : peers_by_statements_) {
    const auto other = std::ranges::find_if(peers, [&](PeerId id) { return id != peer; });
    if (other == peers.end() || (opponent && *opponent < *other)) continue;
    if (difference_of_statements(agreement.statements, stated, "", "")) opponent = *other;
  }
  if (!opponent) return std::nullopt;
  return difference_of_statements(agreement.statements, stated_.at(*opponent), name_of(*opponent),
                                  name_of(peer));
}

std::optional<std::string> PeerStatements::objection_to_samples(std::uint64_t samples,
                                                                PeerId peer_count) const {
  std::uint64_t sum = 0;
  std::string each;
  for (PeerId peer = 0; peer < peer_count; ++peer) {
    const auto stated = stated_.find(peer);
    if (stated == stated_.end()) return std::nullopt;
    const auto found = std::ranges::find(stated->second, home_samples_key(peer), &AgreedSetting::key);
    if (found == stated->second.end()) return std::nullopt;
    std::uint64_t count = 0;
    if (!parse_whole(found->value, count)) return std::nullopt;
    sum += count;
    if (peer < most_listed) each += (peer == 0 ? "" : ", ") + name_of(peer) + ": " + found->value;
  }
  if (sum == samples) return std::nullopt;
  if (peer_count > most_listed) each += ", ...";
  return "data.samples = " + std::to_string(samples) + ": the peers train on " + std::to_string(sum) +
         " samples (" + each + "); expected " + std::to_string(sum);
}

std::string PeerStatements::different_builds() const {
  std::map<std::string, std::vector<PeerId>> peers_by_build;
  for (const auto& [peer, statements] : stated_) {
    const auto build = std::ranges::find(statements, build_key, &AgreedSetting::key);
    peers_by_build[build == statements.end() ? "unknown" : build->value].push_back(peer);
  }
  if (peers_by_build.size() < 2) return {};
  std::string text;
  for (const auto& [build, peers] : peers_by_build)
    text += (text.empty() ? "the peers are different builds of hearsay: " : "; ") + build + " at " +
            names_of(peers, most_listed);
  return text;
}

void PeerStatements::note(PeerId peer, const Agreement& agreement) {
  if (const auto before = stated_.find(peer); before != stated_.end()) {
    const auto of_all = peers_by_statements_.find(before->second);
    of_all->second.erase(peer);
    if (of_all->second.empty()) peers_by_statements_.erase(of_all);
    stated_.erase(before);
  }
  if (agreement.statements.empty()) return;
  stated_[peer] = agreement.statements;
  peers_by_statements_[agreement.statements].insert(peer);
}

}  // namespace hearsay
