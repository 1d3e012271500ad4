#include <cstdio>
#include <memory>

#include "runtime/foundation/whole_file.hpp"
#include "tools/new_files.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/written_file.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

struct NewOptions {
  std::string kind = "quickstart";
  std::filesystem::path file;
  bool overwrite = false;
};

const NewKind& kind_named(const std::string& name) {
  std::vector<std::string> names;
  for (const NewKind& kind : new_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  if (name.ends_with(".toml"))
    throw Misuse("KIND", name, "it is a FILE; expected hearsay new quickstart " + name);
  throw Misuse("KIND", name, "hearsay new knows no such kind" + did_you_mean(name, names));
}

int new_command(const NewOptions& options) {
  const NewKind& kind = kind_named(options.kind);
  if (options.file == "-") throw Misuse("FILE", "-", "expected a name, or none for the standard output");
  const bool prints = options.file.empty();
  const std::vector<NewFile> files =
      new_files(kind, prints ? std::filesystem::path(kind.name + ".toml") : options.file);
  if (prints && files.size() > 1)
    throw Misuse("hearsay new " + kind.name + " writes two files; give the first one a name: hearsay new " +
                 kind.name + " " + files.front().path.string());
  if (prints) {
    std::fputs(files.front().text.c_str(), stdout);
    return exit_done;
  }
  for (const NewFile& file : files) require_replaceable("FILE", file.path, "", "file", options.overwrite);
  std::string written;
  std::vector<std::pair<std::filesystem::path, std::string>> contents;
  for (const NewFile& file : files) {
    contents.emplace_back(file.path, file.text);
    written += (written.empty() ? "" : " and ") + file.path.string();
  }
  write_files(contents);
  // The first lines of the file say how it is used.
  std::printf("%s written. To go on:\n", written.c_str());
  const std::string& text = files.front().text;
  for (std::size_t begin = 0; begin < text.size() && text[begin] == '#';) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (line.starts_with("#     hearsay ")) std::printf("    %s\n", line.substr(6).c_str());
    begin = end + 1;
  }
  return exit_done;
}

}  // namespace

void add_new(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command("new", "a commented run file to begin with");
  const auto options = std::make_shared<NewOptions>();
  command.optional_argument(
      "KIND", &options->kind,
      "quickstart: one run [this, unless said]; full-precision: one without compression, each peer with one "
      "neighbor a round; hosts: a run over several hosts, with its topology file; sweep: six variants, "
      "compared");
  command.optional_argument("FILE", &options->file, "where to write it [the standard output]");
  command.flag("--overwrite", options->overwrite, "replace FILE");
  command.examples({"hearsay new quickstart first.toml", "hearsay new hosts cluster-run.toml"});
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return new_command(*options); }; });
}

}  // namespace hearsay
