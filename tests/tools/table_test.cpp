#include "tools/terminal/table.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tools/terminal/human_text.hpp"

namespace hearsay::table_test {

TEST_CASE("table: words to the left, numbers to the right, and no blanks at the end of a line") {
  Table table({{"name", Table::Align::left}, {"seconds", Table::Align::right}, {"note", Table::Align::left}});
  table.add({"a", "1.5", ""});
  table.add({"longer", "10.25", "µ"});
  CHECK(table.text(1) ==
        " name    seconds  note\n"
        " a           1.5\n"
        " longer    10.25  µ\n");
}

TEST_CASE("numbers: in units that people read") {
  CHECK(seconds_text(0.0) == "0 s");
  CHECK(seconds_text(2.5e-5) == "25 us");
  CHECK(seconds_text(0.0463) == "46.3 ms");
  CHECK(seconds_text(0.9996) == "1.00 s");
  CHECK(seconds_text(9.994) == "9.99 s");
  CHECK(seconds_text(99.94) == "99.9 s");
  CHECK(seconds_text(125.0) == "2 min 05 s");
  CHECK(seconds_text(3599.7) == "1 h 00 min");
  CHECK(seconds_text(std::numeric_limits<double>::infinity()) == "-");
  CHECK(megabytes_text(50'912) == "0.0509 MB");
  CHECK(megabytes_text(19'338'000) == "19.34 MB");
  CHECK(megabytes_text(168'430'080) == "168 MB");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1'234'567) == "1,234,567");
  CHECK(counted(1, "peer") == "1 peer");
  CHECK(counted(0, "peer") == "0 peers");
  CHECK(fixed(std::numeric_limits<double>::quiet_NaN(), 2) == "-");
}

}  // namespace hearsay::table_test
