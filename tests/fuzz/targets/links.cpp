// Word alignments and segmentations into phrases, as text.
#include "links.h"

#include "alignment/symmetrisation.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choice choice(data, size);
  std::vector<Link> links;
  const std::string_view one = choice.part(), other = choice.part();
  try {
    choice.number & 1 ? parse_phrases(one, 9, 12, links) : parse_links(one, 9, 12, links);
  } catch (const std::invalid_argument&) {
  }
  try {
    const auto method = static_cast<alignment::Method>(choice.number / 2 % 4);
    alignment::format_links(
        alignment::symmetrise(alignment::parse_links(one), alignment::parse_links(other), method));
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
