#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hearsay {

/// A table of the manual that is written from the registries. `hearsay list --markdown NAME` prints it, and a
/// README holds it between
///
///     <!-- generated: hearsay list --markdown NAME -->
///     <!-- end of what is generated -->
struct ManualTable {
  std::string_view name;  ///< "methods"
  std::string (*text)();  ///< returns it as Markdown, with a newline at the end
};

std::span<const ManualTable> manual_tables();

}  // namespace hearsay
