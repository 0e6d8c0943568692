// nlmt.neural._kernel: parts of language models, in float and in double, and what they read.

#include "data/source_vectors.h"
#include "data/windows.h"
#include "parts.h"
#include "scoring/gather.h"

namespace nlmt::neural {

NB_MODULE(_kernel, m) {
  m.def("gather_sentences", &gather_sentences, "ids"_a, "offsets"_a, "context"_a, "begin"_a,
        "end"_a);
  m.def("gather_ngrams", &gather_ngrams, "ngrams"_a);
  m.def("gather_given", &gather_given, "ids"_a, "offsets"_a, "context"_a, "stream"_a, "events"_a,
        "side"_a, "begin"_a, "end"_a, "shift"_a);
  m.def("gather_numbered", &gather_numbered, "ids"_a, "offsets"_a, "context"_a, "numbers"_a,
        "begin"_a, "end"_a);
  m.def("source_vectors", &source_vectors<int32_t>, "kind"_a, "stream"_a, "places"_a, "side"_a,
        "table"_a, "end"_a);
  m.def("source_vectors", &source_vectors<uint16_t>, "kind"_a, "stream"_a, "places"_a, "side"_a,
        "table"_a, "end"_a);
  m.def("source_windows", &source_windows<int32_t>, "stream"_a, "events"_a, "side"_a, "begin"_a,
        "end"_a, "shift"_a);
  m.def("source_windows", &source_windows<uint16_t>, "stream"_a, "events"_a, "side"_a, "begin"_a,
        "end"_a, "shift"_a);
  m.def("windows", &windows<int32_t>, "stream"_a, "events"_a, "order"_a, "begin"_a, "end"_a);
  m.def("windows", &windows<uint16_t>, "stream"_a, "events"_a, "order"_a, "begin"_a, "end"_a);
  bind_parts<float>(m, "32");
  bind_double_parts(m);
}

}  // namespace nlmt::neural
