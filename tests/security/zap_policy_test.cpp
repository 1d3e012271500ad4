#include "runtime/security/zap_policy.hpp"

#include <doctest/doctest.h>

namespace hearsay::zap_policy_test {

namespace {

using Parts = std::vector<std::string>;

const std::string first(40, '1');
const std::string second(40, '2');
const std::string unknown(40, '3');

Parts question(const std::string& number = "7") {
  return {"1.0", number, "hearsay", "10.0.0.9", "", "CURVE", std::string(32, 'k')};
}

}  // namespace

TEST_CASE("zap policy: the owner of a key gets in as the peer whose key it is") {
  ZapPolicy policy({first, second});
  const ZapPolicy::Answer answer = policy.decide(question("41"), second);
  CHECK(answer.reply == Parts{"1.0", "41", "200", "OK", "1", ""});
  CHECK_FALSE(answer.refused);
  CHECK(answer.to_say.empty());
  CHECK(policy.decide(question(), first).reply[4] == user_of(0));
}

TEST_CASE(
    "zap policy: nobody else gets in, nor with another mechanism, it is said once a key, and of few keys") {
  ZapPolicy policy({first, second});
  const ZapPolicy::Answer answer = policy.decide(question("42"), unknown);
  CHECK(answer.reply == Parts{"1.0", "42", "400", "unknown key", "", ""});
  CHECK(answer.refused);
  CHECK(answer.to_say.find("10.0.0.9") != std::string::npos);
  CHECK(answer.to_say.find(unknown) != std::string::npos);
  CHECK(policy.decide(question(), unknown).to_say.empty());
  Parts plain = question();
  plain[5] = "PLAIN";
  CHECK(policy.decide(plain, first).reply[2] == "400");
  CHECK(policy.decide(question(), "").reply[2] == "400");
  int said = 0;
  for (int made_up = 0; made_up < 1000; ++made_up) {
    const ZapPolicy::Answer of_stranger = policy.decide(question(), "key " + std::to_string(made_up));
    CHECK(of_stranger.refused);
    said += of_stranger.to_say.empty() ? 0 : 1;
  }
  CHECK(said > 0);
  CHECK(said < 20);
}

TEST_CASE("zap policy: what is no question lets nobody in") {
  ZapPolicy policy({first});
  CHECK(policy.decide({}, first).reply[2] == "500");
  CHECK(policy.decide({"1.0", "1"}, first).reply[2] == "500");
  Parts later = question();
  later[0] = "2.0";
  CHECK(policy.decide(later, first).reply[2] == "500");
  Parts longer = question();
  longer.push_back("more");
  CHECK(policy.decide(longer, first).reply[2] == "500");
}

TEST_CASE("zap policy: a stranger's text cannot reach the terminal's controls") {
  ZapPolicy policy({first});
  Parts odd = question();
  odd[3] = "10.0.0.9\x1b[2J\n";
  const std::string said = policy.decide(odd, unknown).to_say;
  CHECK(said.find('\x1b') == std::string::npos);
  CHECK(said.find('\n') == std::string::npos);
}

}  // namespace hearsay::zap_policy_test
