#include "algorithms/seam/method_options.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

std::string spelled(double value) { return number_text(value); }
std::string spelled(std::uint64_t value) { return std::to_string(value); }
std::string spelled(const std::string& value) { return value; }

}  // namespace

std::string MethodOptions::Entry::text() const {
  return std::visit([](const auto& of) { return spelled(of); }, value);
}

MethodOptions::MethodOptions(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries) put(entry);
}

const MethodOptions::Entry* MethodOptions::entry(const OptionRow& row) const {
  const auto found = std::ranges::find(entries_, &row, &Entry::row);
  return found == entries_.end() ? nullptr : &*found;
}

const MethodOptions::Entry& MethodOptions::set_entry(const OptionRow& row) const {
  const Entry* const found = entry(row);
  ensure(found != nullptr, "the option " + row.name + " has no value");
  return *found;
}

void MethodOptions::put(Entry entry) {
  const auto place = std::ranges::find(entries_, entry.row, &Entry::row);
  if (place == entries_.end())
    entries_.push_back(std::move(entry));
  else
    place->value = std::move(entry.value);
}

void MethodOptions::clear(const OptionRow& row) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.row == &row; });
}

bool MethodOptions::operator==(const MethodOptions& other) const {
  return std::ranges::is_permutation(entries_, other.entries_);
}

}  // namespace hearsay
