"""The keys of a model's architecture."""

from functools import partial
from typing import Annotated, Literal, get_args

from pydantic import Field

from nlmt.neural.parts import NETWORKS, OUTPUTS
from nlmt.neural.settings.rules import AULI, BALTESCU, LUONG, SCHWENK, OnlyWith, only_with
from nlmt.settings import NameIn, Settings, setting

Source = Literal["none", "window", "lsa", "averaged", "concatenated", "transform"]
SOURCES: tuple[Source, ...] = get_args(Source)
WIDEST = 8192  # layer
# The rule for a key that only some output layers, or some networks, have.
for_output = partial(only_with, "output", OUTPUTS)
for_network = partial(only_with, "network", NETWORKS)


class Architecture(Settings):
    """The parts of a model, from the words before to the word after."""

    network: Annotated[str, NameIn(NETWORKS)] = setting(
        "feed-forward",
        "Network of the model: feed-forward, over the words of an n-gram; or over all earlier "
        "words of the sentence: elman (Mikolov et al. 2010), gru, lstm, or a causal transformer.",
        source=f"{BALTESCU}, section 2; {AULI}, section 2",
    )
    order: Annotated[int, for_network("order"), for_output("order")] = setting(
        5,
        "Length of the n-grams; the context is one word shorter. With a short-list also the order, "
        "at most 6, of its back-off model, unless one is given.",
        ge=2,
        le=32,
        unit="words",
        source=f"{BALTESCU}, section 3",
    )
    source: Source = setting(
        "none",
        "Source input. none; window: the source words around the one that the predicted word is "
        "aligned with (Devlin et al. 2014). Or a vector beside the history: lsa, the sentence by "
        "latent semantic analysis; averaged or concatenated, embeddings of the window's words; "
        "transform, a trained linear transform of the sentence's words and word pairs to the "
        "vector that latent semantic analysis would give its translation. A model with a source "
        "learns from bitext alone; it rescores, but does not decode.",
        source=f"{LUONG}, section 3.2; {AULI}, sections 5.1 and 5.4 (transform)",
    )
    source_window: Annotated[int, OnlyWith("source", ("window", "averaged", "concatenated"))] = (
        setting(
            5,
            "Source words on each side of the aligned one; 5 gives a window of 11.",
            ge=0,
            le=100,
            unit="words",
            source=f"{LUONG}, section 3.2",
        )
    )
    source_side: Annotated[
        Literal["both", "before", "after", "around", "linked"],
        OnlyWith("source", ("averaged", "concatenated")),
    ] = setting(
        "both",
        "Words of the window to use: both, all of them; before or after, those on one side of the "
        "aligned word; around, those on both sides; linked, instead of a window, the words that "
        "are linked to the predicted one, up to as many as the window has. Before, after and "
        "around leave out the aligned word.",
        source=f"{AULI}, section 5.2 (p3, n5, p5n5, c5)",
    )
    source_vectors: Annotated[
        Literal["embeddings", "lsa"], OnlyWith("source", ("averaged", "concatenated"))
    ] = setting(
        "embeddings",
        "Vectors of the window's words: embeddings of another model, or rows of singular vectors "
        "from the latent semantic analysis of the source.",
        source=f"{AULI}, section 5.2 (ww-rnn, ww-lsa)",
    )
    source_weights: Annotated[
        Literal["log-entropy", "tf-idf"],
        OnlyWith("source", ("lsa", "transform")),
        OnlyWith("source_vectors", ("lsa",)),
    ] = setting(
        "log-entropy",
        "Weighting in the latent semantic analysis: log(1 + tf) times 1 minus the relative entropy "
        "of the word over the sentences (Dumais 1991), or tf times idf.",
        source=f"{AULI}, section 5.1 (tf-idf)",
    )
    source_dim: Annotated[int, OnlyWith("source", SOURCES[2:])] = setting(
        100,
        "Size of the vector of the source; if vectors are concatenated, of the vector of each "
        "word.",
        ge=1,
        le=WIDEST,
    )
    source_bits: Annotated[int, OnlyWith("source", ("transform",))] = setting(
        20,
        "Bits of the hash values of words and pairs of words; the transform has a row for each "
        "that occurs.",
        ge=1,
        le=24,
        source=f"{AULI}, section 5.4",
    )
    source_pair_weight: Annotated[float, OnlyWith("source", ("transform",))] = setting(
        0.5,
        "Weight of a pair of neighbouring words, relative to a word.",
        gt=0,
        le=1,
        source=f"{AULI}, section 5.4",
    )
    source_further: Annotated[
        tuple[Literal["skips", "triples"], ...], OnlyWith("source", ("transform",))
    ] = setting(
        (),
        "Further features of the source: pairs of words with one between, three words.",
        examples=[["skips"]],
        source=f"{AULI}, section 5.4",
    )
    source_normalised: Annotated[bool, OnlyWith("source", ("transform",))] = setting(
        True,
        "Whether the words and pairs of a sentence are divided by the length of their vector.",
        source=f"{AULI}, section 5.4",
    )
    dim: int = setting(
        200,
        "Size of the word embeddings; of networks over sentences, also of their layers.",
        ge=1,
        le=WIDEST,
    )
    unroll: Annotated[int, for_network("unroll")] = setting(
        20,
        "Longest piece of a sentence within which gradients flow back through time.",
        ge=1,
        le=10_000,
        unit="words",
        source=f"{AULI}, section 4.1",
    )
    layers: Annotated[int, for_network("layers")] = setting(1, "Number of layers.", ge=1, le=64)
    heads: Annotated[int, for_network("heads")] = setting(4, "Attention heads.", ge=1, le=128)
    direct_features: Annotated[int, for_network("direct_features")] = setting(
        0,
        "Size of the hash table of n-gram weights that are added to the output activations "
        "(Mikolov et al. 2011); 0 for none.",
        ge=0,
        le=2**30,
        source=f"{AULI}, section 2",
    )
    direct_order: Annotated[int, OnlyWith("direct_features")] = setting(
        3,
        "Length of the longest of these n-grams; the output biases are those of order 1.",
        ge=2,
        le=8,
        unit="words",
        source=f"{AULI}, section 4.1",
    )
    projection: Annotated[
        Literal["diagonal", "full", "concatenation"], for_network("projection")
    ] = setting(
        "diagonal",
        "Combination of the context's embeddings: their sum after a diagonal or full matrix for "
        "each position, or their concatenation.",
        source=f"{BALTESCU}, sections 2 and 6; {SCHWENK}, section 2",
    )
    activation: Annotated[Literal["relu", "tanh", "sigmoid"], for_network("activation")] = setting(
        "relu",
        "Activation of the sums and of every hidden layer; a concatenation has none.",
        source=f"{BALTESCU}, section 2",
    )
    hidden: Annotated[
        tuple[Annotated[int, Field(ge=1, le=WIDEST)], ...],
        for_network("hidden"),
    ] = setting(
        (), "Sizes of the hidden layers between projection and output.", examples=[[400, 200]]
    )
    output: Annotated[str, NameIn(OUTPUTS)] = setting(
        "class-factored",
        "Output layer. class-factored: p(class | h) p(word | class, h); tree-factored: a sigmoid "
        "for each node of a word's path in a binary tree; full: one softmax over all words; "
        "short-list: one over the most frequent words, whose joint probability mass comes from a "
        "back-off model, which also scores the other words.",
        source=f"{BALTESCU}, sections 2.1 and 2.2; {SCHWENK}, section 2",
    )
    tree: Annotated[Literal["huffman", "brown"], for_output("tree")] = setting(
        "huffman",
        "Tree of the words: a Huffman tree over their counts; or Brown's tree of the word classes, "
        "with a Huffman tree of the words in each class.",
        source=f"{BALTESCU}, section 2.2",
    )
    short_list: Annotated[int, for_output("short_list")] = setting(
        1024,
        "Number of words of the short-list.",
        ge=1,
        le=100_000_000,
        unit="words",
        source=f"{SCHWENK}, section 2",
    )
    # Under a short-list, the words of the source side alone depend on it.
    min_count: Annotated[
        int,
        for_output("min_count"),
        OnlyWith("source", ("window", "lsa", "transform")),
        OnlyWith("source_vectors", ("lsa",)),
    ] = setting(
        2,
        "Words that occur less often in the training text are <unk>, on the source side too. With "
        "output: short-list, on the source side alone. The words of source_embeddings are those "
        "of their model.",
        ge=1,
        le=1_000_000,
        source=f"{AULI}, section 4.1",
    )
    max_words: Annotated[int | None, for_output("max_words")] = setting(
        None,
        "Number of most frequent words in the vocabulary, on the source side too; others are "
        "<unk>. null: all words that min_count keeps.",
        ge=1,
        le=100_000_000,
        unit="words",
        source=f"{LUONG}, section 3.2 (40,000)",
    )

    @property
    def context(self) -> int:
        """Number of words before the one that is predicted."""
        return self.order - 1

    @property
    def source_vector_dim(self) -> int:
        """Size of the vector of the source for each word; 0 without one."""
        if self.source not in SOURCES[2:]:
            return 0
        words = len(self.source_places) if self.source == "concatenated" else 1
        return words * self.source_dim

    @property
    def source_places(self) -> tuple[int, ...]:
        """Distances of the window's words from the affiliated one."""
        side = self.source_window
        before, after = tuple(range(-side, 0)), tuple(range(1, side + 1))
        chosen = {
            "both": (*before, 0, *after),
            "before": before,
            "after": after,
            "around": (*before, *after),
        }
        return chosen.get(self.source_side, chosen["both"])

    @property
    def linked_words(self) -> int:
        """Number of linked words that take the place of a window; 0 for a window."""
        return len(self.source_places) if self.source_side == "linked" else 0

    @property
    def positions(self) -> int:
        """Number of words whose embeddings are joined: of the context, then of the source."""
        return self.context + (2 * self.source_window + 1 if self.source == "window" else 0)

    @property
    def projected(self) -> int:
        """Size of the joined embeddings of a feed-forward model's words."""
        return self.dim * (self.positions if self.projection == "concatenation" else 1)

    @property
    def last_hidden(self) -> int:
        """Size of the last hidden layer."""
        if self.reads_sentences:
            return self.dim
        return self.hidden[-1] if self.hidden else self.projected

    @property
    def hidden_dim(self) -> int:
        """Size of the vector that the output layer sees."""
        return self.last_hidden + self.source_vector_dim

    @property
    def needs_alignment(self) -> bool:
        """Whether the source input differs from word to word."""
        return self.source in ("window", "averaged", "concatenated")

    @property
    def takes_windows(self) -> bool:
        """Whether the vector of the source is made from vectors of the words in a window."""
        return self.source in ("averaged", "concatenated")

    @property
    def takes_embeddings(self) -> bool:
        """Whether the vector of the source is made from embeddings of another model."""
        return self.takes_windows and self.source_vectors == "embeddings"

    @property
    def analyses_source(self) -> bool:
        """Whether the vector of the source is made from a latent semantic analysis of its text."""
        return self.source == "lsa" or (self.takes_windows and not self.takes_embeddings)

    @property
    def needs_classes(self) -> bool:
        """Whether the output layer is built from word classes."""
        return OUTPUTS.get(self.output).needs_classes(self)

    @property
    def reads_sentences(self) -> bool:
        """Whether the network reads sentences from their beginning, rather than n-grams."""
        return NETWORKS.get(self.network).reads_sentences
