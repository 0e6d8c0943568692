// Attention for Python, for transformers.
#pragma once

#include "bindings.h"
#include "scoring/prefix_attention.h"

namespace nlmt::neural {

// Attention of the last words (n, heads * size) over their sentences, in one layer.
template <class Real>
nb::ndarray<nb::numpy, Real> attend(PrefixAttention<Real>& self,
                                    const std::vector<Array<Real, 3>>& blocks,
                                    Array<int32_t, 2> block, Array<int32_t, 2> row, int64_t layer,
                                    Array<Real, 2> queries, Array<Real, 2> keys,
                                    Array<Real, 2> values) {
  const int64_t n = static_cast<int64_t>(block.shape(0)), width = self.width();
  const int64_t longest = static_cast<int64_t>(block.shape(1));
  check(row.shape(0) == block.shape(0) && row.shape(1) == block.shape(1) && layer >= 0);
  for (const auto& given : {queries, keys, values}) {
    check(static_cast<int64_t>(given.shape(0)) == n &&
          static_cast<int64_t>(given.shape(1)) == width);
  }
  PrefixRows<Real> before{{}, 0, 2 * layer * width, longest, block.data(), row.data()};
  for (const auto& one : blocks) {
    before.blocks.push_back(one.data());
    before.stride = static_cast<int64_t>(one.shape(1) * one.shape(2));
    check(static_cast<int64_t>(one.shape(2)) == width && one.shape(1) == blocks[0].shape(1) &&
          2 * layer + 1 < static_cast<int64_t>(one.shape(1)));
  }
  for (int64_t i = 0; i < n * longest; ++i) {
    const int32_t of = block.data()[i], at = row.data()[i];
    check(of < static_cast<int64_t>(blocks.size()), "block out of range");
    check(of < 0 || (at >= 0 && at < static_cast<int64_t>(blocks[of].shape(0))),
          "row out of range");
  }
  std::unique_ptr<Real[]> result(new Real[std::max<int64_t>(1, n * width)]);
  {
    nb::gil_scoped_release release;
    self.attend(n, before, queries.data(), keys.data(), values.data(), result.get());
  }
  return give(std::move(result), {static_cast<size_t>(n), static_cast<size_t>(width)});
}

template <class Real>
void bind_attention(nb::module_& m, const std::string& bits) {
  using Attention = PrefixAttention<Real>;
  nb::class_<Attention>(m, ("PrefixAttention" + bits).c_str())
      .def(
          "__init__",
          [](Attention* self, int64_t heads, int64_t size, int threads) {
            check(heads > 0 && size > 0 && threads >= 1);
            new (self) Attention(heads, size, threads);
          },
          "heads"_a, "size"_a, "threads"_a)
      .def("attend", &attend<Real>, "blocks"_a, "block"_a, "row"_a, "layer"_a, "queries"_a,
           "keys"_a, "values"_a);
}

}  // namespace nlmt::neural
