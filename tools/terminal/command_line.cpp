#include "tools/terminal/command_line.hpp"

#include <CLI/CLI.hpp>
#include <type_traits>

namespace hearsay {

namespace {

using OnText = std::function<void(const std::string&)>;

CLI::Option& add(CLI::App& app, const std::string& name, const ValueTarget& target,
                 const std::string& description) {
  return std::visit(
      [&](const auto& value) -> CLI::Option& {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, OnText>)
          return *app.add_option_function<std::string>(name, value, description);
        else
          return *app.add_option(name, *value, description);
      },
      target);
}

}  // namespace

CommandLine CommandLine::command(const std::string& name, const std::string& description) {
  return CommandLine(*app_->add_subcommand(name, description));
}

void CommandLine::require_command() { app_->require_subcommand(1); }

void CommandLine::argument(const std::string& name, const ValueTarget& target,
                           const std::string& description) {
  add(*app_, name, target, description).required();
}

void CommandLine::option(const std::string& name, const ValueTarget& target, const std::string& description,
                         const OptionForm& form) {
  CLI::Option& option = add(*app_, name, target, description);
  if (!form.value_name.empty()) option.type_name(form.value_name);
  if (option.get_expected_max() > 1) {
    // Each value of a list stands behind an option of its own, though CLI11's help would say "FILE ...".
    option.allow_extra_args(false);
    option.option_text(form.value_name);
  }
  if (!form.values.empty()) option.check(CLI::IsMember(form.values));
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
      ->check(CLI::Range(range.first, range.second))
      ->each([target](const std::string& number) { target(std::stoi(number, nullptr, 0)); });
}

void CommandLine::when_chosen(std::function<void()> function) { app_->callback(std::move(function)); }

}  // namespace hearsay
