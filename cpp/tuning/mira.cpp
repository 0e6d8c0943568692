#include "mira.h"

#include <utility>

namespace nlmt::tuning {
namespace {

class ListLearner {
 public:
  ListLearner(const Lists& lists, const double* start, const MiraOptions& options)
      : lists_(lists), learner_(lists.objective(), lists.width(), start, options) {
    difference_.resize(lists.width());
  }

  void update(int64_t sentence) {
    const int64_t begin = lists_.begin(sentence), size = lists_.size(sentence);
    scores_.resize(lists_.padded(sentence));
    lists_.scores_of(sentence, learner_.weights().data(), scores_.data());
    judge(sentence);
    const int32_t first = lists_.first_statistics_id(sentence);
    const auto quality = [&](int64_t i) {
      return quality_[lists_.statistics_id(begin + i) - first];
    };
    int64_t hope = 0, fear = 0;
    double most = scores_[0] + quality(0), least = scores_[0] - quality(0);
    for (int64_t i = 1; i < size; ++i) {
      const double good = scores_[i] + quality(i), bad = scores_[i] - quality(i);
      if (good > most) hope = i, most = good;
      if (bad > least) fear = i, least = bad;
    }
    for (int f = 0; f < lists_.width(); ++f) {
      difference_[f] = lists_.column(f)[begin + hope] - lists_.column(f)[begin + fear];
    }
    learner_.update(difference_.data(), quality(hope) - quality(fear),
                    lists_.statistics(begin + hope));
  }

  std::vector<double> average() const { return learner_.average(); }
  double value(const std::vector<double>& weights) const { return lists_.value(weights.data()); }

 private:
  // Qualities by the statistics of the sentence's hypotheses, many of which are equal.
  void judge(int64_t sentence) {
    quality_.clear();
    const int32_t last = lists_.first_statistics_id(sentence + 1);
    for (int32_t id = lists_.first_statistics_id(sentence); id < last; ++id) {
      quality_.push_back(learner_.quality(lists_.statistics_of(id)));
    }
  }

  const Lists& lists_;
  MarginLearner learner_;
  std::vector<double> scores_, quality_, difference_;
};

}  // namespace

std::vector<double> mira(const Lists& lists, const double* start, uint64_t seed,
                         const MiraOptions& options, const std::atomic<bool>& stop) {
  ListLearner learner(lists, start, options);
  std::vector<int64_t> order;
  for (int64_t s = 0; s < lists.sentences(); ++s) {
    if (lists.size(s) > 0) order.push_back(s);
  }
  return learn(learner, {start, start + lists.width()}, std::move(order), seed, options.epochs,
               stop)
      .weights;
}

}  // namespace nlmt::tuning
