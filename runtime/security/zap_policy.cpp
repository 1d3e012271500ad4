#include "runtime/security/zap_policy.hpp"

#include <algorithm>

#include "runtime/wire/agreement.hpp"

namespace hearsay {

namespace {

// The parts of ZeroMQ's request: version, number of the request, domain, address, identity, mechanism, key.
enum Part : std::size_t { version, number, domain, address, identity, mechanism, key_bytes, part_count };

// The most keys that notices name, so that a stranger with thousands of keys cannot fill the log.
constexpr std::size_t most_said = 16;

}  // namespace

std::string user_of(PeerId peer) { return std::to_string(peer); }

ZapPolicy::Answer ZapPolicy::decide(const std::vector<std::string>& request, std::string_view key) {
  if (request.size() != part_count || request[version] != "1.0")
    return {{"1.0", "", "500", "unreadable", "", ""}, false, {}};
  const auto reply = [&](const char* code, const char* text, const std::string& user) {
    return std::vector<std::string>{"1.0", request[number], code, text, user, ""};
  };
  const auto found = std::ranges::find(public_keys_, key);
  const bool known = request[mechanism] == "CURVE" && found != public_keys_.end();
  if (known) {
    const auto peer = static_cast<PeerId>(found - public_keys_.begin());
    return {reply("200", "OK", user_of(peer)), false, {}};
  }
  Answer answer{reply("400", "unknown key", ""), true, {}};
  if (said_.size() < most_said && said_.emplace(key).second)
    answer.to_say = "refused " + printable_text(std::as_bytes(std::span(request[address]))) +
                    ": nobody is authorized with the key " + std::string(key) +
                    (said_.size() == most_said ? " (further such keys are only counted)" : "");
  return answer;
}

}  // namespace hearsay
