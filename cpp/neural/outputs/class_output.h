// p(w | h) = softmax_class(S h + t) softmax_word_in_class(R h + b) (Goodman 2001; Baltescu and
// Blunsom 2015, section 2). The full softmax is the case of one word a class: the class layer is
// then the whole output, and no word rows exist. Words of class -1 are not covered: a short-list.
#pragma once

#include <algorithm>

#include "outputs/classes.h"
#include "outputs/output_layer.h"

namespace nlmt::neural {

template <class Real>
struct ClassOutput : Output<Real> {
  static constexpr int kClassWeight = 0, kClassBias = 1, kWordWeight = 2, kWordBias = 3;

  Classes classes;

  // A `flat` layer has one word in each class.
  ClassOutput(const int32_t* class_of, int64_t words, int64_t class_count, int64_t dim, bool flat)
      : Output<Real>(words, dim), classes(class_of, words, class_count) {
    if (classes.start.back() != (flat ? class_count : words)) {
      throw std::invalid_argument("classes do not fit");
    }
    const std::string layer = flat ? "output" : "class";
    this->add(layer + "_weight", class_count, dim);
    this->add(layer + "_bias", 1, class_count);
    if (flat) return;
    this->add("word_weight", words, dim, &classes.row);
    this->add("word_bias", 1, words, &classes.row);
  }

  bool covers(int32_t word) const override {
    return Output<Real>::covers(word) && classes.of[word] >= 0;
  }
  std::unique_ptr<Objective<Real>> objective(const ObjectiveSettings& settings,
                                             const StepSettings& steps) override;
  int64_t class_stride() const { return this->values(kClassBias).stride; }

  // Logits of the words of a class, in the order of their rows.
  void word_logits(int64_t c, const Real* h, Real* logits) const {
    this->units(kWordWeight).logits(h, classes.start[c], classes.size(c), logits);
  }

  void score(const Matrix<Real>& h, const int64_t* starts, const int32_t* words, bool normalised,
             const Features<Real>* features, double* out, Team& team) const override {
    if (normalised) {
      score_normalised(h, starts, words, features, out, team);
    } else {
      score_unnormalised(h, starts, words, features, out, team);
    }
  }

 private:
  void score_normalised(const Matrix<Real>& h, const int64_t* starts, const int32_t* words,
                        const Features<Real>* features, double* out, Team& team) const {
    Panels<Real> transposed;
    transpose<Real>(this->values(kClassWeight), transposed, &team);
    const int64_t n = class_stride();
    std::vector<Buffer<Real>> scratch(team.size(),
                                      Buffer<Real>(kBlock * n + padded<Real>(classes.largest())));
    team.each_block(h.rows, [&](int64_t begin, int64_t end, int thread) {
      Real* logits = scratch[thread].data();
      Real* word = logits + kBlock * n;
      std::vector<int64_t> requests;
      affine(transposed, this->values(kClassBias), h.row(begin), h.stride, end - begin, logits);
      for (int64_t i = begin; i < end; ++i) {
        Real* row = logits + (i - begin) * n;
        if (features) features->add_to(i, 0, classes.count(), row);
        requests.resize(starts[i + 1] - starts[i]);
        for (std::size_t r = 0; r < requests.size(); ++r) {
          requests[r] = starts[i] + static_cast<int64_t>(r);
          out[requests[r]] = row[classes.of[words[requests[r]]]];
        }
        // Requests of one class are grouped, so that its words are normalised once.
        std::sort(requests.begin(), requests.end(), [&](int64_t a, int64_t b) {
          return classes.row[words[a]] < classes.row[words[b]];
        });
        const double normaliser = log_sum(row, classes.count());
        for (std::size_t r = 0; r < requests.size();) {
          const int c = classes.of[words[requests[r]]];
          std::size_t same = r;
          double within = 0;
          const bool many = classes.size(c) > 1;
          if (many) word_logits(c, h.row(i), word);
          if (many && features) {
            features->add_to(i, classes.count() + classes.start[c], classes.size(c), word);
          }
          for (; same < requests.size() && classes.of[words[requests[same]]] == c; ++same) {
            const int64_t at = requests[same];
            if (many) out[at] += word[classes.row[words[at]] - classes.start[c]];
          }
          if (many) within = log_sum(word, classes.size(c));
          for (; r < same; ++r) out[requests[r]] -= normaliser + within;
        }
      }
    });
  }

  void score_unnormalised(const Matrix<Real>& h, const int64_t* starts, const int32_t* words,
                          const Features<Real>* features, double* out, Team& team) const {
    team.each_block(h.rows, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const auto logit = [&](int weight, int64_t row) {
          const Real own = this->units(weight).logit(h.row(i), row);
          if (!features) return static_cast<double>(own);
          const int64_t first = weight == kClassWeight ? 0 : classes.count();
          return static_cast<double>(own + features->at(i, first + row));
        };
        for (int64_t r = starts[i]; r < starts[i + 1]; ++r) {
          const int c = classes.of[words[r]];
          out[r] = logit(kClassWeight, c);
          if (classes.size(c) > 1) out[r] += logit(kWordWeight, classes.row[words[r]]);
        }
      }
    });
  }
};

}  // namespace nlmt::neural
