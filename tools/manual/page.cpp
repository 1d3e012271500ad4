#include "tools/manual/page.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

namespace hearsay {

namespace {

constexpr std::size_t width = 110;
constexpr std::size_t indent = 2;
constexpr std::size_t widest_name = 20;  // a longer one has a line of its own

std::string blanks(std::size_t count) { return std::string(count, ' '); }

/// Returns the text in lines of at most `width` columns, each behind `margin` blanks.
std::string wrapped(const std::string& text, std::size_t margin) {
  std::string lines;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && margin + line.size() + 1 + word.size() > width) {
      lines += blanks(margin) + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + blanks(margin) + line + "\n";
}

/// Returns what Markdown shows: no code marks, and of links the words.
std::string plain(const std::string& markdown) {
  static const std::regex link(R"(\[([^\]]+)\]\([^)]+\))");
  std::string text = std::regex_replace(markdown, link, "$1");
  std::erase(text, '`');
  for (std::size_t bold = text.find("**"); bold != text.npos; bold = text.find("**")) text.erase(bold, 2);
  return text;
}

std::string listing_text(const Listing& listing, std::size_t margin) {
  std::string text;
  std::istringstream lines(listing.text);
  for (std::string line; std::getline(lines, line);)
    text += line.empty() ? "\n" : blanks(margin) + line + "\n";
  return text;
}

std::string entries_text(const Entries& entries) {
  std::size_t longest = 0;
  for (const Entries::Entry& entry : entries.entries)
    if (entry.name.size() <= widest_name) longest = std::max(longest, entry.name.size());
  const std::size_t margin = indent + longest + 2;
  std::string text;
  for (const Entries::Entry& entry : entries.entries) {
    const std::string name = blanks(indent) + entry.name;
    const std::string what = (entry.facts.empty() ? "" : wrapped(plain(entry.facts), margin)) +
                             (entry.text.empty() ? "" : wrapped(plain(entry.text), margin));
    text += name.size() + 2 > margin ? name + "\n" + what
                                     : name + blanks(margin - name.size()) + what.substr(margin);
  }
  return text;
}

struct AsText {
  std::string operator()(const Paragraphs& paragraphs) const {
    std::string text;
    for (const std::string& paragraph : paragraphs.texts) text += wrapped(plain(paragraph), indent);
    return text;
  }
  std::string operator()(const Listing& listing) const { return listing_text(listing, 2 * indent); }
  std::string operator()(const Entries& entries) const { return entries_text(entries); }
};

/// A bar would end the cell of a table.
std::string cell(const std::string& markdown) {
  std::string text;
  for (const char c : markdown) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return " " + text + " |";
}

struct AsMarkdown {
  std::string operator()(const Paragraphs& paragraphs) const {
    std::string text;
    for (const std::string& paragraph : paragraphs.texts)
      text += (text.empty() ? "" : "\n") + paragraph + "\n";
    return text;
  }
  std::string operator()(const Listing& listing) const {
    return "```" + listing.language + "\n" + listing.text + "```\n";
  }
  std::string operator()(const Entries& entries) const {
    const bool have_facts = std::ranges::any_of(
        entries.entries, [](const Entries::Entry& entry) { return !entry.facts.empty(); });
    std::string text = "|";
    for (const std::string& heading : entries.headings) text += cell(heading);
    text += "\n|";
    for (std::size_t column = 0; column < entries.headings.size(); ++column) text += " --- |";
    text += "\n";
    for (const Entries::Entry& entry : entries.entries)
      text += "|" + cell(entries.are_code ? "`" + entry.name + "`" : entry.name) +
              (have_facts ? cell(entry.facts) : "") + cell(entry.text) + "\n";
    return text;
  }
};

template <class Renderer>
std::string joined(const PagePart& part) {
  std::string text;
  for (const auto& piece : part.content) text += (text.empty() ? "" : "\n") + std::visit(Renderer{}, piece);
  return text;
}

}  // namespace

std::string page_text(const Page& page) {
  std::string text = page.title + "  (" + page.kind + ")\n" + wrapped(plain(page.summary), indent);
  for (const PagePart& part : page.parts) text += "\n" + part.heading + "\n" + joined<AsText>(part);
  return text;
}

std::string page_markdown(const Page& page) {
  std::string text = "# " + page.title + "\n\n" + page.kind + ": " + page.summary + "\n";
  for (const PagePart& part : page.parts) text += "\n## " + part.heading + "\n\n" + joined<AsMarkdown>(part);
  return text;
}

}  // namespace hearsay
