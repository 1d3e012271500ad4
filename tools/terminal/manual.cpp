#include "tools/terminal/manual.hpp"

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "tools/terminal/exit_code.hpp"

namespace hearsay {

namespace {

/// A command, or the program itself, and the words that call it: "hearsay keys new".
struct Command {
  std::string words;
  const CLI::App* app;

  std::vector<const CLI::App*> subcommands() const { return app->get_subcommands({}); }
};

void add_with_subcommands(const Command& command, std::vector<Command>& all) {
  all.push_back(command);
  for (const CLI::App* app : command.subcommands())
    add_with_subcommands({command.words + " " + app->get_name(), app}, all);
}

/// Returns all commands; the program itself is the first.
std::vector<Command> all_commands(const CLI::App& program) {
  std::vector<Command> all;
  add_with_subcommands({"hearsay", &program}, all);
  return all;
}

/// Returns the options that `--help` shows.
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// "-h", "--help"
std::vector<std::string> spellings_of(const CLI::Option& option) {
  std::vector<std::string> spellings;
  for (const std::string& name : option.get_snames()) spellings.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) spellings.push_back("--" + name);
  return spellings;
}

bool may_have_a_value(const CLI::Option& option) {
  return option.get_name(false, true).find('{') != std::string::npos;
}

bool wants_a_value(const CLI::Option& option) {
  return !may_have_a_value(option) && option.get_expected_min() > 0 && !option.get_type_name().empty();
}

/// Returns the name of the option's value. CLI11 says "DIR", or "shaper|kernel:{shaper,kernel}" if it checks
/// the value.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  if (begin == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, type.find('}') - begin - 1), ',');
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t k = text.find(what); k != std::string::npos; k = text.find(what, k + by.size()))
    text.replace(k, what.size(), by);
  return text;
}

/// Escapes a line of text for roff: options keep their hyphens, and no line is read as a request.
std::string roff(const std::string& text) {
  const std::string escaped = replaced(replaced(text, "\\", "\\e"), "--", "\\-\\-");
  return (escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" : "") + escaped;
}

std::string bold(const std::string& text) { return "\\fB" + replaced(text, "-", "\\-") + "\\fR"; }

std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& spelling : spellings_of(option))
    names += (names.empty() ? "" : ", ") + bold(spelling);
  if (wants_a_value(option)) names += " " + italic(value_name(option));
  if (may_have_a_value(option)) names += "[=" + italic("VALUE") + "]";
  return ".TP\n" + names + "\n" + roff(option.get_description()) + "\n";
}

/// Returns the examples at the end of the command's help, line by line.
std::string examples_of(const CLI::App& command) {
  if (command.get_footer().empty()) return {};
  std::string text = ".PP\n.nf\n";
  for (const std::string& line : CLI::detail::split(command.get_footer(), '\n')) text += roff(line) + "\n";
  return text + ".fi\n";
}

std::string command_section(const Command& command) {
  std::string heading = bold(command.words);
  if (!command.subcommands().empty()) heading += " " + italic("COMMAND");
  std::string entries;
  for (const CLI::Option* option : positionals_of(*command.app)) {
    const std::string name = option->get_name(true);
    heading += " " + italic(name) + (option->get_expected_max() > 1 ? " ..." : "");
    entries += ".TP\n" + italic(name) + "\n" + roff(option->get_description()) + "\n";
  }
  for (const CLI::Option* option : options_of(*command.app)) entries += option_entry(*option);
  return ".SS " + heading + " [" + italic("OPTIONS") + "]\n" + roff(command.app->get_description()) + "\n" +
         entries + examples_of(*command.app);
}

std::string exit_codes() {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_meanings)
    text += ".TP\n" + bold(std::to_string(code)) + "\n" + meaning + "\n";
  return text;
}

/// Returns the text as one word of a shell.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Returns a branch of a shell's case, " 'a' | 'b') SHELL ;;"; empty if there are no patterns.
std::string branch(const std::vector<std::string>& patterns, const std::string& shell) {
  return patterns.empty() ? "" : "    " + joined(patterns, " | ") + ") " + shell + " ;;\n";
}

}  // namespace

std::string man_page(const CLI::App& program, const std::string& version) {
  const std::string description = program.get_description();
  const std::vector<Command> commands = all_commands(program);
  std::string text = ".\\\" Written by hearsay --man-page.\n.TH HEARSAY 1 \"\" \"hearsay " + version +
                     "\" \"User Commands\"\n.SH NAME\nhearsay \\- " +
                     roff(description.substr(description.find(": ") + 2)) + "\n.SH SYNOPSIS\n" +
                     bold("hearsay") + " " + italic("COMMAND") + " [" + italic("OPTIONS") +
                     "] ...\n.SH OPTIONS\n";
  for (const CLI::Option* option : options_of(program)) text += option_entry(*option);
  text += ".SH COMMANDS\n";
  for (std::size_t k = 1; k < commands.size(); ++k) text += command_section(commands[k]);
  return text + exit_codes();
}

std::string bash_completion(const CLI::App& program, const std::string& version) {
  std::vector<std::string> names;         // of the commands, each a pattern
  std::vector<std::string> of_any_value;  // options, after their commands: bash completes a file
  std::string of_few_values;
  std::string words;
  for (const Command& command : all_commands(program)) {
    if (command.app != &program) names.push_back(quoted(command.words));
    std::vector<std::string> options;
    std::vector<std::string> subcommands;
    for (const CLI::App* app : command.subcommands()) subcommands.push_back(app->get_name());
    for (const CLI::Option* option : options_of(*command.app)) {
      for (const std::string& spelling : spellings_of(*option)) {
        options.push_back(spelling);
        if (!wants_a_value(*option)) continue;
        const std::string pattern = quoted(command.words + " " + spelling);
        if (const auto values = values_of(*option); values.empty())
          of_any_value.push_back(pattern);
        else
          of_few_values += branch({pattern}, "words=" + quoted(joined(values, " ")));
      }
    }
    words += branch({quoted(command.words)},
                    "options=" + quoted(joined(options, " ")) + " words=" + quoted(joined(subcommands, " ")));
  }
  return "# Completes the command lines of hearsay " + version + ". Written by hearsay --bash-completion.\n" +
         R"(_hearsay() {
  local word=${COMP_WORDS[COMP_CWORD]} command=hearsay options= words= k
  COMPREPLY=()
  for ((k = 1; k < COMP_CWORD; ++k)); do
    case "$command ${COMP_WORDS[k]}" in
)" + replaced(branch(names, "command+=\" ${COMP_WORDS[k]}\""), "    '", "      '") +
         R"(    esac
  done
  case $command in
)" + words +
         R"(  esac
  case "$command ${COMP_WORDS[COMP_CWORD - 1]}" in
)" + of_few_values +
         branch(of_any_value, "return 0") + R"(  esac
  [[ $word != -* ]] || words=$options
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _hearsay hearsay
)";
}

}  // namespace hearsay
