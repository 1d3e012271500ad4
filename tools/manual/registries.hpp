#pragma once

#include <string>
#include <vector>

#include "tools/manual/page.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// What a key of a run file may name, methods aside: compressors, topologies, models.
struct Registry {
  std::string word;     ///< what one of them is: "compressor"
  std::string key;      ///< "algorithm.compressor"
  std::string heading;  ///< "Compressors"
  std::vector<Choice> choices;
};

/// Returns one spelling for each form of the arguments, in Markdown: "`quadratic(d)`, `quadratic(d, dense)`"
/// for "quadratic" and "(d) or (d, dense)".
std::string spellings(const std::string& name, const std::string& arguments);

/// Returns all registries, in the order of `hearsay list`.
std::vector<Registry> registries();

/// Returns the words that say what a page is about: "method", "key" and those of the registries.
std::vector<std::string> page_words();

/// Returns the pages of what has the name: one, or several if several registries know it. A word of
/// `page_words` chooses one of them; if it is empty, all count. Methods have their aliases, too; a key is
/// named with its table, "run.seed", or without it if nothing else is called so. Throws Misuse (NAME), with
/// the nearest name, if there is none.
std::vector<Page> pages_named(const std::string& name, const std::string& word);

}  // namespace hearsay
