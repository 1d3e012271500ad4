#pragma once

#include <string>
#include <variant>
#include <vector>

namespace hearsay {

/// Returns the text in the marks that Markdown has for code.
inline std::string code(const std::string& text) { return "`" + text + "`"; }

/// Sentences in Markdown. Each member is a paragraph.
struct Paragraphs {
  std::vector<std::string> texts;
};

/// Text that keeps its lines: an algorithm's box, a run file, command lines.
struct Listing {
  std::string language;  ///< for Markdown: "toml", "sh"; empty if it is none
  std::string text;      ///< ends with a newline
};

/// Names, and what each of them is.
struct Entries {
  struct Entry {
    std::string name;        ///< plain text: "algorithm.momentum"
    std::string facts = {};  ///< in Markdown: type and default; may be empty
    std::string text = {};   ///< in Markdown
  };
  std::vector<std::string>
      headings;  ///< of the columns of a table in Markdown, facts left out if none has any
  std::vector<Entry> entries;
  bool are_code = false;  ///< whether the names are spelled in a run file
};

/// A part of a page below a heading.
struct PagePart {
  std::string heading;
  std::vector<std::variant<Paragraphs, Listing, Entries>> content;
};

/// What the manual says of one thing that a run file names: a method, a compressor, a topology.
struct Page {
  std::string title;    ///< "choco-sgd"
  std::string kind;     ///< what it is, before the summary: "method"
  std::string summary;  ///< one line, in Markdown
  std::vector<PagePart> parts;
};

/// Returns the page for a terminal, without the marks of Markdown. Sentences are broken at 110 columns;
/// listings keep their lines.
std::string page_text(const Page& page);

/// Returns the page in Markdown.
std::string page_markdown(const Page& page);

}  // namespace hearsay
