#include "tools/terminal/human_text.hpp"

#include <cmath>
#include <cstdio>

namespace hearsay {

namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

}  // namespace

std::string significant(double value, int digits) {
  return std::isfinite(value) ? formatted("%.*g", digits, value) : "-";
}

std::string fixed(double value, int decimals) {
  return std::isfinite(value) ? formatted("%.*f", decimals, value) : "-";
}

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds == 0.0) return "0 s";
  if (seconds < 1e-3) return significant(seconds * 1e6, 3) + " us";
  if (seconds < 0.9995) return significant(seconds * 1e3, 3) + " ms";
  if (seconds < 99.95) return fixed(seconds, seconds < 9.995 ? 2 : 1) + " s";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600)
    return std::to_string(whole / 60) + " min " + formatted("%02d", static_cast<int>(whole % 60)) + " s";
  return grouped(whole / 3600) + " h " + formatted("%02d", static_cast<int>(whole / 60 % 60)) + " min";
}

std::string megabytes_text(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  const double megabytes = bytes / 1e6;
  return fixed(megabytes, megabytes < 0.1 ? 4 : megabytes < 100.0 ? 2 : 0) + " MB";
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t place = text.size(); place > 3; place -= 3) text.insert(place - 3, ",");
  return text;
}

std::string samples_text(std::uint64_t count, const std::string& which) {
  return count == 0 ? "" : " (" + counted(count, which + " sample") + ")";
}

std::string counted(std::uint64_t number, const std::string& singular) {
  return grouped(number) + " " + singular + (number == 1 ? "" : "s");
}

}  // namespace hearsay
