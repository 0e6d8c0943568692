// p(w | h) = softmax_class(S h + t) softmax_word_in_class(R h + b) (Goodman 2001; Baltescu and
// Blunsom 2015, section 2). The full softmax is the case of one word a class: the class layer is
// then the whole output, and no word rows exist. Words of class -1 are not covered: a short-list.
#pragma once

#include <algorithm>

#include "outputs/output_layer.h"

namespace nlmt::neural {

// Word classes, with contiguous rows for the words of a class.
struct Classes {
  std::vector<int> of;         // class of a word, -1 for none
  std::vector<int> row;        // row of a word in the word layer
  std::vector<int64_t> start;  // rows of class c: start[c] to start[c + 1]

  Classes(const int32_t* classes, int64_t words, int64_t count)
      : of(classes, classes + words), row(words), start(count + 1) {
    for (const int c : of) {
      if (c < -1 || c >= count) throw std::invalid_argument("class out of range");
      if (c >= 0) ++start[c + 1];
    }
    for (int64_t c = 0; c < count; ++c) start[c + 1] += start[c];
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (int64_t w = 0; w < words; ++w) {
      row[w] = of[w] < 0 ? -1 : static_cast<int>(next[of[w]]++);
    }
  }
  int64_t count() const { return static_cast<int64_t>(start.size()) - 1; }
  int64_t words() const { return static_cast<int64_t>(of.size()); }
  int64_t size(int64_t c) const { return start[c + 1] - start[c]; }
};

template <class Real>
struct ClassOutput : Output<Real> {
  static constexpr int kClassWeight = 0, kClassBias = 1, kWordWeight = 2, kWordBias = 3;
  static constexpr int64_t kBlock = 48;  // examples that go through the class layer together

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
    const int64_t begin = classes.start[c], n = classes.size(c);
    dots(this->stride(), h, this->values(kWordWeight).row(begin), n, logits);
    const Real* bias = this->values(kWordBias).row(0) + begin;
    for (int64_t j = 0; j < n; ++j) logits[j] += bias[j];
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
    const Panels<Real> transposed = transpose(this->values(kClassWeight), &team);
    const int64_t n = class_stride();
    int64_t largest = 1;
    for (int64_t c = 0; c < classes.count(); ++c) largest = std::max(largest, classes.size(c));
    std::vector<Buffer<Real>> scratch(team.size(),
                                      Buffer<Real>(kBlock * n + padded<Real>(largest)));
    team.each((h.rows + kBlock - 1) / kBlock, [&](int64_t block, int thread) {
      const int64_t begin = block * kBlock, end = std::min(begin + kBlock, h.rows);
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
        const double normaliser = softmax(row, classes.count(), n);
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
          if (many) within = softmax(word, classes.size(c), padded<Real>(classes.size(c)));
          for (; r < same; ++r) out[requests[r]] -= normaliser + within;
        }
      }
    });
  }

  void score_unnormalised(const Matrix<Real>& h, const int64_t* starts, const int32_t* words,
                          const Features<Real>* features, double* out, Team& team) const {
    team.each((h.rows + kBlock - 1) / kBlock, [&](int64_t block, int) {
      for (int64_t i = block * kBlock; i < std::min((block + 1) * kBlock, h.rows); ++i) {
        const auto logit = [&](int weight, int64_t row) {
          const Real s = dot(this->stride(), h.row(i), this->values(weight).row(row));
          const Real own = s + this->values(weight + 1).row(0)[row];
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
