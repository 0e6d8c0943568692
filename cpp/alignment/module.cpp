// Python bindings of symmetrisation: nlmt.alignment._alignment.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "symmetrisation.h"

namespace nb = nanobind;
using nlmt::alignment::Method;

NB_MODULE(_alignment, m) {
  nb::enum_<Method>(m, "Method")
      .value("INTERSECTION", Method::kIntersection)
      .value("UNION", Method::kUnion)
      .value("GROW_DIAG", Method::kGrowDiag)
      .value("GROW_DIAG_FINAL_AND", Method::kGrowDiagFinalAnd);
  m.def(
      "symmetrise",
      [](std::string_view forward, std::string_view reverse, Method method) {
        return nlmt::alignment::format_links(nlmt::alignment::symmetrise(
            nlmt::alignment::parse_links(forward), nlmt::alignment::parse_links(reverse), method));
      },
      nb::arg("forward"), nb::arg("reverse"), nb::arg("method"));
}
