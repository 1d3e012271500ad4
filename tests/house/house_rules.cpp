#include "tests/house/house_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace hearsay {

namespace {

std::string at(const SourceFile& file, std::size_t index, const std::string& what) {
  return file.path + ":" + std::to_string(index + 1) + ": " + what;
}

/// "topology" of "topology/graph.hpp"; empty for a file in the root.
std::string room_of(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == path.npos ? std::string{} : std::string(path.substr(0, slash));
}

bool begins_with_any(std::string_view text, const std::vector<std::string>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& beginning) { return text.starts_with(beginning); });
}

/// Something that belongs to few files: headers by the beginning of their names, names by whole words.
struct Ban {
  std::string what;
  std::vector<std::string> where;   ///< beginnings of paths
  std::vector<std::string> except;  ///< beginnings of paths, each with its reason in a comment
  std::vector<std::string> headers;
  std::vector<std::string> names;
};

const std::vector<std::string> socket_headers = {"<zmq",   "<sys/socket", "<sys/un", "<netinet/",
                                                 "<arpa/", "<netdb",      "<poll.h", "<sys/epoll"};
const std::vector<std::string> file_headers = {"<fstream", "<filesystem", "<iostream", "<fcntl.h",
                                               "<unistd.h"};
const std::vector<std::string> clock_headers = {"<chrono", "<ctime", "<time.h", "<sys/time"};
const std::vector<std::string> thread_headers = {
    "<thread",    "<mutex", "<shared_mutex", "<condition_variable", "<future",
    "<semaphore", "<latch", "<barrier",      "<stop_token",         "<pthread"};
const std::vector<std::string> real_clocks = {
    "clock_gettime", "steady_clock",    "system_clock", "high_resolution_clock",
    "gettimeofday",  "clock_nanosleep", "nanosleep",    "timerfd_create"};

const std::vector<Ban>& bans() {
  static const std::vector<Ban> all = {
      {"topology and algorithms know no sockets",
       {"topology/", "algorithms/"},
       {},
       socket_headers,
       {"socket"}},
      {"topology and algorithms know no files",
       {"topology/", "algorithms/"},
       {},
       file_headers,
       {"FILE", "fopen", "ifstream", "ofstream"}},
      {"topology and algorithms know no clocks", {"topology/", "algorithms/"}, {}, clock_headers, {"chrono"}},
      {"topology and algorithms know no threads",
       {"topology/", "algorithms/"},
       // The pool from which a peer takes packets, and to which ZeroMQ's own thread gives them back.
       {"algorithms/compression/packet."},
       thread_headers,
       {"thread", "mutex", "jthread"}},
      {"topology and algorithms do not log",
       {"topology/", "algorithms/"},
       {},
       {"<spdlog", "<fmt"},
       {"spdlog"}},
      {"topology and algorithms know no file formats",
       {"topology/", "algorithms/"},
       {},
       {"<toml++", "<nlohmann", "<zlib", "<CLI"},
       {"toml", "nlohmann"}},
      {"topology knows no models", {"topology/"}, {}, {}, {"model", "gradient", "Objective", "compressor"}},
      {"TOML is read in one file",
       {"runtime/", "tools/", "bench/"},
       {"runtime/toml_document.cpp"},
       {"<toml++"},
       {}},
      {"sockets belong to the ZeroMQ driver", {"runtime/", "tools/"}, {"runtime/zmq_"}, {"<zmq"}, {"zmq::"}},
      {"the real clock belongs to the ZeroMQ driver",
       {"topology/", "algorithms/", "runtime/", "tests/"},
       {"runtime/zmq_"},
       {},
       real_clocks},
      {"Boost stays in topology's sources",
       {"algorithms/", "runtime/", "tools/", "bench/"},
       // HTTP, of which the live page needs a little.
       {"tools/report/loopback_server.cpp"},
       {"<boost/"},
       {"boost"}},
      {"the command line belongs to tools", {"topology/", "algorithms/", "runtime/"}, {}, {"<CLI"}, {"CLI"}},
      {"random numbers are our own, so that every machine draws the same",
       {"topology/", "algorithms/", "runtime/", "tools/", "bench/", "tests/"},
       {},
       {"<random>"},
       {"random_device", "std::shuffle", "std::sample", "std::rand", "::Random", "setRandom"}},
      {"nothing sleeps to wait for something",
       {"topology/", "algorithms/", "runtime/", "tools/", "bench/", "tests/"},
       {},
       {},
       {"sleep_for", "usleep", "this_thread::sleep_until"}},
  };
  return all;
}

Violations keep_bans(const SourceTree& tree) {
  Violations found;
  for (const Ban& ban : bans()) {
    for (const SourceFile& file : tree.files) {
      if (!begins_with_any(file.path, ban.where) || begins_with_any(file.path, ban.except)) continue;
      for (std::size_t k = 0; k < file.code.size(); ++k) {
        const std::string included = included_by(file.code[k]);
        if (!included.empty()) {
          if (begins_with_any(included, ban.headers))
            found.push_back(at(file, k, included + ": " + ban.what));
          continue;
        }
        for (const std::string& name : ban.names)
          if (mentions(file.code[k], name)) found.push_back(at(file, k, name + ": " + ban.what));
      }
    }
  }
  return found;
}

Violations only_known_rooms(const SourceTree& tree) {
  static const std::set<std::string> known = {
      ".ci",     ".clang-format", ".clang-tidy", ".gitignore", "CMakeLists.txt", "CMakePresets.json",
      "LICENSE", "README.md",     "algorithms",  "bench",      "runtime",        "tests",
      "tools",   "topology"};
  Violations found;
  for (const std::string& name : tree.top_level)
    if (!known.contains(name)) found.push_back(name + ":1: has no place in the root");
  static const std::set<std::string> vague = {"src", "include", "utils", "util", "common", "detail", "misc"};
  for (const SourceFile& file : tree.files) {
    std::string_view rest = file.path;
    for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
      if (const std::string folder(rest.substr(0, slash)); vague.contains(folder))
        found.push_back(file.path + ":1: a folder called " + folder + " says nothing");
      rest.remove_prefix(slash + 1);
    }
  }
  return found;
}

const std::map<std::string, std::set<std::string>>& may_include() {
  static const std::map<std::string, std::set<std::string>> rooms = {
      {"topology", {"topology"}},
      {"algorithms", {"topology", "algorithms"}},
      {"runtime", {"topology", "algorithms", "runtime"}},
      {"tools", {"topology", "algorithms", "runtime", "tools"}},
      {"bench", {"topology", "algorithms", "runtime", "bench"}},
      {"tests", {"topology", "algorithms", "runtime", "tools", "bench", "tests"}}};
  return rooms;
}

Violations includes_follow_the_layers(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    const auto room = may_include().find(room_of(file.path));
    if (!file.is_cpp() || room == may_include().end()) continue;
    for (std::size_t k = 0; k < file.code.size(); ++k) {
      const std::string included = included_by(file.code[k]);
      if (!included.starts_with('"')) continue;
      const std::string target = room_of(included.substr(1));
      if (!may_include().contains(target))
        found.push_back(at(file, k, included + ": headers are included from the root"));
      else if (!room->second.contains(target))
        found.push_back(at(file, k, included + ": " + room->first + " may not know " + target));
    }
  }
  return found;
}

Violations libraries_follow_the_layers(const SourceTree& tree) {
  static const std::map<std::string, std::vector<std::string>> above = {
      {"topology/CMakeLists.txt", {"hearsay_algorithms", "hearsay_runtime"}},
      {"algorithms/CMakeLists.txt", {"hearsay_runtime"}}};
  Violations found;
  for (const SourceFile& file : tree.files)
    if (const auto names = above.find(file.path); names != above.end())
      for (std::size_t k = 0; k < file.lines.size(); ++k)
        for (const std::string& name : names->second)
          if (mentions(file.lines[k], name))
            found.push_back(at(file, k, name + ": " + room_of(file.path) + " may not link what is above it"));
  return found;
}

Violations headers_are_light(const SourceTree& tree) {
  static const std::vector<std::string> heavy = {"<boost/", "<toml++", "<CLI/", "<Spectra/"};
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_header()) continue;
    for (std::size_t k = 0; k < file.code.size(); ++k) {
      const std::string included = included_by(file.code[k]);
      const bool eigen = included.starts_with("<Eigen/") && included != "<Eigen/Core>";
      if (eigen || begins_with_any(included, heavy))
        found.push_back(at(file, k, included + ": too heavy for a header"));
    }
  }
  return found;
}

Violations headers_have_pragma_once(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files)
    if (file.is_header() && std::find(file.code.begin(), file.code.end(), "#pragma once") == file.code.end())
      found.push_back(file.path + ":1: no #pragma once");
  return found;
}

Violations files_are_short(const SourceTree& tree) {
  constexpr std::size_t most_lines = 400;
  Violations found;
  for (const SourceFile& file : tree.files)
    if (file.is_cpp() && file.lines.size() > most_lines)
      found.push_back(at(file, most_lines, std::to_string(file.lines.size()) + " lines, split at 400"));
  return found;
}

Violations nothing_is_left_to_do(const SourceTree& tree) {
  // Spelled so that this file keeps the rule.
  const std::vector<std::string> marks = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() && !file.is_build_file()) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      for (const std::string& mark : marks)
        if (mentions(file.lines[k], mark)) found.push_back(at(file, k, mark + ": do it or file an issue"));
  }
  return found;
}

Violations arithmetic_is_exact(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_build_file()) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      for (const char* flag : {"-ffast-math", "-Ofast", "-funsafe-math-optimizations", "-march=native"})
        if (file.lines[k].find(flag) != std::string::npos)
          found.push_back(at(file, k, std::string(flag) + ": the bits of a run may not depend on it"));
  }
  return found;
}

Violations whitespace_is_clean(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    for (std::size_t k = 0; k < file.lines.size(); ++k) {
      const std::string& line = file.lines[k];
      if (line.find('\t') != line.npos) found.push_back(at(file, k, "a tab"));
      if (line.ends_with(' ') || line.ends_with('\r')) found.push_back(at(file, k, "trailing whitespace"));
    }
    if (!file.ends_with_newline) found.push_back(at(file, file.lines.size() - 1, "no newline at the end"));
  }
  return found;
}

/// A source that no CMake file names is never compiled, and a test in it never run.
Violations sources_are_built(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.path.ends_with(".cpp")) continue;
    const auto names = [&](const SourceFile& build) {
      if (!build.path.ends_with("CMakeLists.txt")) return false;
      const std::string folder =
          build.path.substr(0, build.path.size() - std::string("CMakeLists.txt").size());
      if (!file.path.starts_with(folder)) return false;
      const std::string name = file.path.substr(folder.size());
      return std::any_of(build.lines.begin(), build.lines.end(),
                         [&](const std::string& line) { return line.find(name) != line.npos; });
    };
    if (std::none_of(tree.files.begin(), tree.files.end(), names))
      found.push_back(file.path + ":1: named in no CMakeLists.txt, so never built");
  }
  return found;
}

}  // namespace

const std::vector<HouseRule>& house_rules() {
  static const std::vector<HouseRule> rules = {
      {"the root holds the rooms and nothing else", only_known_rooms},
      {"includes follow the layers", includes_follow_the_layers},
      {"libraries follow the layers", libraries_follow_the_layers},
      {"what belongs to few files stays there", keep_bans},
      {"headers are light", headers_are_light},
      {"every header has #pragma once", headers_have_pragma_once},
      {"no file is longer than 400 lines", files_are_short},
      {"nothing is left to do", nothing_is_left_to_do},
      {"no flag changes the arithmetic", arithmetic_is_exact},
      {"no tabs, no trailing whitespace, a newline at the end", whitespace_is_clean},
      {"every source is built", sources_are_built}};
  return rules;
}

Violations missing_in_readme(const SourceTree& tree, const std::vector<std::string>& names) {
  const auto readme = std::find_if(tree.files.begin(), tree.files.end(),
                                   [](const SourceFile& file) { return file.path == "README.md"; });
  if (readme == tree.files.end()) return {"README.md:1: is missing"};
  Violations found;
  for (const std::string& name : names)
    if (std::none_of(readme->lines.begin(), readme->lines.end(),
                     [&](const std::string& line) { return mentions(line, name); }))
      found.push_back("README.md:1: does not mention " + name);
  return found;
}

}  // namespace hearsay
