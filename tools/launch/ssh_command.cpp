#include "tools/launch/ssh_command.hpp"

#include "tools/terminal/shell_word.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

std::vector<std::string> ssh_command(const NamedPeer& peer) {
  ensure(!peer.host.empty(), "a peer that is reached over ssh has a host");
  const LaunchSettings& launch = peer.launch;
  // No terminal, no forwarding, and no connection shared with other sessions: the connection lives and dies
  // with this process.
  std::vector<std::string> words = {"ssh", "-T", "-x", "-a"};
  for (const char* option : {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15",
                             "ServerAliveCountMax=4", "ControlMaster=no", "ControlPath=none",
                             "ClearAllForwardings=yes", "EscapeChar=none", "LogLevel=ERROR"}) {
    words.emplace_back("-o");
    words.emplace_back(option);
  }
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(value);
  };
  add("-F", launch.ssh_config.file);
  add("-p", launch.ssh_port == 0 ? "" : std::to_string(launch.ssh_port));
  add("-i", launch.ssh_key.file);
  if (!launch.ssh_key.file.empty()) add("-o", "IdentitiesOnly=yes");
  if (peer.host.find('@') == std::string::npos) add("-l", launch.user);
  words.emplace_back("--");
  words.push_back(peer.host);
  // The user's shell on the host may be any shell, so a POSIX shell reads the rest.
  const std::string directory = shell_word(launch.directory);
  words.push_back("exec sh -c " + shell_word("mkdir -p -- " + directory + " && cd -- " + directory +
                                             " && exec " + shell_word(launch.program) + " peer -"));
  return words;
}

std::string label_of(const NamedPeer& peer) {
  return peer.host.empty() ? peer.name : peer.name + " (" + peer.host + ")";
}

}  // namespace hearsay
