#include "tools/new_files.hpp"

#include <algorithm>

#include "runtime/toml/document.hpp"
#include "runtime/toml/setting.hpp"
#include "tools/terminal/shell_word.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

const std::string cluster_run = "cluster-run.toml";
const std::string cluster = "cluster.toml";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t k = text.find(what); k != std::string::npos; k = text.find(what, k + by.size()))
    text.replace(k, what.size(), by);
  return text;
}

/// Returns the path as a word of a command line: as it is if it may be.
std::string as_word(const fs::path& path) {
  const std::string& text = path.native();
  const bool plain = std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
  });
  return plain ? text : shell_word(text);
}

void require_one_line(const fs::path& path) {
  if (std::ranges::any_of(path.native(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }) ||
      !parse_toml_value(toml_text(path.string()), "FILE"))
    throw Misuse("FILE", path.string(), "expected a name of one line of UTF-8");
}

}  // namespace

const std::vector<NewKind>& new_kinds() {
  static const std::vector<NewKind> kinds = {{"quickstart", "run.toml", "hearsay run"},
                                             {"full-precision", "full-precision.toml", "hearsay run"},
                                             {"hosts", cluster_run, "hearsay run"},
                                             {"sweep", "quickstart.toml", "hearsay sweep"}};
  return kinds;
}

std::vector<NewFile> new_files(const NewKind& kind, const fs::path& path) {
  require_one_line(path);
  const std::string folder = "tools/examples/";
  const std::string run = replaced(example_texts.at(kind.example), folder + kind.example, as_word(path));
  if (kind.example != cluster_run) return {{path, run}};
  const fs::path topology = path.parent_path() / (path.stem().string() + "-topology.toml");
  return {{path, replaced(run, toml_text(cluster), toml_text(spelled_path(topology.filename().string())))},
          {topology, replaced(example_texts.at(cluster), folder + cluster, as_word(topology))}};
}

}  // namespace hearsay
