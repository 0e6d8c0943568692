// Python bindings of symmetrisation: nlmt.alignment._alignment.

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "python.h"
#include "symmetrisation.h"

NB_MODULE(_alignment, m) {
  using namespace nlmt;
  using alignment::Method;
  nb::enum_<Method>(m, "Method")
      .value("INTERSECTION", Method::kIntersection)
      .value("UNION", Method::kUnion)
      .value("GROW_DIAG", Method::kGrowDiag)
      .value("GROW_DIAG_FINAL_AND", Method::kGrowDiagFinalAnd);
  m.def(
      "symmetrise",
      [](std::string_view forward, std::string_view reverse, Method method) {
        return alignment::format_links(alignment::symmetrise(
            alignment::parse_links(forward), alignment::parse_links(reverse), method));
      },
      "forward"_a, "reverse"_a, "method"_a);
}
