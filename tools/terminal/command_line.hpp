#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace hearsay {

/// Where the value of an argument or an option goes. A vector takes an option that is given several times.
/// A function is called with the text, or with all texts of an option that is given several times.
using ValueTarget = std::variant<std::string*, std::filesystem::path*, double*, std::uint64_t*,
                                 std::optional<std::uint32_t>*, std::vector<std::string>*,
                                 std::vector<std::filesystem::path>*, std::function<void(const std::string&)>,
                                 std::function<void(const std::vector<std::string>&)>>;

/// What else an option says of itself. Other options are named as they are spelled, "--connect".
struct OptionForm {
  std::string value_name = {};           ///< of its value, in the help: "DIR"
  std::vector<std::string> values = {};  ///< the only ones that it takes, if there are any
  std::string needs = {};                ///< the option without which it means nothing
  std::string excludes = {};             ///< the option beside which it may not stand
};

/// What the program, or one of its commands, takes on the command line. Targets must outlive the parsing.
///
/// CLI11 reads the command line. It stands behind this class, since every source that includes its header
/// costs the compiler 6 s.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(&app) {}

  CommandLine command(const std::string& name, const std::string& description);
  /// One of its commands must be given.
  void require_command();

  /// What stands without dashes, and must be given.
  void argument(const std::string& name, const ValueTarget& target, const std::string& description);
  /// The same, but it may be left out. Its target then keeps its value.
  void optional_argument(const std::string& name, const ValueTarget& target, const std::string& description);
  void option(const std::string& name, const ValueTarget& target, const std::string& description,
              const OptionForm& form = {});
  void flag(const std::string& name, bool& target, const std::string& description);
  /// An option that may stand alone, which means `alone`, or bring a number: --live or --live=8080.
  void option_or_number(const std::string& name, int alone, std::pair<int, int> range,
                        const std::function<void(int)>& target, const std::string& description);

  /// An option that may stand alone, or bring a text behind an equals sign: --slurm or
  /// --slurm="--partition=long". Alone, its text is empty.
  void option_or_text(const std::string& name, const std::function<void(const std::string&)>& target,
                      const std::string& description);

  /// Command lines that can be pasted, at the end of the command's help.
  void examples(const std::vector<std::string>& lines);

  /// Calls the function if the command line has chosen this command, after its options have been read.
  void when_chosen(std::function<void()> function);

 private:
  CLI::App* app_;
};

/// Returns one sentence that says what is wrong with the command line, after the program has failed to parse
/// it: which option or argument, and what was probably meant.
std::string sentence_of(const CLI::App& program, const CLI::ParseError& error);

}  // namespace hearsay
