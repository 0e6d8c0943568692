// nlmt.evaluation._bleu: BLEU statistics of many hypotheses at once.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bleu.h"

namespace nb = nanobind;
using nlmt::evaluation::BleuStatistics;
using nlmt::evaluation::kStatistics;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::numpy, int32_t, nb::ndim<2>>;

void check_offsets(const Vector<int64_t>& offsets, size_t words) {
  if (offsets.size() == 0 || offsets(0) != 0 ||
      offsets(offsets.size() - 1) != static_cast<int64_t>(words)) {
    throw std::invalid_argument("offsets must run from 0 to the number of words");
  }
  for (size_t i = 1; i < offsets.size(); ++i) {
    if (offsets(i) < offsets(i - 1)) throw std::invalid_argument("offsets must not fall");
  }
}

int32_t largest(const Vector<int32_t>& ids) {
  int32_t top = -1;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids(i) < 0) throw std::invalid_argument("word ids must not be negative");
    top = std::max(top, ids(i));
  }
  return top;
}

Table statistics(Vector<int32_t> ids, Vector<int64_t> offsets, Vector<int32_t> sentence,
                 Vector<int32_t> reference_ids, Vector<int64_t> reference_offsets, int references,
                 int threads) {
  check_offsets(offsets, ids.size());
  check_offsets(reference_offsets, reference_ids.size());
  const int64_t hypotheses = static_cast<int64_t>(offsets.size()) - 1;
  const int64_t rows = static_cast<int64_t>(reference_offsets.size()) - 1;
  if (references < 1 || rows % references != 0) {
    throw std::invalid_argument("references must come as whole groups, one group a sentence");
  }
  if (static_cast<int64_t>(sentence.size()) != hypotheses) {
    throw std::invalid_argument("one sentence number is needed for each hypothesis");
  }
  for (size_t i = 0; i < sentence.size(); ++i) {
    if (sentence(i) < 0 || sentence(i) >= rows / references) {
      throw std::invalid_argument("a sentence number has no reference");
    }
  }
  const int32_t vocabulary = std::max(largest(ids), largest(reference_ids)) + 1;
  auto out = std::make_unique<int32_t[]>(static_cast<size_t>(hypotheses) * kStatistics);

  auto work = [&](int64_t begin, int64_t end) {
    BleuStatistics counter(vocabulary);
    std::vector<std::pair<const int32_t*, int64_t>> group(references);
    int32_t current = -1;
    for (int64_t i = begin; i < end; ++i) {
      if (sentence(i) != current) {
        current = sentence(i);
        for (int r = 0; r < references; ++r) {
          const int64_t row = static_cast<int64_t>(current) * references + r;
          group[r] = {reference_ids.data() + reference_offsets(row),
                      reference_offsets(row + 1) - reference_offsets(row)};
        }
        counter.set_references(group);
      }
      counter.count(ids.data() + offsets(i), offsets(i + 1) - offsets(i), &out[i * kStatistics]);
    }
  };
  {
    nb::gil_scoped_release release;
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; ++t) {
      pool.emplace_back(work, hypotheses * t / threads, hypotheses * (t + 1) / threads);
    }
    for (auto& thread : pool) thread.join();
  }
  int32_t* data = out.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
  return Table(data, {static_cast<size_t>(hypotheses), static_cast<size_t>(kStatistics)}, owner);
}

}  // namespace

NB_MODULE(_bleu, m) {
  m.def("statistics", &statistics, nb::arg("ids"), nb::arg("offsets"), nb::arg("sentence"),
        nb::arg("reference_ids"), nb::arg("reference_offsets"), nb::arg("references"),
        nb::arg("threads"));
}
