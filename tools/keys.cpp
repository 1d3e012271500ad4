#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "runtime/zmq/keys.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

struct AuthorizeOptions {
  std::filesystem::path authorized;
  std::string name;  ///< of the peer
  std::string key;   ///< the public key, or the file of a key pair
};

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
  // A file comes first, even if its name looks like a key.
  const bool is_file = std::filesystem::exists(options.key);
  if (!is_file && !is_key(options.key))
    throw Misuse("KEY", options.key, "expected a public key, 40 characters, or the file of a pair");
  authorize(options.authorized,
            {options.name, is_file ? load_key_pair(options.key).public_key : options.key});
  return exit_done;
}

void add_new_key(CommandLine& keys, Invocation& invocation) {
  CommandLine command = keys.command("new", "write a new key pair to NAME.key and print its public key");
  const auto name = std::make_shared<std::string>();
  command.argument("NAME", name.get(), "of the file, without .key");
  command.when_chosen([name, &invocation] { invocation.run = [name] { return new_key_command(*name); }; });
}

void add_show(CommandLine& keys, Invocation& invocation) {
  CommandLine command = keys.command("show", "print the public key of a pair");
  const auto file = std::make_shared<std::filesystem::path>();
  command.argument("FILE", file.get(), "the pair, NAME.key");
  command.when_chosen([file, &invocation] { invocation.run = [file] { return show_key_command(*file); }; });
}

void add_authorize(CommandLine& keys, Invocation& invocation) {
  CommandLine command =
      keys.command("authorize", "let a peer in: add its public key to a file, or replace it");
  const auto options = std::make_shared<AuthorizeOptions>();
  command.argument("AUTHORIZED", &options->authorized, "the file of all public keys, cluster.keys");
  command.argument("PEER", &options->name, "name of the peer in the topology file, or its id");
  command.argument("KEY", &options->key, "its public key, or the file of its pair");
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return authorize_key_command(*options); }; });
}

}  // namespace

void add_keys(CommandLine& program, Invocation& invocation) {
  CommandLine keys = program.command("keys", "keys for runs that span hosts: new, show, authorize");
  keys.require_command();
  keys.examples({"hearsay keys new a", "hearsay keys authorize cluster.keys a a.key"});
  add_new_key(keys, invocation);
  add_show(keys, invocation);
  add_authorize(keys, invocation);
}

}  // namespace hearsay
