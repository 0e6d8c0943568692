// Reads recurrent networks word by word, for scores, with the parameters at the reader's creation.
#pragma once

#include <mutex>
#include <vector>

#include "training/first_inputs.h"

namespace nlmt::neural {

template <class Real>
class RecurrentReader {
 public:
  RecurrentReader(const Recurrent<Real>& network, int threads) : network_(network), team_(threads) {
    network.prepare(ready_, team_);
  }

  const Recurrent<Real>& network() const { return network_; }

  // From states (n x state_size) to the next ones, after a word each with row `vector_of` of
  // `vectors` beside it. A state does not depend on others read at once.
  void read(int64_t n, const Real* states, const int32_t* words, const Real* vectors, int64_t count,
            const int32_t* vector_of, Real* after) {
    const std::lock_guard<std::mutex> alone(mutex_);
    SourceVectors<Real> beside{vectors, count, {}};
    if (network_.side > 0) beside.of.assign(vector_of, vector_of + n);
    first_.gather(network_, ready_, {words, words + n}, beside, {}, team_);
    team_.each_block(
        n, [&](int64_t begin, int64_t end, int) { read_block(begin, end - begin, states, after); });
  }

 private:
  void read_block(int64_t begin, int64_t n, const Real* states, Real* after) const {
    const int64_t dim = network_.dim(), size = network_.state_size();
    const bool memory = network_.cell.has_memory();
    Matrix<Real> sums(n, network_.width()), h_before(n, dim), c_before(n, dim), h(n, dim),
        c(n, dim);
    for (int64_t l = 0; l < network_.layers; ++l) {
      const int64_t at = l * network_.parts() * dim, at_h = at + (memory ? dim : 0);
      for (int64_t i = 0; i < n; ++i) {
        const Real* state = states + (begin + i) * size;
        std::copy_n(state + at_h, dim, h_before.row(i));
        if (memory) std::copy_n(state + at, dim, c_before.row(i));
        if (l == 0) {
          first_.begin(network_, ready_, begin + i, sums.row(i));
        } else {
          std::copy_n(ready_.bias[l].row(0), network_.width(), sums.row(i));
        }
      }
      if (l > 0) network_.add_inputs(ready_, l, n, h.row(0), sums.row(0), sums.stride);
      network_.advance(ready_, l, n, false, h_before.row(0), c_before.row(0), sums.row(0), h.row(0),
                       c.row(0));
      for (int64_t i = 0; i < n; ++i) {
        Real* state = after + (begin + i) * size;
        std::copy_n(h.row(i), dim, state + at_h);
        if (memory) std::copy_n(c.row(i), dim, state + at);
      }
    }
  }

  const Recurrent<Real>& network_;
  std::mutex mutex_;  // the members below belong to one call at a time
  Team team_;
  typename Recurrent<Real>::Ready ready_;
  FirstInputs<Real> first_;
};

}  // namespace nlmt::neural
