#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::manual_program_test {

namespace {

/// Returns every match of the first group of `pattern` in `text`.
std::vector<std::string> all_found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

using Words = std::vector<std::string>;

std::string help_of(const DataFolder& folder, Words command) {
  command.push_back("--help");
  return run_program(folder.path(), command).said;
}

Words subcommands_in(const std::string& help) {
  const std::size_t begin = help.find("Subcommands:");
  return begin == std::string::npos ? Words{} : all_found(help.substr(begin), "\n  ([a-z]+) ");
}

/// Returns every command, as words, with the long options that its help shows. CLI11 writes the help, hearsay
/// the manual.
std::vector<std::pair<Words, Words>> commands_and_options(const DataFolder& folder, const Words& of = {}) {
  const std::string help = help_of(folder, of);
  std::vector<std::pair<Words, Words>> all{{of, all_found(help, "\n  (?:-h,)?(--[a-z-]+)")}};
  for (const std::string& name : subcommands_in(help)) {
    Words command = of;
    command.push_back(name);
    for (auto& found : commands_and_options(folder, command)) all.push_back(std::move(found));
  }
  return all;
}

std::string joined(const Words& words) {
  std::string text = "hearsay";
  for (const std::string& word : words) text += " " + word;
  return text;
}

/// Returns the text between a heading and the next.
std::string section(const std::string& page, const std::string& heading) {
  const std::size_t begin = page.find(heading);
  if (begin == std::string::npos) return {};
  return page.substr(begin, page.find("\n.S", begin + heading.size()) - begin);
}

/// Returns what bash completes when TAB is pressed after `line`: the words in the order of the program, each
/// with a blank behind it.
std::string completed(const DataFolder& folder, const std::string& line) {
  std::ofstream(folder.path() / "hearsay.bash") << run_program(folder.path(), {"--bash-completion"}).said;
  std::ofstream(folder.path() / "complete.sh")
      << "set -u\nsource ./hearsay.bash\nCOMP_WORDS=(" << line << ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
      << "complete -p hearsay > /dev/null\n_hearsay\nprintf '%s ' \"${COMPREPLY[@]}\" > offered.txt\n";
  const std::string command = "cd '" + folder.path().string() + "' && bash complete.sh";
  REQUIRE(std::system(command.c_str()) == 0);
  return content_of(folder.path() / "offered.txt");
}

}  // namespace

TEST_CASE("manual: every option of every command stands in the man page and in the completion") {
  const DataFolder folder;
  const std::string page = run_program(folder.path(), {"--man-page"}).said;
  const auto commands = commands_and_options(folder);
  CHECK(commands.size() >= 16);
  for (const auto& command_and_options : commands) {
    const auto& command = command_and_options.first;
    const auto& options = command_and_options.second;
    CAPTURE(joined(command));
    REQUIRE_FALSE(options.empty());
    const std::string entry =
        section(page, command.empty() ? ".SH OPTIONS" : ".SS \\fB" + joined(command) + "\\fR");
    const std::string offered = " " + completed(folder, joined(command) + " --");
    for (const std::string& option : options) {
      CAPTURE(option);
      CHECK(contains(entry, "\\fB" + std::regex_replace(option, std::regex("-"), "\\-") + "\\fR"));
      CHECK(contains(offered, " " + option + " "));
    }
  }
}

TEST_CASE("manual: what people ask for is not in the help, and ends with a new line") {
  const DataFolder folder;
  CHECK_FALSE(contains(help_of(folder, {}), "man-page"));
  for (const char* name : {"--man-page", "--bash-completion"}) {
    const ProgramEnd end = run_program(folder.path(), {name});
    CHECK(end.code == 0);
    CHECK(end.said.ends_with("\n"));
    CHECK(end.complained.empty());
  }
}

TEST_CASE("manual: groff finds nothing to warn of in the man page") {
  const DataFolder folder;
  if (std::system("command -v groff > /dev/null") != 0) {
    MESSAGE("there is no groff here (Debian package groff-base): the man page is not set");
    return;
  }
  std::ofstream(folder.path() / "hearsay.1") << run_program(folder.path(), {"--man-page"}).said;
  const std::string command =
      "cd '" + folder.path().string() + "' && groff -man -Tutf8 -ww hearsay.1 > page.txt 2> warnings.txt";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(content_of(folder.path() / "warnings.txt").empty());
  CHECK(contains(content_of(folder.path() / "page.txt"), "decentralized gossip training"));
}

TEST_CASE("manual: bash completes commands, options, and the values of options that have few") {
  const DataFolder folder;
  CHECK(completed(folder, "hearsay sw") == "sweep ");
  CHECK(completed(folder, "hearsay run --ov") == "--overwrite ");
  CHECK(completed(folder, "hearsay keys a") == "authorize ");
  CHECK(completed(folder, "hearsay sweep --network k") == "kernel ");
  CHECK(completed(folder, "hearsay run first.toml --res") == "--resume ");
  CHECK(completed(folder, "hearsay simulate first.toml --res") ==
        " ");  // what is not there, and files, are bash's
  CHECK(completed(folder, "hearsay run fi") == " ");
}

}  // namespace hearsay::test::manual_program_test
