#include <doctest/doctest.h>

#include <vector>

#include "runtime/data/dataset.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::text_data_test {

using std::string;

namespace {

LoadedData<double> load(const string& source) {
  RunSettings::Data data;
  data.source = source;
  return load_data<double>(data, true, 1);
}

string refusal(const string& source) {
  return misuse_text([&] { load(source); });
}

}  // namespace

TEST_CASE("csv: quoted numbers are numbers, in the first line, too, and a quoted name may hold a comma") {
  const DataFolder folder;
  for (const string& text :
       {string("\"1\",\"2\",\"0\"\n\"3\", 4 ,\" 1 \"\n"), string("\xef\xbb\xbf") + "1,2,0\n3,4,1\n",
        string("\xef\xbb\xbf\"a\",\"b, c\",y\r\n1,2,0\r\n3,4,1\r\n")}) {
    const auto loaded = load("csv:" + folder.write("quoted.csv", text));
    DenseRows<double> expected(2, 2);
    expected << 1, 2, 3, 4;
    CHECK(std::get<DenseRows<double>>(loaded.train->features) == expected);
    CHECK(loaded.train->targets == std::vector<double>{0, 1});
  }
  CHECK(contains(refusal("csv:" + folder.write("open.csv", "1,\"2,0\n")), "line 1"));
}

TEST_CASE("text data: a file that is no text is called what it is, and a damaged one is named once") {
  const DataFolder folder;
  const string wide = {'\xff', '\xfe', '1', '\0'};
  CHECK(contains(refusal("csv:" + folder.write("wide.csv", wide)),
                 "wide.csv is no text file: it is UTF-16; save it as UTF-8"));
  CHECK(contains(refusal("libsvm:" + folder.write("nul.txt", string("1 1:1\0", 6))),
                 "nul.txt is no text file: byte 5 is NUL"));
  const string whole = content_of(folder.write_gzipped("whole.gz", "1 1:1\n-1 2:1\n"));
  const string wrong =
      refusal("libsvm:" + folder.write("wrong.gz", whole.substr(0, 10) + string(20, '\xff')));
  CHECK(contains(wrong, "wrong.gz: "));
  CHECK(wrong.find("wrong.gz") == wrong.rfind("wrong.gz"));
}

TEST_CASE(
    "text data: a number too small for a double is read as the nearest one, and one too large is refused") {
  const DataFolder folder;
  DenseRows<double> expected(2, 2);
  expected << 0.0, 5e-324, 3.5, -0.0;
  const string zeros(400, '0');
  for (const string& tiny :
       std::vector<string>{"1e-400", "+1e-400", "0." + zeros + "1", "1e-99999999999999999999", "0.001E-324",
                           "1" + zeros + "e-900"}) {
    CAPTURE(tiny);
    const auto csv = load("csv:" + folder.write("a.csv", tiny + ",4.9e-324,0\n3.5,-1e-400,1\n"));
    CHECK(std::get<DenseRows<double>>(csv.train->features) == expected);
    CHECK(load("libsvm:" + folder.write("a.svm", "0 1:" + tiny + "\n1 1:3\n")).train->count() == 2);
    CHECK(load("libsvm:" + folder.write("b.svm", tiny + " 1:2\n1 1:3\n")).train->targets ==
          std::vector{0.0, 1.0});
  }
  for (const string& huge : std::vector<string>{"1e400", "-1e400", "1" + zeros, "0.1e99999999999999999999",
                                                "0.0001e+900", "0." + zeros + "1e900"}) {
    CAPTURE(huge);
    CHECK(contains(refusal("csv:" + folder.write("a.csv", huge + ",2,0\n3.5,4,1\n")),
                   "is not a finite number"));
    CHECK(contains(refusal("libsvm:" + folder.write("a.svm", "0 1:" + huge + "\n1 1:3\n")),
                   "is not a finite number"));
  }
  for (const string wrong : {"1e-400x", "1e-", "e-400", "--1e-400", "+-1e-400", "1e-400 1"})
    CHECK(contains(refusal("csv:" + folder.write("a.csv", wrong + ",2,0\n3.5,4,1\n")),
                   "is not a finite number"));
}

}  // namespace hearsay::test::text_data_test
