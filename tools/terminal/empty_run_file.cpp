#include "tools/terminal/empty_run_file.hpp"

#include <system_error>

#include "tools/terminal/notice.hpp"

namespace hearsay {

void say_if_empty(const std::filesystem::path& run_file) {
  std::error_code error;
  if (std::filesystem::is_regular_file(run_file, error) && std::filesystem::file_size(run_file, error) == 0)
    print_notice(run_file.string() + " is empty: every key has its default, which is the built-in example");
}

}  // namespace hearsay
