#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/objectives/objective.hpp"
#include "algorithms/objectives/sample_block.hpp"

namespace hearsay {

/// An objective that is a sum over labelled samples, for any model that maps features to outputs:
///
///     f_i(x) = weight * sum_{s in shard} loss(output(x, a_s), y_s) + (l2/2) ||x||^2        weight = n/m
///
/// A model derives from this class and defines three functions: the outputs of a block of samples, the loss
/// of outputs, and a block's share of the gradient. With an empty shard f_i is the regularizer alone.
template <class Scalar>
class SampleObjective : public Objective<Scalar> {
 public:
  SampleObjective(Shard<Scalar> shard, double weight, double l2);

  Index sample_count() const final { return static_cast<Index>(shard_.rows.size()); }
  double loss(const Vector<Scalar>& x) const final;
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const final;

  /// Returns the share of the shard's samples that are classified correctly, in [0, 1]. The predicted class
  /// is that of the largest output, the lowest such class if there are several. With a single output it is
  /// class 1 if the output is positive, else class 0. The shard holds classification data and is not empty.
  double accuracy(const Vector<Scalar>& x) const;

  const Shard<Scalar>& shard() const { return shard_; }

  /// Returns loss_s(x) of the local samples, without weight and regularizer.
  std::vector<double> sample_losses(const Vector<Scalar>& x, std::span<const Index> samples) const;

  /// Sets row k of `gradients` to grad loss_s(x) of the local sample s = samples[k], without weight and
  /// regularizer. It takes a matrix of samples x d.
  void sample_gradients(const Vector<Scalar>& x, std::span<const Index> samples,
                        DenseRows<Scalar>& gradients) const;

  /// Returns the sum of grad loss_s(x) over all samples, without weight and regularizer.
  Vector<Scalar> summed_gradient(const Vector<Scalar>& x) const;

  /// Sets products(k, c) to <grad loss_s(x), v_c> and squares[k] to ||grad loss_s(x)||^2 for the local sample
  /// s = samples[k] and the rows v_c of `directions`. Takes the memory of the results and of a few gradients.
  virtual void gradient_products(const Vector<Scalar>& x, std::span<const Index> samples,
                                 const DenseRows<Scalar>& directions, DenseRows<double>& products,
                                 Vector<double>& squares) const;

  /// The start that all peers share: zeros, unless the model's gradient vanishes there.
  virtual Vector<Scalar> initial(std::uint64_t /*seed*/) const {
    return Vector<Scalar>::Zero(this->dimension());
  }

 protected:
  Index feature_count() const { return shard_.samples->feature_count(); }
  Index class_count() const { return static_cast<Index>(shard_.samples->class_count); }

  /// outputs: block.count() x (outputs per sample)
  virtual void compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                               DenseRows<Scalar>& outputs) const = 0;
  /// sum_s loss(outputs_s, target_s), in double
  virtual double output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const = 0;
  /// gradient += sum_s grad loss_s(x) over the block
  virtual void add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                            Vector<Scalar>& gradient) const = 0;

 private:
  Shard<Scalar> shard_;
  double weight_;
  double l2_;
};

}  // namespace hearsay
