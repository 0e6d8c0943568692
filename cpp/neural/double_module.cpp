// The parts of nlmt.neural._kernel in double precision, which tests compare with torch.

#include "parts.h"

namespace nlmt::neural {

void bind_double_parts(nb::module_& m) { bind_parts<double>(m, "64"); }

}  // namespace nlmt::neural
