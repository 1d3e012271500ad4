#include "tools/influence/influence_page.hpp"

#include <doctest/doctest.h>

#include "tests/support/misuse_text.hpp"

using namespace hearsay;

namespace {

/// Two samples of one peer, and one test sample.
InfluenceFindings findings() {
  InfluenceFindings found;
  found.run = "runs/<b>&";
  found.tests = "the run's own";
  found.test_count = 1;
  found.kept = 2;
  found.loss_before = 2.0;
  found.loss_after = 1.0;
  found.samples = {{0, 7, 3.0}, {0, 9, 4.0}};
  found.rows = {{5, 3.0, 1.0}};
  found.on_tests = (DenseRows<double>(2, 2) << 0.75, 0.75, -0.25, -0.25).finished();
  found.on_itself = (Vector<double>(2) << 0.5, 0.125).finished();
  found.of_peers_on_tests = (DenseRows<double>(1, 2) << 0.5, 0.5).finished();
  return found;
}

}  // namespace

TEST_CASE("influence page: idx and cifar10 data are pictures if they are square, other data are not") {
  REQUIRE(picture_shape("idx:a,b", 784));
  CHECK(picture_shape("idx:a,b", 784)->side == 28);
  REQUIRE(picture_shape("cifar10:dir", 3072));
  CHECK(picture_shape("cifar10:dir", 3072)->channels == 3);
  CHECK_FALSE(picture_shape("idx:a,b", 785));
  CHECK_FALSE(picture_shape("libsvm:a9a", 784));
}

TEST_CASE("influence page: a picture is a bitmap, whose lowest line is the first, padded to four bytes") {
  const std::vector<double> values = {0.0, 1.0, 0.5, 0.0};
  // 54 bytes of header, then the lines (128 0), (0 255) of three colors and two bytes of padding each.
  const std::string address = picture_address({1, 2}, values);
  CHECK(address.starts_with("data:image/bmp;base64,Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgA"));
  CHECK(address.ends_with("gICAAAAAAAAAAAD///8AAA=="));
}

TEST_CASE("influence page: it names samples, influences and peers, and its text is no HTML") {
  const std::string page = influence_page(findings(), 1, {});
  CHECK(contains(page, "runs/&lt;b>&amp;"));
  CHECK_FALSE(contains(page, "<img"));
  CHECK(contains(page, "<h2>Test sample 5</h2>"));
  CHECK(contains(page, "label 3<br>0.75<br>sample 7<br>peer 0"));
  CHECK(contains(page, "label 4<br>-0.25<br>sample 9<br>peer 0"));
  Pictures pictures;
  pictures.of_training = [](Index row) { return "data:" + std::to_string(row); };
  pictures.of_test = [](Index row) { return "data:test-" + std::to_string(row); };
  const std::string drawn = influence_page(findings(), 2, pictures);
  CHECK(contains(drawn, "<img src=\"data:test-5\" alt=\"test sample 5\">"));
  CHECK(contains(drawn, "<img src=\"data:9\" alt=\"sample 9\">"));
}
