// CSV as pandas, R and spreadsheets write it: it is read, or what it may mean is asked in a sentence that
// names the key.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "runtime/data/dataset.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::csv_layout_test {

using std::string;

namespace {

using Layout = RunSettings::Data;

LoadedData<double> load(const string& text, Layout layout = {}, bool classification = true) {
  const DataFolder folder;
  layout.source = "csv:" + folder.write("data.csv", text);
  return load_data<double>(layout, classification, 1);
}

string refusal(const string& text, const Layout& layout = {}, bool classification = true) {
  return misuse_text([&] { load(text, layout, classification); });
}

DenseRows<double> features(const LoadedData<double>& loaded) {
  return std::get<DenseRows<double>>(loaded.train->features);
}

DenseRows<double> matrix(Index rows, Index columns, std::initializer_list<double> values) {
  return Eigen::Map<const DenseRows<double>>(std::data(values), rows, columns);
}

Layout with_header(bool header) {
  Layout layout;
  layout.header = header;
  return layout;
}

Layout skipping(std::uint64_t columns) {
  Layout layout;
  layout.skip = columns;
  return layout;
}

Layout targeting(const string& column) {
  Layout layout;
  layout.target = column;
  return layout;
}

using Targets = std::vector<double>;

}  // namespace

TEST_CASE("csv: a header of numbers is asked about, and data.header answers") {
  for (const string header : {"0,1,2", "2019,2020,2021", "1,2,3", "\"0\",\"1\",\"2\"", "10,20,40"}) {
    CAPTURE(header);
    const string text = header + "\n0.5,2.5,0\n1.5,4.5,1\n";
    CHECK(contains(refusal(text),
                   "data.csv: its first line may be a header of numbers; expected data.header = true, or "
                   "data.header = false if it is a sample"));
    const auto loaded = load(text, with_header(true));
    CHECK(features(loaded) == matrix(2, 2, {0.5, 2.5, 1.5, 4.5}));
    CHECK(loaded.train->targets == Targets{0, 1});
    CHECK(load(text, with_header(false), false).train->count() == 3);
  }
  // A header in which some names are numbers.
  CHECK(contains(refusal("0,1,label\n0.5,2.5,0\n"),
                 "column 3, \"label\", is not a finite number; if the line is "
                 "a header, expected data.header = true"));
  CHECK(load("0,1,label\n0.5,2.5,0\n1,2,1\n", with_header(true)).train->count() == 2);
  // Samples are no headers.
  CHECK(load("1,2,0\n3,4,1\n").train->count() == 2);
  CHECK(load("5.1,3.5,0\n4.9,3,1\n").train->count() == 2);
  CHECK(load("5,3,0\n4,3.5,1\n6,2,1\n").train->count() == 3);
}

TEST_CASE("csv: an index column is asked about, and data.skip answers") {
  for (const string& text : {string(",a,b,y\n0,0.5,2.5,0\n1,1.5,4.5,1\n"),            // pandas
                             string("Unnamed: 0,a,b,y\n0,0.5,2.5,0\n1,1.5,4.5,1\n"),  // and once more
                             string("\"\",\"a\",\"b\",\"y\"\n\"1\",0.5,2.5,0\n\"2\",1.5,4.5,1\n")}) {  // R
    CAPTURE(text);
    CHECK(
        contains(refusal(text), "the first column has no name, as that of an index; expected data.skip = 1"));
    CHECK(features(load(text, skipping(1))) == matrix(2, 2, {0.5, 2.5, 1.5, 4.5}));
    CHECK(features(load(text, skipping(0))).cols() == 3);
  }
  const string named_rows = "\"a\",\"y\"\n\"Mazda RX4\",0.5,0\n\"Fiat, 128\",1.5,1\n";  // R's write.table
  CHECK(contains(refusal(named_rows),
                 "the rows have a column more than the header, as with names of rows; "
                 "expected data.skip = 1"));
  CHECK(features(load(named_rows, skipping(1))) == matrix(2, 1, {0.5, 1.5}));
  CHECK(contains(refusal("name,a,y\nMazda,0.5,0\n"),
                 "\"Mazda\", is not a finite number; data.skip = 1 leaves"));
  const string counted = "id,a,y\n1,0.5,0\n2,1.5,1\n3,0.5,0\n4,1.5,1\n5,0.5,1\n";
  CHECK(contains(refusal(counted),
                 "the first column counts the rows, as an index does; expected data.skip = 1"));
  CHECK(features(load(counted, skipping(1))).cols() == 1);
  CHECK(features(load(counted, skipping(0))).cols() == 2);
  CHECK(contains(refusal("a,y\n1,0\n2,1\n", skipping(1)), "data.skip = 1"));
}

TEST_CASE("csv: the target may be in another column, which is asked about, and data.target answers") {
  const string text = "label,a,b\n7,0.5,2\n3,1.5,4\n";
  CHECK(contains(refusal(text),
                 "the last column is \"b\", and another one \"label\"; expected data.target = "
                 "\"label\", or data.target = \"last\""));
  for (const string target : {"label", "first"}) {
    const auto loaded = load(text, targeting(target));
    CHECK(features(loaded) == matrix(2, 2, {0.5, 2, 1.5, 4}));
    CHECK(loaded.train->targets == Targets{1, 0});
  }
  CHECK(load(text, targeting("last")).train->targets == Targets{0, 1});
  const auto middle = load("a,Class,b\n0.5,7,2.5\n1.5,3,4.5\n", targeting("Class"));
  CHECK(features(middle) == matrix(2, 2, {0.5, 2.5, 1.5, 4.5}));
  CHECK(contains(refusal(text, targeting("labels")), "data.target = labels: "));
  CHECK(contains(refusal("1,2.5,3\n", targeting("a")), "data.target = a: "));
  // Without a header: last columns that are no labels.
  CHECK(contains(refusal("7,0.5,2.5\n3,1.5,4.5\n"), "or data.target for another column"));
  CHECK(contains(refusal("7,0.5,0\n3,1.5,0\n"), "or data.target for another column"));
  string measured;
  for (int row = 0; row < 20; ++row)
    measured +=
        std::to_string(row % 3) + "," + std::to_string(row) + ".5," + std::to_string(1000 + 7 * row) + "\n";
  CHECK(contains(refusal(measured), "different labels in 20 samples; expected data.target = \"first\""));
  CHECK(load(measured, targeting("first")).train->class_count == 3);
  Layout both = targeting("first");
  both.skip = 1;
  CHECK(load(",y,a\n0,7,0.5\n1,3,1.5\n", both).train->targets == Targets{1, 0});
}

TEST_CASE("csv: line ends, blank lines, quotes and a byte order mark change nothing") {
  for (const string& text :
       {string("a,b,y\r1,2.5,0\r3,4.5,1\r"), string("a,b,y\r\n\r\n1,2.5,0\r\n3,4.5,1"),
        string("\n\na,b,y\n1,2.5,0\n\n \n3,4.5,1\n\n"),
        string("\xef\xbb\xbf\"a\",\"say \"\"b\"\", c\",\"y\"\n\"1\",\"2.5\",\"0\"\n3,4.5,1\n")}) {
    CAPTURE(text);
    CHECK(features(load(text)) == matrix(2, 2, {1, 2.5, 3, 4.5}));
  }
  CHECK(contains(refusal("a,b,y\r1,2.5,0\r3,x,1\r"), "line 3: "));
  CHECK(contains(refusal("a,b,y\n1,\"2.5,0\n3,4.5,1\n"), "line 2: a quote is not closed"));
}

TEST_CASE("csv: other separators and decimal commas are refused by name") {
  CHECK(contains(refusal("a;b;y\n1;2;0\n"),
                 "line 1: the columns are separated by semicolons; expected commas"));
  CHECK(contains(refusal("1,5;2,5;0\n"), "separated by semicolons"));
  CHECK(contains(refusal("1\t2\t0\n"), "separated by tabs"));
  CHECK(contains(refusal("1 2 0\n"), "separated by spaces"));
  CHECK(contains(refusal("a,b,y\n1,\"2,5\",0\n"), "expected a decimal point, not a comma"));
  CHECK(load("\"a;b\",\"c d\",y\n1,2,0\n3,4.5,1\n").train->count() == 2);
}

TEST_CASE("csv: Excel's first line sep=, names the separator and is no header") {
  for (const string first : {"sep=,", "SEP=,", "\"sep=,\"", "sep=,,,"}) {
    CAPTURE(first);
    for (const string header : {"", "a,b,y\n"})
      CHECK(features(load(first + "\n" + header + "1,2.5,0\n3,4.5,1\n")) == matrix(2, 2, {1, 2.5, 3, 4.5}));
  }
  CHECK(contains(refusal("sep=;\na;b;y\n1;2;0\n"),
                 "line 1: sep= says that the columns are separated by semicolons; expected commas"));
  for (const string tab : {"sep=\t", "sep=\\t", "\"sep=\t\""})
    CHECK(contains(refusal(tab + "\n1\t2\t0\n"), "line 1: sep= says that the columns are separated by tabs"));
  CHECK(contains(refusal("sep=|\n1|2|0\n"), "separated by \"|\""));
}

TEST_CASE("csv: a number in another writing is no name of a row, and no header") {
  for (const string field : {"\"1,234\"", "1%", "$1.5", "1 234", "(5)",
                             "\xe2\x82\xac"
                             "3",
                             "1'234", "\"1,234.5\""}) {
    CAPTURE(field);
    for (const string above : {"a,b,y\n", "a,b,y\n1,2,0\n", "", "1,2,0\n"}) {
      const string text = refusal(above + field + ",4.5,1\n");
      CHECK(contains(text, "column 1, "));
      CHECK(contains(text, "expected the number alone, such as 1234.5"));
      CHECK(!contains(text, "data.skip"));
      CHECK(!contains(text, "data.header"));
    }
  }
  CHECK(contains(refusal("a,b,y\n\"1,5\",2,0\n"), "expected a decimal point, not a comma"));
  for (const string missing : {"", "NA", "NaN", "?", "inf"}) {
    CAPTURE(missing);
    CHECK(!contains(refusal("a,b,y\n1,2,0\n" + missing + ",4.5,1\n"), "data.skip"));
  }
  for (const string name : {"Mazda RX4", "2020-01-31", "12:30:00", "x1"}) {
    CAPTURE(name);
    CHECK(contains(refusal("a,b,y\n" + name + ",4.5,1\n"), "data.skip = 1 leaves the first column out"));
  }
  CHECK(contains(refusal("id,b,y\n3f2a,4.5,1\n"), "data.skip = 1 leaves the first column out"));
}

TEST_CASE("csv: a header of numbers that are sorted is asked about above rows that are not") {
  for (const string header : {"10,20,30", "3,2,1", "1.0,2.0,3.0", "10,20,40", "-2,0,2", "30,20,10"})
    for (const string rows :
         {"0.5,2.5,0\n1.5,1.5,1\n", "5,2,0\n1,4,1\n6,1,0\n7,1,1\n1,2,0\n", "1,2.5,0\n3,4,1\n"}) {
      CAPTURE(header + " above " + rows);
      CHECK(contains(refusal(header + "\n" + rows), "its first line may be a header of numbers"));
      CHECK(load(header + "\n" + rows, with_header(true)).train->count() == std::ranges::count(rows, '\n'));
    }
  for (const string samples :
       {"9,5,0\n8,4,1\n7,5,0\n", "45,12,0\n5,12,1\n7,3,1\n4,5,0\n", "0,0,0\n1,0,1\n0,0,1\n",
        "9,5,2\n8.5,4,0\n7,5,1\n", "3,1,0\n1,4,2\n", "1,0\n0,1\n2,0\n", "5,1\n2.5,0\n1,1\n"}) {
    CAPTURE(samples);
    CHECK(refusal(samples).empty());
  }
}

TEST_CASE("csv: an index is asked about, however it is spaced and written") {
  const auto column = [](const string& name, std::initializer_list<const char*> values) {
    string text = name.empty() ? "" : name + ",a,y\n";
    int row = 0;
    for (const char* const value : values) {
      text += string(value) + "," + std::to_string(3 - row % 3) + ".5," + std::to_string(row % 2) + "\n";
      ++row;
    }
    return text;
  };
  for (const string name : {"id", "Index", "idx", "rownames", "PassengerId_id", "", "a0"})
    for (const auto& values : {std::initializer_list<const char*>{"0.0", "1.0", "2.0", "3.0", "4.0"},
                               std::initializer_list<const char*>{"9", "8", "7", "6", "5"}}) {
      CAPTURE(name);
      CHECK(contains(refusal(column(name, values)),
                     "the first column counts the rows, as an index does; expected data.skip = 1"));
    }
  CHECK(contains(refusal(column("", {"0", "10", "20", "30", "40"})),
                 "the first column has evenly spaced whole numbers, as an index does"));
  CHECK(contains(refusal(column("id", {"0", "10", "20", "30", "40"})), "the first column is called \"id\""));
  CHECK(refusal(column("dose", {"0", "10", "20", "30", "40"})).empty());
  CHECK(contains(refusal(column("id", {"17", "4", "99", "5"})),
                 "the first column is called \"id\", and has another value in every row"));
  CHECK(refusal(column("id", {"17", "4", "17", "5"})).empty());
  CHECK(refusal(column("", {"0.1", "0.2", "0.3", "0.4", "0.5"})).empty());
}

TEST_CASE("csv: a target that several columns are called is refused") {
  CHECK(contains(refusal("y,a,y\n1,2.5,0\n3,4.5,1\n", targeting("y")),
                 "data.csv has that name above the columns 1 and 3; expected a name of one column"));
  CHECK(load("a,a,y\n1,2.5,0\n3,4.5,1\n", targeting("y")).train->count() == 2);
}

TEST_CASE("csv: labels that are words, and first lines of something else, are named") {
  for (const string label : {"setosa", "\"setosa\"", "False", "TRUE"})
    for (const string above : {"a,b,y\n", "", "1,2.5,0\n"}) {
      CAPTURE(above + label);
      const string text = refusal(above + "3,4.5," + label + "\n");
      CHECK(contains(text, "column 3, "));
      CHECK(contains(text, "labels are whole numbers, such as 0 to classes - 1"));
    }
  CHECK(!contains(refusal("a,b,y\n1,x,0\n"), "labels"));
  const string comment = "line 1: a comment; expected the header, or the first sample";
  for (const string first :
       {"# made by x", "#", "% made by x", "# made by x, y", "# made by x, on Monday, by y, z"})
    CHECK(contains(refusal(first + "\na,b,y\n1,2.5,0\n"), comment));
  CHECK(load("# a,b,y\n1,2.5,0\n3,4.5,1\n").train->count() == 2);  // numpy.savetxt
  CHECK(contains(refusal("@relation iris\n@attribute a numeric\n@data\n1,0\n"), "line 1: the file is ARFF"));
  CHECK(contains(refusal("@RELATION a,b\n"), "line 1: the file is ARFF"));
}

TEST_CASE("csv: the columns of data.test are found by the names that data.source has for them") {
  const DataFolder folder;
  Layout layout;
  layout.source = "csv:" + folder.write("data.csv", "a,b,y\n1,2.5,0\n3,4.5,1\n");
  const auto with_test = [&](const string& text, Layout keys) {
    keys.test = "csv:" + folder.write("test.csv", text);
    return load_data<double>(keys, true, 1);
  };
  const auto refused = [&](const string& text) { return misuse_text([&] { with_test(text, layout); }); };
  for (const string& text : {string("a,b,y\n5,6.5,1\n"), string("y,b,a\n1,6.5,5\n"),
                             string("b,y,a\n6.5,1,5\n"), string("5,6.5,1\n")}) {
    CAPTURE(text);
    const auto loaded = with_test(text, layout);
    CHECK(std::get<DenseRows<double>>(loaded.test->features) == matrix(1, 2, {5, 6.5}));
    CHECK(loaded.test->targets == Targets{1});
  }
  CHECK(contains(refused("a,c,y\n5,6.5,1\n"), "test.csv: its column 2 is \"c\", which is not a column of "));
  CHECK(contains(refused("a,b,c,y\n5,6.5,1,1\n"), "its column 3 is \"c\""));
  CHECK(contains(refused("a,y\n5,1\n"), "it has no column \"b\", as "));
  CHECK(contains(refused("a,b,b\n5,6.5,1\n"), "its columns 2 and 3 are both \"b\""));
  layout.target = "first";
  const auto loaded = with_test("y,b,a\n1,6.5,3\n", layout);  // the target is column a of both
  CHECK(std::get<DenseRows<double>>(loaded.test->features) == matrix(1, 2, {6.5, 1}));
}

TEST_CASE("csv: its keys are refused with other formats") {
  const DataFolder folder;
  const auto refused = [&](Layout layout) {
    layout.source = "libsvm:" + folder.write("data.svm", "1 1:1\n-1 1:2\n");
    return misuse_text([&] { load_data<double>(layout, true, 1); });
  };
  CHECK(refused({}).empty());
  CHECK(contains(refused(targeting("first")), "data.target = first: "));
  CHECK(contains(refused(with_header(true)), "data.header = true: "));
  CHECK(contains(refused(skipping(1)), "data.skip = 1: "));
  Layout base;
  base.index_base = 0;
  CHECK(contains(refusal("1,2.5,0\n3,4.5,1\n", base), "data.index_base = 0: "));
}

}  // namespace hearsay::test::csv_layout_test
