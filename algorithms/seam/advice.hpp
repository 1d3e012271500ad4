#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hearsay {

/// What checks say of a run: a refusal ends it, a warning does not.
class Advice {
 public:
  /// `warnings` outlives this object.
  Advice(bool allows_unsound, std::vector<std::string>& warnings)
      : allows_unsound_(allows_unsound), warnings_(warnings) {}

  /// Throws the Misuse "KEY = VALUE: EXPECTATION".
  [[noreturn]] void refuse(const std::string& key, const std::string& value,
                           const std::string& expectation) const;
  /// The same of a setting with which the method is predicted not to work; a warning if
  /// algorithm.allow_unsound is true.
  void unsound(const std::string& key, const std::string& value, const std::string& expectation);
  void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }

 private:
  bool allows_unsound_;
  std::vector<std::string>& warnings_;
};

}  // namespace hearsay
