#include <cstdio>

#include "runtime/zmq/keys.hpp"
#include "tools/terminal/commands.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

int new_key_command(const std::string& name) {
  if (std::filesystem::path(name).filename().empty())
    throw Misuse("NAME", "\"" + name + "\"", "expected the name of a file, without .key");
  const KeyPair pair = new_key_pair();
  write_new_key_pair(name + ".key", pair);
  std::printf("%s\n", pair.public_key.c_str());
  return exit_done;
}

int show_key_command(const std::filesystem::path& file) {
  std::printf("%s\n", load_key_pair(file).public_key.c_str());
  return exit_done;
}

int authorize_key_command(const AuthorizeOptions& options) {
  // What is a file is a file: its name may look like a key.
  const bool is_file = std::filesystem::exists(options.key);
  if (!is_file && !is_key(options.key))
    throw Misuse("KEY", options.key, "expected a public key, 40 characters, or the file of a pair");
  authorize(options.authorized,
            {options.name, is_file ? load_key_pair(options.key).public_key : options.key});
  return exit_done;
}

}  // namespace hearsay
