#include "tests/house/class_state.hpp"

#include <algorithm>
#include <iterator>
#include <regex>

namespace hearsay {

namespace {

constexpr std::size_t most_fields = 20;

/// A class whose closing brace has not come yet.
struct OpenClass {
  std::string name;
  std::size_t line;   // index of its first line
  std::size_t depth;  // of the braces around its members
  std::size_t fields = 0;
};

/// Counts the fields of every class of a file, inner classes apart.
class FieldCount {
 public:
  explicit FieldCount(const SourceFile& file) : file_(file) {}

  Violations run() {
    for (line_ = 0; line_ < file_.code.size(); ++line_) read(file_.code[line_]);
    return found_;
  }

 private:
  void read(const std::string& line) {
    static const std::regex head(R"(^\s*(?:template <.*> )?(?:class|struct) (\w+)[^;]*$)");
    static const std::regex field(R"(\b\w+_(?:\{[^;]*\}| = [^;]*)?;)");
    std::smatch match;
    if (!open_.empty() && depth_ == open_.back().depth && line.find('(') == line.npos &&
        std::regex_search(line, field))
      ++open_.back().fields;
    if (std::regex_search(line, match, head)) head_ = {match[1], line_, depth_ + 1};
    if (!head_.name.empty() && line.find('{') != line.npos) {
      open_.push_back(head_);
      head_.name.clear();
    }
    for (const char character : line) {
      if (character == '{') ++depth_;
      if (character == '}') --depth_;
    }
    if (!open_.empty() && depth_ < open_.back().depth) close();
  }

  void close() {
    const OpenClass& done = open_.back();
    if (done.fields > most_fields)
      found_.push_back(at(file_, done.line,
                          done.name + " has " + std::to_string(done.fields) + " fields, " +
                              std::to_string(most_fields) + " are allowed"));
    open_.pop_back();
  }

  const SourceFile& file_;
  std::size_t line_ = 0;
  std::size_t depth_ = 0;
  OpenClass head_{};  // whose opening brace has not come yet, if it has a name
  std::vector<OpenClass> open_;
  Violations found_;
};

}  // namespace

Violations classes_have_few_fields(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files)
    if (file.is_cpp() && file.is_product())
      std::ranges::copy(FieldCount(file).run(), std::back_inserter(found));
  return found;
}

}  // namespace hearsay
