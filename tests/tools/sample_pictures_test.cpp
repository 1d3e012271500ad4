#include "tools/influence/sample_pictures.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace hearsay::sample_pictures_test {

TEST_CASE("sample pictures: idx and cifar10 data are pictures if they are square, other data are not") {
  REQUIRE(picture_shape("idx:a,b", 784));
  CHECK(picture_shape("idx:a,b", 784)->side == 28);
  REQUIRE(picture_shape("cifar10:dir", 3072));
  CHECK(picture_shape("cifar10:dir", 3072)->channels == 3);
  CHECK_FALSE(picture_shape("idx:a,b", 785));
  CHECK_FALSE(picture_shape("libsvm:a9a", 784));
}

TEST_CASE("sample pictures: a picture is a bitmap, whose lowest line is the first, padded to four bytes") {
  const std::vector<double> values = {0.0, 1.0, 0.5, 0.0};
  // 54 bytes of header, then the lines (128 0), (0 255) of three colors and two bytes of padding each.
  const std::string address = picture_address({1, 2}, values);
  CHECK(address.starts_with("data:image/bmp;base64,Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgA"));
  CHECK(address.ends_with("gICAAAAAAAAAAAD///8AAA=="));
}

}  // namespace hearsay::sample_pictures_test
