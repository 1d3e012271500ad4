#include "tools/terminal/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <type_traits>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

using OnText = std::function<void(const std::string&)>;
using OnTexts = std::function<void(const std::vector<std::string>&)>;

/// The largest whole number of a run file, so that a seed is the same here and there.
constexpr auto largest_whole_number = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t number = 0;
  if (!parse_whole(text, number) || number < least || number > most)
    throw Misuse(option, text,
                 "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

double number(const std::string& option, const std::string& text) {
  double number = 0.0;
  if (!parse_number(text, number)) throw Misuse(option, text, "expected a number");
  return number;
}

/// CLI11 takes -1 for 2^64 - 1, and says of other wrong numbers only that it cannot convert them. So numbers
/// are read here.
CLI::Option& add(CLI::App& app, const std::string& name, const ValueTarget& target,
                 const std::string& description) {
  const auto add_read = [&](const char* kind, const OnText& read) -> CLI::Option& {
    return *app.add_option_function<std::string>(name, read, description)->type_name(kind);
  };
  return std::visit(
      [&](const auto& value) -> CLI::Option& {
        using Target = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Target, OnText>)
          return *app.add_option_function<std::string>(name, value, description);
        else if constexpr (std::is_same_v<Target, OnTexts>)
          return *app.add_option_function<std::vector<std::string>>(name, value, description);
        else if constexpr (std::is_same_v<Target, double*>)
          return add_read("NUMBER", [=](const std::string& text) { *value = number(name, text); });
        else if constexpr (std::is_same_v<Target, std::uint64_t*>)
          return add_read("N", [=](const std::string& text) {
            *value = whole_number(name, text, 0, largest_whole_number);
          });
        else if constexpr (std::is_same_v<Target, std::optional<std::uint32_t>*>)
          return add_read("N", [=](const std::string& text) {
            *value = static_cast<std::uint32_t>(
                whole_number(name, text, 0, std::numeric_limits<std::uint32_t>::max()));
          });
        else
          return *app.add_option(name, *value, description);
      },
      target);
}

/// Refuses an empty value: most often it is that of a shell's variable which is not set.
void refuse_empty(CLI::Option& option, const std::string& name) {
  option.check(CLI::Validator(
      [name](const std::string& text) {
        if (text.empty()) throw Misuse(name, "\"\"", "expected text that is not empty");
        return std::string();
      },
      ""));
}

/// Returns the innermost command that the command line has chosen.
const CLI::App& chosen_command(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// Returns the words of a command after the program's name: "keys new".
std::string words_of(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "";
  const std::string before = words_of(*command.get_parent());
  return (before.empty() ? "" : before + " ") + command.get_name();
}

/// Returns what is wrong with the first word that the command does not take.
std::string unexpected_text(const CLI::App& command, const std::string& name, const std::string& word) {
  std::vector<std::string> known;
  if (!word.starts_with('-')) {
    for (const CLI::App* of : command.get_subcommands({})) known.push_back(of->get_name());
    // The number of --live is optional, so it stands behind an equals sign.
    std::uint64_t number = 0;
    const CLI::Option* const live = command.get_option_no_throw("--live");
    if (parse_whole(word, number) && live != nullptr && live->count() > 0)
      return word + " is an argument too many for " + name + ", did you mean --live=" + word + "?";
    return known.empty() ? word + " is an argument too many for " + name
                         : name + " has no command " + word + did_you_mean(word, known);
  }
  const std::string spelled = word.substr(0, word.find('='));
  for (const CLI::Option* option : command.get_options())
    for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
  const std::string likely = likely_name(spelled, known);
  return name + " has no option " + spelled + (likely.empty() ? "" : ", did you mean " + likely + "?");
}

/// Returns which argument is missing, in the words of the help.
std::string missing_text(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options())
    if (option->get_required() && option->count() == 0)
      return name + " needs " + option->get_name() + ": " + option->get_description();
  return name + " needs a command";
}

/// Returns what is wrong with an option that has not the one value that it takes.
std::string mismatch_text(const CLI::App& command, const std::string& option) {
  const CLI::Option* const given = command.get_option_no_throw(option);
  return option +
         (given != nullptr && given->count() > 1 ? " is given twice; expected it once" : " needs a value");
}

/// True if an error of CLI11 is of this kind.
template <class Kind>
bool is(const CLI::ParseError& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

}  // namespace

std::string sentence_of(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(program);
  const std::string words = words_of(command);
  const std::string name = words.empty() ? "hearsay" : words;
  const std::vector<std::string> unexpected = program.remaining(true);
  std::string sentence = error.what();
  if ((is<CLI::ExtrasError>(error) || is<CLI::RequiredError>(error)) && !unexpected.empty())
    sentence = unexpected_text(command, name, unexpected.front());
  else if (is<CLI::RequiredError>(error))
    sentence = missing_text(command, name);
  else if (is<CLI::ArgumentMismatch>(error))
    sentence = mismatch_text(command, sentence.substr(0, sentence.find(':')));
  return sentence + " (hearsay " + words + (words.empty() ? "" : " ") + "--help says more)";
}

CommandLine CommandLine::command(const std::string& name, const std::string& description) {
  return CommandLine(*app_->add_subcommand(name, description));
}

void CommandLine::require_command() { app_->require_subcommand(1); }

void CommandLine::argument(const std::string& name, const ValueTarget& target,
                           const std::string& description) {
  CLI::Option& option = add(*app_, name, target, description);
  option.required();
  refuse_empty(option, name);
}

void CommandLine::optional_argument(const std::string& name, const ValueTarget& target,
                                    const std::string& description) {
  refuse_empty(add(*app_, name, target, description), name);
}

void CommandLine::option(const std::string& name, const ValueTarget& target, const std::string& description,
                         const OptionForm& form) {
  CLI::Option& option = add(*app_, name, target, description);
  refuse_empty(option, name);
  if (!form.value_name.empty()) option.type_name(form.value_name);
  if (option.get_expected_max() > 1) {
    // Each value of a list stands behind an option of its own, though CLI11's help would say "FILE ...".
    option.allow_extra_args(false);
    option.option_text(form.value_name);
  }
  if (!form.values.empty()) {
    CLI::Validator is_member = CLI::IsMember(form.values);  // the help and the completion show the values
    option.check(is_member.operation([name, values = form.values](const std::string& text) {
      if (std::ranges::find(values, text) == values.end())
        throw Misuse(name, text, did_you_mean(text, values).substr(2));
      return std::string();
    }));
  }
  if (!form.needs.empty()) option.needs(app_->get_option(form.needs));
  if (!form.excludes.empty()) option.excludes(app_->get_option(form.excludes));
}

void CommandLine::flag(const std::string& name, bool& target, const std::string& description) {
  app_->add_flag(name, target, description);
}

void CommandLine::option_or_number(const std::string& name, int alone, std::pair<int, int> range,
                                   const std::function<void(int)>& target, const std::string& description) {
  app_->add_flag(name + "{" + std::to_string(alone) + "}")
      ->description(description)
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
      ->each([name, range, target](const std::string& text) {
        target(static_cast<int>(whole_number(name, text, static_cast<std::uint64_t>(range.first),
                                             static_cast<std::uint64_t>(range.second))));
      });
}

void CommandLine::option_or_text(const std::string& name,
                                 const std::function<void(const std::string&)>& target,
                                 const std::string& description) {
  const std::string alone = "true";
  app_->add_flag(name + "{" + alone + "}")
      ->description(description)
      ->each([alone, target](const std::string& text) { target(text == alone ? "" : text); });
}

void CommandLine::examples(const std::vector<std::string>& lines) {
  std::string text = "Examples:";
  for (const std::string& line : lines) text += "\n    " + line;
  app_->footer(text);
}

void CommandLine::when_chosen(std::function<void()> function) { app_->callback(std::move(function)); }

}  // namespace hearsay
