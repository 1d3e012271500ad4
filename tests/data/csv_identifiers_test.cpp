// Columns that tell the rows of a file apart are no features: whether one is, is asked.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/data/dataset.hpp"
#include "runtime/data/name_words.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::csv_identifiers_test {

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

Layout skipping(std::uint64_t columns) {
  Layout layout;
  layout.skip = columns;
  return layout;
}

/// A file with a header and six rows: the columns before "y" in the order of `columns`.
string table(const std::vector<std::pair<string, std::vector<string>>>& columns) {
  string text;
  for (const auto& [name, values] : columns) text += name + ",";
  text += "y\n";
  for (std::size_t row = 0; row < 6; ++row) {
    for (const auto& [name, values] : columns) text += values[row] + ",";
    text += std::to_string(row % 2) + "\n";
  }
  return text;
}

const std::vector<string> distinct = {"892", "17", "4", "1309", "55", "61"};
const std::vector<string> repeated = {"892", "17", "4", "1309", "55", "4"};
const std::vector<string> measured = {"0.5", "1.25", "-3.5", "2", "7.75", "0.25"};

}  // namespace

TEST_CASE("csv: a name is cut into its words") {
  using Words = std::vector<string>;
  CHECK(words_of_name("PassengerId") == Words{"passenger", "id"});
  CHECK(words_of_name("customer_id.1") == Words{"customer", "id", "1"});
  CHECK(words_of_name("row-No 2") == Words{"row", "no", "2"});
  CHECK(words_of_name("UUID") == Words{"uuid"});
  CHECK(words_of_name("userIDs") == Words{"user", "ids"});
  CHECK(words_of_name("IDNumber") == Words{"id", "number"});
  CHECK(words_of_name("#") == Words{"#"});
  CHECK(words_of_name("# Id") == Words{"#", "id"});
  CHECK(words_of_name("") == Words{});
}

TEST_CASE("csv: a column that is called an identifier, with another value in every row, is asked about") {
  for (const string name : {"PassengerId", "uuid",
                            "key",         "#",
                            "row_id",      "sample_id",
                            "ID",          "Customer ID",
                            "customerid",  "id_order",
                            "IdNumber",    "GUID",
                            "Index",       "idx",
                            "row",         "Row No",
                            "RowNum",      "rownumber",
                            "No.",         "SerialNo",
                            "pk",          "Sample code number",
                            "record.key",  "user-id",
                            "objid",       "UserIDs",
                            "row_names"}) {
    CAPTURE(name);
    const string text = table({{name, distinct}, {"a", measured}});
    CHECK(
        contains(refusal(text), "data.csv: the first column is called \"" + name +
                                    "\", and has another value in every row, as an identifier does; expected "
                                    "data.skip = 1, which leaves it out, or data.skip = 0"));
    CHECK(load(text, skipping(1)).train->feature_count() == 1);
    CHECK(load(text, skipping(0)).train->feature_count() == 2);
    CHECK(refusal(table({{name, repeated}, {"a", measured}})).empty());
    CHECK(refusal(table({{name, measured}, {"a", measured}})).empty());
  }
}

TEST_CASE("csv: names that only look like identifiers, and columns without such names, are features") {
  for (const string name :
       {"acid", "humid", "grid", "width", "paid", "covid", "keyboard", "rows_per_page", "nose",
        "volatile acid", "age", "indexed", "monkey", "number_of_rooms", "identity"}) {
    CAPTURE(name);
    CHECK(refusal(table({{name, distinct}, {"a", measured}})).empty());
  }
}

TEST_CASE("csv: an identifier in another column than the first is asked about, and so are several") {
  const string middle = table({{"a", measured}, {"PassengerId", distinct}});
  CHECK(contains(
      refusal(middle),
      "data.csv: column 2 is called \"PassengerId\", and has another value in every row, as an "
      "identifier does; expected data.ignore = [\"PassengerId\"], which leaves it out, or data.skip = "
      "0, which keeps it"));
  Layout ignoring;
  ignoring.ignore = {"PassengerId"};
  CHECK(load(middle, ignoring).train->feature_count() == 1);
  CHECK(load(middle, skipping(0)).train->feature_count() == 2);
  const string two = table({{"id", distinct}, {"uuid", distinct}, {"a", measured}});
  CHECK(contains(
      refusal(two),
      "data.csv: the first 2 columns are called \"id\" and \"uuid\", and have another value in every "
      "row, as identifiers do; expected data.skip = 2, which leaves them out, or data.skip = 0"));
  CHECK(load(two, skipping(2)).train->feature_count() == 1);
}

TEST_CASE("csv: columns that are ignored may stand anywhere, and hold text") {
  const string text =
      "Name,Survived,Age,Ticket,Fare\nBraund,0,22,A5,7.25\nCumings,1,38,PC,71.5\nHeikkinen,1,26,STON,7.75\n";
  Layout layout;
  layout.target = "Survived";
  CHECK(contains(refusal(text, layout), "data.skip = 1 leaves the first column out"));
  layout.ignore = {"Name"};
  CHECK(contains(refusal(text, layout),
                 "column 4, \"A5\", is not a finite number; data.ignore = [\"Name\", "
                 "\"Ticket\"] leaves its column out"));
  layout.ignore = {"Ticket", "Name"};
  const auto titanic = load(text, layout);
  CHECK(titanic.train->feature_count() == 2);
  CHECK(titanic.train->count() == 3);
  layout.target = "first";
  CHECK(load(text, layout).train->feature_count() == 2);
  layout.target.reset();
  layout.ignore.push_back("Fare");  // then the last column is Age
  CHECK(load(text, layout, false).train->feature_count() == 1);

  layout.ignore = {"Name", "Ticket", "name"};
  CHECK(contains(refusal(text, layout), "has no such column in its header; expected names of it"));
  layout.ignore = {"Name", "Ticket", "Age", "Survived"};
  CHECK(contains(refusal(text, layout), "expected a feature and a target to be left"));
  layout.ignore = {"Name", "Ticket"};
  layout.target = "Name";
  CHECK(contains(refusal(text, layout), "no such column among those that data.skip and data.ignore leave"));
  layout.header = false;
  CHECK(contains(refusal("1,2,0\n3,4,1\n", layout),
                 "has no header; data.skip = N leaves its first N columns out"));
}

TEST_CASE("csv: a file of test samples need not have the columns that are ignored") {
  const DataFolder folder;
  Layout layout;
  layout.ignore = {"Name"};
  layout.source = "csv:" + folder.write("train.csv", "Name,a,b,y\nx,1.5,2,0\nz,3.5,4,1\n");
  layout.test = "csv:" + folder.write("test.csv", "b,y,a\n4,1,2.5\n");
  const auto loaded = load_data<double>(layout, true, 1);
  REQUIRE(loaded.test);
  CHECK(loaded.test->feature_count() == 2);
  layout.test = "csv:" + folder.write("test2.csv", "b,y,Name,a\n4,1,w,2.5\n");
  CHECK(load_data<double>(layout, true, 1).test->feature_count() == 2);
}

TEST_CASE("csv: identifiers beyond the whole numbers of a double are told apart as they are written") {
  const string text = table({{"objid",
                              {"1237648720693755918", "1237648720693755919", "1237648720693755920",
                               "1237648720693755921", "1237648720693755922", "1237648720693755923"}},
                             {"a", measured}});
  CHECK(contains(refusal(text), "the first column is called \"objid\""));
}

TEST_CASE("csv: identifiers that are text name the key that leaves them out, in every line") {
  const string hint = "data.skip = 1 leaves the first column out";
  CHECK(contains(refusal("uuid,a,y\n3f2a-11,1.5,0\n"), hint));
  CHECK(contains(refusal("Ticket No,a,y\n17,1.5,0\nA5 21171,2.5,1\n"), hint));
  CHECK(contains(
      refusal("PassengerId,uuid,a,y\n7,3f2a-11,1.5,0\n"),
      "column 2, \"3f2a-11\", is not a finite number; data.skip = 2 leaves the first 2 columns out"));
}

TEST_CASE("csv: a target that is called an identifier is asked about") {
  const string text = "a,b,id\n0.5,1,17\n1.5,2,4\n2.5,4,99\n";
  CHECK(
      contains(refusal(text, {}, false),
               "the last column is called \"id\", and has another value in every row, as an identifier does; "
               "expected data.target = \"last\", or a name of the header"));
  Layout last;
  last.target = "last";
  CHECK(load(text, last, false).train->count() == 3);
}

TEST_CASE("csv: the columns of data.test are those that data.source was asked about") {
  const DataFolder folder;
  Layout layout;
  layout.source = "csv:" + folder.write("data.csv", table({{"key", repeated}, {"a", measured}}));
  layout.test = "csv:" + folder.write("test.csv", table({{"key", distinct}, {"a", measured}}));
  CHECK(load_data<double>(layout, true, 1).test->count() == 6);
}

TEST_CASE("csv: several columns without a name at the left are asked about together") {
  const string text = ",Unnamed: 0,a,y\n0,0,0.5,0\n1,1,1.5,1\n";
  CHECK(
      contains(refusal(text),
               "the first 2 columns have no name, as those of an index; expected data.skip = 2, which leaves "
               "them out, or data.skip = 0"));
}

TEST_CASE("csv: the advice on the first column is given where it can help") {
  for (const string word : {"Total", "a", "2020-01-01"}) {
    CAPTURE(word);
    CHECK(!contains(refusal("a,b,y\n1,2,0\n3,5,1\n" + word + ",4.5,1\n"), "data.skip"));
  }
  CHECK(contains(refusal("a,b,y\nTotal,4.5,1\n"), "data.skip = 1 leaves the first column out"));
}

TEST_CASE("csv: a minus sign of typesetters is named, and is no name of a row") {
  for (const string minus : {"\xe2\x88\x92", "\xe2\x80\x93"}) {
    const string text = refusal("a,b,y\n" + minus + "1.5,4.5,1\n");
    CHECK(contains(text, "is not a finite number; expected a hyphen, -, for the minus sign"));
    CHECK(!contains(text, "data.skip"));
  }
}

TEST_CASE("csv: few samples with a label each are asked about, unless the labels count") {
  const string asked = "different labels in ";
  CHECK(contains(
      refusal("1,2,151\n3,5,75\n2,2,141\n"),
      "its last column has 3 different labels in 3 samples; expected data.target = \"first\", \"last\" "
      "or a name of the header, or model.kind = \"least-squares\" if they are measured"));
  CHECK(contains(refusal("1,2,10\n3,5,20\n2,2,30\n4,4,30\n"), asked));
  CHECK(!contains(refusal("1,2,0\n3,5,1\n2,2,2\n"), asked));
  CHECK(!contains(refusal("1,2,1\n3,5,2\n2,2,3\n"), asked));
  CHECK(!contains(refusal("1,2,-1\n3,5,1\n"), asked));
  CHECK(!contains(refusal("1,2,7\n3,5,3\n"), asked));
}

}  // namespace hearsay::test::csv_identifiers_test
