// nlmt.tuples._tuples: the tuples of many sentence pairs, equal ones with equal numbers.
#include <stdexcept>

#include "python.h"
#include "unfolding.h"
#include "word_table.h"

namespace nlmt::tuples {
namespace {

constexpr size_t kPollRows = 1 << 13;

// Concatenated rows of different lengths.
class Ragged {
 public:
  Ragged(const int32_t* values, size_t size, const Array1<int64_t>& offsets)
      : values_(values), offsets_(offsets.data()), rows_(offsets.size() - 1) {
    check_offsets(offsets, size);
    for (size_t i = 0; i < rows_; ++i) {
      if (offsets_[i + 1] - offsets_[i] >= INT32_MAX) throw std::invalid_argument("too long a row");
    }
  }
  size_t rows() const { return rows_; }
  const int32_t* begin(size_t row) const { return values_ + offsets_[row]; }
  int32_t size(size_t row) const { return static_cast<int32_t>(offsets_[row + 1] - offsets_[row]); }

 private:
  const int32_t* values_;
  const int64_t* offsets_;
  size_t rows_;
};

// Numbers tuples as they come; a key is the number of source words, these, and the target words.
class TupleTable {
 public:
  int32_t id(const Tuple& tuple, const int32_t* order, const int32_t* source,
             const int32_t* target) {
    key_.assign(1, tuple.source_end - tuple.source_begin);
    for (int32_t i = tuple.source_begin; i < tuple.source_end; ++i)
      key_.push_back(source[order[i]]);
    key_.insert(key_.end(), target + tuple.target_begin, target + tuple.target_end);
    const auto* const bytes = reinterpret_cast<const char*>(key_.data());
    const int32_t known = table_.size();
    const int32_t id = table_.add({bytes, key_.size() * sizeof(int32_t)});
    if (id == known) {
      words.insert(words.end(), key_.begin() + 1, key_.end());
      sizes.push_back(key_[0]);
      sizes.push_back(static_cast<int32_t>(key_.size()) - 1 - key_[0]);
    }
    return id;
  }

  std::vector<int32_t> words;  // source and target words of each tuple
  std::vector<int32_t> sizes;  // (tuples, 2) how many of each

 private:
  WordTable table_;
  std::vector<int32_t> key_;
};

nb::object unfold(Array1<int32_t> source_ids, Array1<int64_t> source_offsets, Array1<int32_t> of,
                  Array1<int32_t> target_ids, Array1<int64_t> target_offsets, Array2<int32_t> links,
                  Array1<int64_t> link_offsets) {
  const Ragged sources(source_ids.data(), source_ids.size(), source_offsets);
  const Ragged targets(target_ids.data(), target_ids.size(), target_offsets);
  const Ragged pairs(links.data(), links.shape(0), link_offsets);
  if (links.shape(1) != 2 || pairs.rows() != targets.rows() || of.size() != targets.rows()) {
    throw std::invalid_argument("links of two positions, and one source a target");
  }
  TupleTable table;
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets(1, 0);
  {
    nb::gil_scoped_release release;
    Unfolding unfolding;
    for (size_t row = 0; row < targets.rows(); ++row) {
      if (of(row) < 0 || static_cast<size_t>(of(row)) >= sources.rows()) {
        throw std::invalid_argument("a source that is not there");
      }
      const int32_t source_length = sources.size(of(row)), target_length = targets.size(row);
      const int32_t* const first = links.data() + 2 * link_offsets(row);
      for (int32_t i = 0; i < pairs.size(row); ++i) {
        if (first[2 * i] < 0 || first[2 * i] >= source_length || first[2 * i + 1] < 0 ||
            first[2 * i + 1] >= target_length) {
          throw std::invalid_argument("a link outside its sentences");
        }
      }
      unfolding.run(source_length, target_length, first, pairs.size(row));
      for (const Tuple& tuple : unfolding.tuples()) {
        ids.push_back(
            table.id(tuple, unfolding.order().data(), sources.begin(of(row)), targets.begin(row)));
      }
      offsets.push_back(static_cast<int64_t>(ids.size()));
      if (row % kPollRows == 0) poll_signals();
    }
  }
  const size_t distinct = table.sizes.size() / 2;
  return nb::make_tuple(to_numpy(std::move(ids)), to_numpy(std::move(offsets)),
                        to_numpy(std::move(table.words)),
                        to_numpy(std::move(table.sizes), {distinct, 2}));
}

}  // namespace
}  // namespace nlmt::tuples

NB_MODULE(_tuples, m) {
  using namespace nlmt;
  m.def("unfold", tuples::unfold, "source_ids"_a, "source_offsets"_a, "of"_a, "target_ids"_a,
        "target_offsets"_a, "links"_a, "link_offsets"_a);
}
