#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hearsay {

/// A piece of a DOT file.
struct DotToken {
  enum class Kind {
    end,
    symbol,  ///< { } [ ] ; , : = -- ->
    word,    ///< without quotes; may be a keyword
    text,    ///< in quotes; parts joined by + are one text
    html,    ///< between < and >, which do not belong to `text`
  };
  Kind kind = Kind::end;
  std::string text;
  std::size_t line = 0;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  /// True for a keyword, which DOT reads in any case: Digraph.
  bool is_keyword(std::string_view keyword) const;
  bool is_id() const { return kind == Kind::word || kind == Kind::text || kind == Kind::html; }
};

/// Cuts DOT text into tokens, as Graphviz does. Comments are left out; those of # and // end with the line.
/// Bytes from 0x80 on are letters. Misuse names the line of what is no token.
class DotTokens {
 public:
  explicit DotTokens(std::string_view text) : text_(text) { next(); }

  const DotToken& peek() const { return ahead_; }
  /// Returns the token that `peek` has shown, and moves on.
  DotToken take();

 private:
  bool begins(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const;
  void skip_to(std::size_t end);
  void skip_blanks();
  void next();
  std::string word();
  std::string quoted();
  std::string html();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  DotToken ahead_;
};

}  // namespace hearsay
