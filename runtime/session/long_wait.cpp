#include "runtime/session/long_wait.hpp"

#include <cstdio>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

std::string name_of(const AwaitedPeer& peer) {
  return "peer " + std::to_string(peer.id) + (peer.address.empty() ? "" : " (" + peer.address + ")");
}

/// True up to two heartbeats of silence: one heartbeat may be late.
bool shows_life(const AwaitedPeer& peer, const LongWait& wait) { return peer.silence <= 2 * wait.heartbeat; }

std::string away_text(Duration away) {
  return "away for another " + spoken(away) + " (topology.availability)";
}

std::string state_of(const AwaitedPeer& peer, const LongWait& wait) {
  if (shows_life(peer, wait) && peer.away > Duration{0}) return "it is " + away_text(peer.away);
  if (shows_life(peer, wait)) return "it shows life, so it is slow or waits itself";
  const std::string silent = "silent for " + spoken(peer.silence) + "; ";
  switch (wait.then) {
    case AfterSilence::ends_the_run:
      return silent + "lost after " + peer.limit;
    case AfterSilence::drops_it:
      return silent + "dropped after " + peer.limit;
  }
  return silent;
}

}  // namespace

std::string spoken(Duration duration) {
  char text[32];
  const double s = seconds(duration);
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (s < 10.0)
    std::snprintf(text, sizeof text, "%.1f s", s);
  else if (whole < 120)
    std::snprintf(text, sizeof text, "%lld s", static_cast<long long>(whole));
  else if (whole % 60 == 0)
    std::snprintf(text, sizeof text, "%lld min", static_cast<long long>(whole / 60));
  else
    std::snprintf(text, sizeof text, "%lld min %02lld s", static_cast<long long>(whole / 60),
                  static_cast<long long>(whole % 60));
  return text;
}

std::string sentence(const LongWait& wait) {
  ensure(!wait.awaited.empty(), "a peer waits for somebody");
  const std::string who = "peer " + std::to_string(wait.self) + " waits for ";
  if (wait.away > Duration{0})
    return "peer " + std::to_string(wait.self) + " is " + away_text(wait.away) + "; nothing reaches it";
  const std::string where = " in iteration " + std::to_string(wait.iteration);
  const std::string since = " for " + spoken(wait.waited) + " now: ";
  if (wait.awaited.size() == 1) {
    const AwaitedPeer& only = wait.awaited.front();
    return who + name_of(only) + where + (shows_life(only, wait) ? since : ": ") + state_of(only, wait);
  }
  std::string text = who + std::to_string(wait.awaited.size()) + " peers" + where + since;
  for (const AwaitedPeer& peer : wait.awaited)
    text += (&peer == &wait.awaited.front() ? "" : ". ") + name_of(peer) + ": " + state_of(peer, wait);
  return text;
}

}  // namespace hearsay
