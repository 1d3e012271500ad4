#include "algorithms/objectives/lenet.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "algorithms/arithmetic/matrix_product.hpp"
#include "algorithms/objectives/convolution.hpp"
#include "algorithms/objectives/cross_entropy.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::array<ImageShape, 3> images{{{1, 28}, {1, 32}, {3, 32}}};

constexpr Index kernel = 5;
constexpr Index framed_side = 32;
constexpr std::array<Index, 2> map_counts{6, 16};
constexpr std::array<Index, 3> dense_inputs{400, 120, 84};

/// Samples that go through the network together: enough to make the products of the dense layers efficient.
constexpr Index most_samples = 32;

/// A convolution, its pooling, and what the way back needs of them.
template <class Scalar>
struct Stage {
  Index side;                 ///< of the input maps
  DenseRows<Scalar> patches;  ///< of one sample
  DenseRows<Scalar> maps;     ///< of one sample, before pooling: values, or slopes
  DenseRows<Scalar> values;   ///< of all samples, a row each: the pooled maps with bias and ReLU
  Eigen::Matrix<std::int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> chosen;  ///< of `values`

  Index output_side() const { return side - kernel + 1; }
  Index pooled_size() const { return output_side() / 2 * (output_side() / 2); }
};

/// The way of a few samples through the network, and back.
template <class Scalar>
class Pass {
 public:
  Pass(const ImageShape& image, const std::vector<AffineLayer>& layers, const Vector<Scalar>& x,
       const SampleBlock<Scalar>& block)
      : image_(image), layers_(layers), x_(x), block_(block), features_(image.features()) {
    stages_[0].side = framed_side;
    stages_[1].side = stages_[0].output_side() / 2;
    framed_.setZero(image.channels, framed_side * framed_side);
    slopes1_.resize(map_counts[0], stages_[0].pooled_size());
  }

  /// Returns z of the samples first, ..., first + count - 1 of the block.
  DenseRows<Scalar>& forward(Index first, Index count) {
    first_ = first;
    for (std::size_t c = 0; c < stages_.size(); ++c) {
      stages_[c].values.resize(count, map_counts[c] * stages_[c].pooled_size());
      stages_[c].chosen.resize(count, stages_[c].values.cols());
    }
    for (Index s = 0; s < count; ++s) {
      gather_image(s);
      convolve(0, s);
      gather_maps(s);
      convolve(1, s);
    }
    for (std::size_t l = 0; l < dense_.size(); ++l) {
      const AffineLayer& layer = dense_layer(l);
      multiply(layer, x_, input(l), dense_[l]);
      add_biases(layer, x_, dense_[l]);
      if (l + 1 < dense_.size()) rectify(dense_[l]);
    }
    return dense_.back();
  }

  /// Adds the gradient of the samples' losses, after `forward`. Overwrites z.
  void backward(Vector<Scalar>& gradient) {
    DenseRows<Scalar>& slopes = dense_.back();
    const Index count = slopes.rows();
    differentiate_cross_entropy(
        slopes, block_.targets().subspan(static_cast<std::size_t>(first_), static_cast<std::size_t>(count)));
    for (std::size_t l = dense_.size(); l-- > 0;) {
      add_bias_gradient(dense_layer(l), slopes, gradient);
      add_transpose_product(slopes, input(l), weights_of(dense_layer(l), gradient));
      propagate_back(dense_layer(l), x_, input(l), slopes);
    }
    for (Index s = 0; s < count; ++s) {
      gather_maps(s);
      add_convolution_gradient(1, s, slopes.row(s).data(), gradient);
      send_back_to_stage1(s);
      gather_image(s);
      add_convolution_gradient(0, s, slopes1_.data(), gradient);
    }
  }

 private:
  const AffineLayer& dense_layer(std::size_t l) const { return layers_[stages_.size() + l]; }
  const DenseRows<Scalar>& input(std::size_t dense) const {
    return dense == 0 ? stages_[1].values : dense_[dense - 1];
  }
  Index padding() const { return (framed_side - image_.side) / 2; }

  void gather_image(Index sample) {
    block_.copy_row(first_ + sample, view(features_));
    copy_into_frame(view(std::as_const(features_)), image_.side, padding(), framed_);
    gather_patches(std::span<const Scalar>(framed_.data(), static_cast<std::size_t>(framed_.size())),
                   framed_side, kernel, stages_[0].patches);
  }

  void gather_maps(Index sample) {
    const DenseRows<Scalar>& values = stages_[0].values;
    const std::span<const Scalar> maps(values.row(sample).data(), static_cast<std::size_t>(values.cols()));
    gather_patches(maps, stages_[1].side, kernel, stages_[1].patches);
  }

  /// Makes the sample's pooled maps of the stage's patches.
  void convolve(std::size_t c, Index sample) {
    Stage<Scalar>& stage = stages_[c];
    stage.maps.setZero(map_counts[c], stage.patches.cols());
    add_product(weights_of(layers_[c], x_), stage.patches, stage.maps);
    const auto size = static_cast<std::size_t>(stage.values.cols());
    Scalar* value = stage.values.row(sample).data();
    max_pool(stage.maps, stage.output_side(), std::span(value, size),
             std::span(stage.chosen.row(sample).data(), size));
    for (Index m = 0; m < map_counts[c]; ++m) {
      const Scalar bias = x_[layers_[c].biases() + m];
      for (Index w = 0; w < stage.pooled_size(); ++w, ++value) {
        const Scalar sum = *value + bias;
        *value = sum < Scalar{0} ? Scalar{0} : sum;
      }
    }
  }

  /// Adds the gradient of the kernels and biases for one sample, whose patches are gathered. `slopes` are
  /// those of its pooled maps, 0 where the ReLU is. Leaves the slopes of the maps before pooling in the
  /// stage.
  void add_convolution_gradient(std::size_t c, Index sample, const Scalar* slopes, Vector<Scalar>& gradient) {
    Stage<Scalar>& stage = stages_[c];
    stage.maps.setZero();
    const std::int32_t* chosen = stage.chosen.row(sample).data();
    for (Index m = 0; m < map_counts[c]; ++m) {
      Scalar sum{0};
      for (Index w = 0; w < stage.pooled_size(); ++w, ++slopes, ++chosen) {
        sum += *slopes;
        stage.maps.data()[*chosen] = *slopes;
      }
      gradient[layers_[c].biases() + m] += sum;
    }
    add_product_with_transpose(stage.maps, stage.patches, weights_of(layers_[c], gradient));
  }

  /// Makes slopes1_ of the slopes of conv2's maps.
  void send_back_to_stage1(Index sample) {
    Stage<Scalar>& stage = stages_[1];
    stage.patches.setZero();
    add_transpose_product(weights_of(layers_[1], x_), stage.maps, stage.patches);
    slopes1_.setZero();
    add_patches(stage.patches, stage.side, kernel, slopes1_);
    const Scalar* value = stages_[0].values.row(sample).data();
    for (Index w = 0; w < slopes1_.size(); ++w)
      if (!(value[w] > Scalar{0})) slopes1_.data()[w] = Scalar{0};
  }

  const ImageShape& image_;
  const std::vector<AffineLayer>& layers_;
  const Vector<Scalar>& x_;
  const SampleBlock<Scalar>& block_;
  Index first_ = 0;
  Vector<Scalar> features_;
  DenseRows<Scalar> framed_;  ///< one image in its frame of zeros: channels x 32^2
  std::array<Stage<Scalar>, 2> stages_;
  std::array<DenseRows<Scalar>, 3> dense_;  ///< outputs of dense1 and dense2; z, later slopes
  DenseRows<Scalar> slopes1_;               ///< of one sample's pooled maps of conv1, 6 x 14^2
};

/// Calls visit(first, count) for the samples of a block, `most_samples` at a time.
template <class Visit>
void for_a_few(Index samples, const Visit& visit) {
  for (Index first = 0; first < samples; first += most_samples)
    visit(first, std::min(most_samples, samples - first));
}

const ImageShape* image_of(Index features) {
  const auto* image = std::ranges::find(images, features, &ImageShape::features);
  return image == images.end() ? nullptr : image;
}

}  // namespace

template <class Scalar>
LeNet<Scalar>::LeNet(Shard<Scalar> shard, double weight, double l2)
    : SampleObjective<Scalar>(std::move(shard), weight, l2) {
  const ImageShape* image = image_of(this->feature_count());
  ensure(image != nullptr, "a LeNet is of images that it takes");
  image_ = *image;
  const auto append = [&](const char* name, Index inputs, Index outputs) {
    layers_.push_back({name, inputs, outputs, layers_.empty() ? 0 : layers_.back().end()});
  };
  append("conv1", image_.channels * kernel * kernel, map_counts[0]);
  append("conv2", map_counts[0] * kernel * kernel, map_counts[1]);
  append("dense1", dense_inputs[0], dense_inputs[1]);
  append("dense2", dense_inputs[1], dense_inputs[2]);
  append("dense3", dense_inputs[2], this->class_count());
}

template <class Scalar>
void LeNet<Scalar>::compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                                    DenseRows<Scalar>& outputs) const {
  outputs.resize(block.count(), this->class_count());
  Pass<Scalar> pass(image_, layers_, x, block);
  for_a_few(block.count(),
            [&](Index first, Index count) { outputs.middleRows(first, count) = pass.forward(first, count); });
}

template <class Scalar>
double LeNet<Scalar>::output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const {
  return cross_entropy(outputs, targets);
}

template <class Scalar>
void LeNet<Scalar>::add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                                 Vector<Scalar>& gradient) const {
  Pass<Scalar> pass(image_, layers_, x, block);
  for_a_few(block.count(), [&](Index first, Index count) {
    pass.forward(first, count);
    pass.backward(gradient);
  });
}

template class LeNet<float>;
template class LeNet<double>;

namespace {

double lenet_dimension(const ModelShape&, double features, double classes) {
  const ImageShape* image = image_of(static_cast<Index>(features));
  ensure(image != nullptr, "the dimension of a LeNet is asked of images that it takes");
  return 150.0 * static_cast<double>(image->channels) + 60706.0 + 85.0 * classes;
}

}  // namespace

ModelInfo lenet_info() {
  return {.name = "lenet",
          .description =
              "LeNet-5 of 28x28 or 32x32 images: two convolutions with ReLU and max pooling, three "
              "dense layers; random start",
          .parameters = "61,706 on MNIST, 62,006 on CIFAR-10",
          .examples = {"lenet"},
          .make = sample_model<LeNet>(Targets::classes, lenet_dimension, images)};
}

}  // namespace hearsay
