#include "tools/launch/ssh_command.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "tools/terminal/shell_word.hpp"

namespace hearsay::ssh_command_test {

namespace {

using Words = std::vector<std::string>;

NamedPeer peer_at(const std::string& host) { return {"n3", "tcp://10.0.0.3:7000", host, {}}; }

bool has_pair(const Words& words, const std::string& option, const std::string& value) {
  for (std::size_t k = 0; k + 1 < words.size(); ++k)
    if (words[k] == option && words[k + 1] == value) return true;
  return false;
}

/// Returns the output of a shell that runs the script.
std::string said_by_shell(const std::string& script) {
  FILE* const shell = popen(script.c_str(), "r");
  std::string said;
  std::array<char, 256> piece{};
  for (std::size_t length = 0; (length = fread(piece.data(), 1, piece.size(), shell)) > 0;)
    said.append(piece.data(), length);
  pclose(shell);
  return said;
}

}  // namespace

TEST_CASE("ssh: a shell reads a quoted word as it is, quoted twice, too") {
  for (const std::string text : {"", "plain", "two words", "it's", "'", "''",
                                 "\"$HOME\" `id` $(id) \\ ! * ; & | < > # ~", "a\nb", "-n"}) {
    CAPTURE(text);
    CHECK(said_by_shell("printf %s " + shell_word(text)) == text);
    CHECK(said_by_shell("exec sh -c " + shell_word("printf %s " + shell_word(text))) == text);
  }
}

TEST_CASE("ssh: the command asks nothing and ends with the host and one word for its shell") {
  const Words words = ssh_command(peer_at("user@node3"));
  CHECK(words.front() == "ssh");
  CHECK(has_pair(words, "-o", "BatchMode=yes"));
  CHECK(has_pair(words, "-o", "ControlPath=none"));
  REQUIRE(words.size() > 3);
  CHECK(words[words.size() - 3] == "--");
  CHECK(words[words.size() - 2] == "user@node3");
  CHECK(words.back() == "exec sh -c " + shell_word("mkdir -p -- '.' && cd -- '.' && exec 'hearsay' peer -"));
  for (const char* option : {"-F", "-p", "-i", "-l"}) CHECK(std::ranges::find(words, option) == words.end());
}

TEST_CASE("ssh: what the topology file says of a host is said to ssh") {
  NamedPeer peer = peer_at("node3");
  peer.launch = {"trainer", 2222, {"/keys/a b", ""}, {"/etc/ours", ""}, "/opt/a'b/hearsay", "-runs $x"};
  const Words words = ssh_command(peer);
  CHECK(has_pair(words, "-l", "trainer"));
  CHECK(has_pair(words, "-p", "2222"));
  CHECK(has_pair(words, "-i", "/keys/a b"));
  CHECK(has_pair(words, "-o", "IdentitiesOnly=yes"));
  CHECK(has_pair(words, "-F", "/etc/ours"));
  CHECK(words.back() == "exec sh -c " + shell_word("mkdir -p -- '-runs $x' && cd -- '-runs $x' && exec "
                                                   "'/opt/a'\\''b/hearsay' peer -"));
  peer.host = "other@node3";  // the user in the name of the host takes precedence
  CHECK_FALSE(has_pair(ssh_command(peer), "-l", "trainer"));
  CHECK(label_of(peer) == "n3 (other@node3)");
  CHECK(label_of(peer_at("")) == "n3");
}

}  // namespace hearsay::ssh_command_test
