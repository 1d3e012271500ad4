#include "runtime/zmq/handshake_watch.hpp"

#include <algorithm>
#include <cstdint>

namespace hearsay {

namespace {

constexpr Duration looks_every = std::chrono::milliseconds(100);
constexpr Duration hold_back = std::chrono::seconds(1);
/// A server that is killed in a handshake breaks off that one; one that lets nobody in breaks off all.
constexpr int breaks_of_a_doubt = 2;

}  // namespace

void HandshakeWatch::connect(zmq::context_t& context, zmq::socket_t& dealer, const std::string& server,
                             const std::string& address) {
  watched_.emplace_back(server, context, dealer, address, congestion_, shares_.has_value()).dialing.begin();
}

HandshakeWatch::News HandshakeWatch::look(Instant now) {
  News news;
  const bool are_reached =
      std::ranges::all_of(watched_, [](const Watched& one) { return one.monitor.is_connected(); });
  if (now < looks_at_ && are_reached) return news;
  looks_at_ = now + looks_every;
  for (Watched& watched : watched_) {
    bool is_unreached = false;
    while (const auto report = watched.monitor.next())
      if (report->failure == FailedHandshake::unreached) {
        // An attempt that began before an address was given up may be told after it.
        is_unreached = is_unreached || watched.dialing.dials(report->place);
      } else if (report->failure == FailedHandshake::broken_off) {
        if (++watched.breaks < breaks_of_a_doubt || doubts_) continue;
        news.doubt = doubt_about(watched.server);
        doubts_ = true;
      } else if (!refusal_) {
        refusal_ = sentence(watched.server, report->failure);
        ripe_at_ = report->failure == FailedHandshake::keyless ? now + hold_back : now;
      }
    // An attempt that reached nobody may be told after a later one that did.
    if (is_unreached && !watched.monitor.is_connected()) watched.dialing.dial_next();
  }
  if (now >= ripe_at_) news.refusal = refusal_;
  return news;
}

void HandshakeWatch::pace_connections(Instant now) {
  const auto shares = shares_ ? shares_->changed(now) : std::nullopt;
  if (!shares) return;
  for (const std::size_t place : shares->places) {
    Watched& watched = watched_[place];
    if (watched.share == shares->each) continue;
    watched.share = shares->each;
    // A connection that is over may have left its number to another one.
    const auto connection = watched.monitor.connection();
    if (connection && far_end(*connection) == watched.far) pace(*connection, watched.share);
  }
}

std::string HandshakeWatch::doubt_about(const std::string& server) const {
  return "; " + server + " breaks connections off: " +
         (has_keys_ ? "has it no key, or another one than the file of security.authorized says?"
                    : "does it let nobody in without a key?");
}

std::string HandshakeWatch::sentence(const std::string& server, FailedHandshake failure) const {
  if (failure == FailedHandshake::refused)
    return server + " refuses this peer's key; is it in the file that its security.authorized names?";
  if (failure == FailedHandshake::keyless && has_keys_)
    return server + " speaks plain text, and this peer only with keys; give both the same [security]";
  if (failure == FailedHandshake::keyless)
    return server +
           " lets nobody in without a key, and this peer has none; set security.authorized and "
           "security.secret";
  return "what listens in the place of " + server + " is no peer of hearsay";
}

}  // namespace hearsay
