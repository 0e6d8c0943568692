#include "lattice_record.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <unordered_map>

namespace nlmt::io {
namespace {

constexpr int kBlockLevel = 4;
constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();  // of a lattice
// A few bytes can stand for the features of any number of arcs, and for the words of long phrases
// on them, so that memory is bounded by what a file of some megabytes may need, and by its size.
// Lattices of searches have a few values, and two bytes unpacked, for each byte.
constexpr std::size_t kFreeBytes = std::size_t{1} << 22, kBytesPerByte = 16;
constexpr std::size_t kFreeValues = std::size_t{1} << 25, kValuesPerByte = 8;
constexpr char kByPhrase = 0, kByArc = 1;

// Numbers ids by their first appearance.
class LocalWords {
 public:
  explicit LocalWords(std::vector<std::int32_t>& ids) : ids_(ids) {}
  std::uint64_t operator()(std::int32_t id) {
    const auto [place, is_new] = local_.try_emplace(id, ids_.size());
    if (is_new) ids_.push_back(id);
    return place->second;
  }

 private:
  std::vector<std::int32_t>& ids_;
  std::unordered_map<std::int32_t, std::uint64_t> local_;
};

void pack_phrases(const Lattice& lattice, LocalWords& local, ByteWriter& out) {
  for (std::size_t p = 0; p < lattice.phrases(); ++p) {
    const std::int64_t words = lattice.word_offsets[p + 1] - lattice.word_offsets[p];
    const std::int64_t points = lattice.point_offsets[p + 1] - lattice.point_offsets[p];
    out.number(static_cast<std::uint64_t>(words));
    for (std::int64_t w = lattice.word_offsets[p]; w < lattice.word_offsets[p + 1]; ++w) {
      out.number(local(lattice.words[w]));
    }
    out.number(static_cast<std::uint64_t>(lattice.spans[2 * p]));
    out.number(static_cast<std::uint64_t>(lattice.spans[2 * p + 1] - lattice.spans[2 * p]));
    out.number(static_cast<std::uint64_t>(points));
    for (std::int64_t i = 2 * lattice.point_offsets[p]; i < 2 * lattice.point_offsets[p + 1]; ++i) {
      out.number(static_cast<std::uint64_t>(lattice.points[i]));
    }
  }
}

void pack_column(const Lattice& lattice, std::size_t column, ByteWriter& out) {
  const std::size_t arcs = lattice.arcs();
  const auto bits = [&](std::size_t arc) {
    const float value = lattice.values[arc * lattice.width + column];
    if (!std::isfinite(value)) throw LatticeDamage("a feature value is not finite");
    const float written = value == 0 ? 0.0f : value;  // no minus zero
    std::uint32_t bits;
    std::memcpy(&bits, &written, sizeof bits);
    return bits;
  };
  std::vector<std::uint32_t> of_phrase(lattice.phrases(), 0);
  std::vector<bool> known(lattice.phrases(), false);
  bool by_phrase = true;
  for (std::size_t a = 0; a < arcs && by_phrase; ++a) {
    const auto phrase = static_cast<std::size_t>(lattice.phrase[a]);
    by_phrase = !known[phrase] || of_phrase[phrase] == bits(a);
    known[phrase] = true;
    of_phrase[phrase] = bits(a);
  }
  out.fixed(by_phrase ? kByPhrase : kByArc);
  if (by_phrase) {
    for (const std::uint32_t value : of_phrase) out.fixed(value);
    return;
  }
  std::unordered_map<std::uint32_t, std::uint64_t> number;
  std::vector<std::uint32_t> distinct;
  ByteWriter references;
  for (std::size_t a = 0; a < arcs; ++a) {
    const auto [place, is_new] = number.try_emplace(bits(a), distinct.size());
    if (is_new) distinct.push_back(place->first);
    references.number(place->second);
  }
  out.number(distinct.size());
  for (const std::uint32_t value : distinct) out.fixed(value);
  out.append(references.bytes());
}

void unpack_phrases(ByteReader& in, std::int64_t words, std::int64_t source, Lattice& lattice,
                    const std::vector<std::int32_t>& ids) {
  const std::int32_t phrases = in.count();
  const std::int64_t most = source > 0 ? source : std::numeric_limits<std::int32_t>::max() / 2;
  for (std::int32_t p = 0; p < phrases; ++p) {
    const std::int32_t length = in.count();
    for (std::int32_t w = 0; w < length; ++w) lattice.words.push_back(ids[in.number(words - 1)]);
    lattice.word_offsets.push_back(static_cast<std::int64_t>(lattice.words.size()));
    const std::int32_t begin = in.number(most);
    const std::int32_t covered = in.number(most - begin);
    lattice.spans.push_back(begin);
    lattice.spans.push_back(begin + covered);
    const std::int32_t points = in.count();
    for (std::int32_t i = 0; i < points; ++i) {
      lattice.points.push_back(in.number(covered - 1));
      lattice.points.push_back(in.number(length - 1));
    }
    lattice.point_offsets.push_back(static_cast<std::int64_t>(lattice.points.size() / 2));
  }
}

void unpack_arcs(ByteReader& in, Lattice& lattice) {
  lattice.nodes = in.count();
  const std::int32_t arcs = in.count();
  if (lattice.nodes < 1) throw LatticeDamage("it has no node");
  std::int64_t total = 0;
  for (std::int32_t n = 0; n < lattice.nodes; ++n) {
    const std::int32_t leave = in.number(arcs - total);
    if ((leave == 0) != (n == lattice.nodes - 1)) throw LatticeDamage("a path ends on the way");
    total += leave;
    lattice.from.insert(lattice.from.end(), static_cast<std::size_t>(leave), n);
  }
  if (total != arcs) throw LatticeDamage("the number of arcs does not fit");
  std::vector<bool> reached(static_cast<std::size_t>(lattice.nodes), false);
  for (const std::int32_t from : lattice.from) {
    const std::int32_t step = in.number(lattice.nodes - 1 - from);
    if (step == 0) throw LatticeDamage("an arc does not lead upwards");
    const std::size_t arc = lattice.to.size();
    if (arc > 0 && lattice.from[arc - 1] == from && lattice.to.back() > from + step) {
      throw LatticeDamage("its arcs are out of order");
    }
    lattice.to.push_back(from + step);
    reached[from + step] = true;
  }
  for (std::int32_t n = 1; n < lattice.nodes; ++n) {
    if (!reached[n]) throw LatticeDamage("no path leads to a node");
  }
  const auto last = static_cast<std::int64_t>(lattice.phrases()) - 1;
  for (std::int32_t a = 0; a < arcs; ++a) lattice.phrase.push_back(in.number(last));
}

void unpack_column(ByteReader& in, std::size_t column, Lattice& lattice) {
  const char kind = in.fixed<char>();
  if (kind != kByPhrase && kind != kByArc) throw LatticeDamage("an unknown kind of feature");
  std::vector<float> distinct(kind == kByPhrase ? lattice.phrases()
                                                : static_cast<std::size_t>(in.count()));
  for (float& value : distinct) {
    value = in.fixed<float>();
    if (!std::isfinite(value)) throw LatticeDamage("a feature value is not finite");
  }
  const auto last = static_cast<std::int64_t>(distinct.size()) - 1;
  for (std::size_t a = 0; a < lattice.arcs(); ++a) {
    const std::int32_t which = kind == kByPhrase ? lattice.phrase[a] : in.number(last);
    lattice.values[a * lattice.width + column] = distinct[which];
  }
}

void check_size(std::size_t size, std::size_t packed) {
  if (size > std::min(kMostBytes, kFreeBytes + kBytesPerByte * packed)) {
    throw LatticeDamage("it is too large for the format: prune it");
  }
}

void check_values(const Lattice& lattice, std::size_t packed) {
  const std::size_t most = kFreeValues + kValuesPerByte * packed;
  if (lattice.arcs() * lattice.width > most) {
    throw LatticeDamage("it has too many arcs for its features: prune it");
  }
  std::size_t words = 0;
  for (const std::int32_t p : lattice.phrase) {
    words += static_cast<std::size_t>(lattice.word_offsets[p + 1] - lattice.word_offsets[p]);
  }
  if (words > most) throw LatticeDamage("its arcs have too many words: prune it");
}

}  // namespace

LatticeRecord pack_lattice(const Lattice& lattice) {
  LatticeRecord record;
  record.sentence = lattice.sentence;
  LocalWords local(record.words);
  ByteWriter out;
  out.number(lattice.source.size());
  for (const std::int32_t id : lattice.source) out.number(local(id));
  out.number(lattice.phrases());
  pack_phrases(lattice, local, out);
  out.number(static_cast<std::uint64_t>(lattice.nodes));
  out.number(lattice.arcs());
  for (std::int32_t n = 0, a = 0; n < lattice.nodes; ++n) {
    const std::int32_t first = a;
    while (a < static_cast<std::int32_t>(lattice.arcs()) && lattice.from[a] == n) ++a;
    out.number(static_cast<std::uint64_t>(a - first));
  }
  for (std::size_t a = 0; a < lattice.arcs(); ++a) {
    out.number(static_cast<std::uint64_t>(lattice.to[a] - lattice.from[a]));
  }
  for (const std::int32_t phrase : lattice.phrase) out.number(static_cast<std::uint64_t>(phrase));
  for (std::size_t c = 0; c < lattice.width; ++c) pack_column(lattice, c, out);
  record.packed = deflate_bytes(out.bytes());
  check_values(lattice, record.packed.size());
  record.size = static_cast<std::uint32_t>(out.bytes().size());
  return record;
}

Lattice unpack_lattice(std::string_view packed, std::uint32_t size, std::int64_t sentence,
                       std::size_t width, const std::vector<std::int32_t>& words) {
  const std::string bytes = inflate_bytes(packed, size);
  ByteReader in(bytes);
  Lattice lattice;
  lattice.sentence = sentence;
  lattice.width = width;
  const auto known = static_cast<std::int64_t>(words.size());
  const std::int32_t source = in.count();
  for (std::int32_t i = 0; i < source; ++i) lattice.source.push_back(words[in.number(known - 1)]);
  unpack_phrases(in, known, source, lattice, words);
  unpack_arcs(in, lattice);
  check_values(lattice, packed.size());
  lattice.values.resize(lattice.arcs() * width);
  for (std::size_t c = 0; c < width; ++c) unpack_column(in, c, lattice);
  if (!in.finished()) throw LatticeDamage("data after its end");
  return lattice;
}

std::string deflate_bytes(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kBlockLevel) != Z_OK) {
    throw std::bad_alloc();
  }
  packed.resize(size);
  check_size(bytes.size(), size);
  return packed;
}

std::string inflate_bytes(std::string_view packed, std::uint32_t size) {
  check_size(size, packed.size());
  std::string bytes(size, '\0');
  uLongf found = size;
  if (uncompress(reinterpret_cast<Bytef*>(bytes.data()), &found,
                 reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK ||
      found != size) {
    throw LatticeDamage("its bytes do not unpack");
  }
  return bytes;
}

}  // namespace nlmt::io
