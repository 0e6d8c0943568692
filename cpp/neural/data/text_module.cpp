// nlmt.neural._text: from texts to ids.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "data/texts.h"
#include "python.h"

namespace nlmt::neural {
namespace {

// Adds to `counts` how often each id occurs in a part of a stream.
template <class Id>
void tally(Array1<Id> stream, nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig> counts) {
  const uint64_t words = counts.shape(0);
  int64_t* const to = counts.data();
  bool fits = true;
  {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < stream.shape(0) && fits; ++i) {
      const auto id = static_cast<uint64_t>(stream.data()[i]);  // negative ones become large
      fits = id < words;
      if (fits) ++to[id];
    }
  }
  if (!fits) throw std::invalid_argument("an id beyond the vocabulary");
}

}  // namespace
}  // namespace nlmt::neural

NB_MODULE(_text, m) {
  using namespace nlmt;
  using namespace nlmt::neural;
  nb::register_exception_translator(translate_errors);

  nb::class_<WordCounts>(m, "WordCounts")
      .def(
          "__init__",
          [](WordCounts* self, std::string folder, int64_t most) {
            new (self) WordCounts(std::move(folder), most, poll_signals);
          },
          "folder"_a, "most"_a)
      .def("read", &WordCounts::read, "path"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("finish", &WordCounts::finish, "least"_a, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<TextReader>(m, "TextReader")
      .def(nb::init<const std::string&, const std::vector<std::string>&>(), "path"_a, "words"_a)
      .def(
          "read",
          [](TextReader& self, int64_t least) {
            return to_numpy(without_gil([&] { return self.read(least, poll_signals); }));
          },
          "least"_a);

  m.def("tally", &tally<int32_t>, "stream"_a, "counts"_a);
  m.def("tally", &tally<uint16_t>, "stream"_a, "counts"_a);
}
