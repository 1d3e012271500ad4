#include <cstdio>

#include "runtime/zmq_keys.hpp"
#include "tools/commands.hpp"

namespace hearsay {

int new_key_command(const std::string& name) {
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
  const bool is_file = std::filesystem::exists(options.key) || !is_key(options.key);
  authorize(options.authorized,
            {options.name, is_file ? load_key_pair(options.key).public_key : options.key});
  return exit_done;
}

}  // namespace hearsay
