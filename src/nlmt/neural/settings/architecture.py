"""The keys of a model's architecture."""

from typing import Annotated, Literal, get_args

from pydantic import Field

from nlmt.neural.parts import NETWORKS, OUTPUTS
from nlmt.neural.settings.rules import AULI, BALTESCU, LUONG, SCHWENK, OnlyWith, only_with
from nlmt.settings import NameIn, Settings, setting

Source = Literal["none", "window", "lsa", "averaged", "concatenated", "transform"]
SOURCES: tuple[Source, ...] = get_args(Source)
WIDEST = 8192  # layer


def for_output(key: str) -> OnlyWith:
    """The rule for a key that only some output layers have."""
    return only_with("output", OUTPUTS, key)


def for_network(key: str) -> OnlyWith:
    """The rule for a key that only some networks have."""
    return only_with("network", NETWORKS, key)


class Architecture(Settings):
    """The parts of a model, from the words before to the word after."""

    network: Annotated[str, NameIn(NETWORKS)] = setting(
        "feed-forward",
        "Feed-forward over an n-gram's words; or over all words of the sentence before: elman "
        "(Mikolov et al. 2010), gru, lstm, or a causal transformer.",
        source=f"{BALTESCU}, section 2; {AULI}, section 2",
    )
    order: Annotated[int, for_network("order"), for_output("order")] = setting(
        5,
        "Length of the n-grams; the context is one word shorter. For a network over sentences "
        "with a short-list, the order of the back-off model, unless that is given.",
        ge=2,
        le=32,
        unit="words",
        source=f"{BALTESCU}, section 3",
    )
    source: Source = setting(
        "none",
        "What the model sees of the source: nothing; the window of words around the one that the "
        "predicted word is affiliated with (Devlin et al. 2014); or a vector beside the words "
        "before: of the sentence by latent semantic analysis (lsa); the averaged or concatenated "
        "embeddings, of another model, of the window's words; or what a linear transform, trained "
        "for it, makes of the source sentence's words and pairs of words: about the vector that "
        "latent semantic analysis gives its translation. A model with a source learns from bitext "
        "alone and rescores; it does not decode.",
        source=f"{LUONG}, section 3.2; {AULI}, sections 5.1 and 5.4 (transform)",
    )
    source_window: Annotated[int, OnlyWith("source", ("window", "averaged", "concatenated"))] = (
        setting(
            5,
            "Source words on each side of the affiliated one; 5 are a window of 11.",
            ge=0,
            le=100,
            unit="words",
            source=f"{LUONG}, section 3.2",
        )
    )
    source_side: Annotated[
        Literal["both", "before", "after", "around"],
        OnlyWith("source", ("averaged", "concatenated")),
    ] = setting(
        "both",
        "Words of the window to take: all; those before the affiliated word, without it; those "
        "after it; or those around it, without it.",
        source=f"{AULI}, section 5.2 (p3, n5, p5n5)",
    )
    source_vectors: Annotated[
        Literal["embeddings", "lsa"], OnlyWith("source", ("averaged", "concatenated"))
    ] = setting(
        "embeddings",
        "What represents a word of the window: its embedding in another model, or its row of "
        "singular vectors in the latent semantic analysis of the source.",
        source=f"{AULI}, section 5.2 (ww-rnn, ww-lsa)",
    )
    source_weights: Annotated[
        Literal["log-entropy", "tf-idf"],
        OnlyWith("source", ("lsa", "transform")),
        OnlyWith("source_vectors", ("lsa",)),
    ] = setting(
        "log-entropy",
        "Weighting in the latent semantic analysis: log(1 + tf) and the entropy of the "
        "word over the sentences (Dumais 1991), or tf and idf.",
        source=f"{AULI}, section 5.1 (tf-idf)",
    )
    source_dim: Annotated[int, OnlyWith("source", SOURCES[2:])] = setting(
        100,
        "Size of the vector of the source; or of the vector of one of its words, where they are "
        "concatenated.",
        ge=1,
        le=WIDEST,
    )
    source_bits: Annotated[int, OnlyWith("source", ("transform",))] = setting(
        20,
        "Bits of the hash values of words and pairs of words; the transform has a row for each.",
        ge=1,
        le=24,
        source=f"{AULI}, section 5.4",
    )
    dim: int = setting(
        200,
        "Size of the word embeddings; of the hidden layers too, unless feed-forward.",
        ge=1,
        le=WIDEST,
    )
    unroll: Annotated[int, for_network("unroll")] = setting(
        20,
        "Steps over which gradients flow back through time.",
        ge=1,
        le=10_000,
        unit="words",
        source=f"{AULI}, section 4.1",
    )
    layers: Annotated[int, for_network("layers")] = setting(1, "Number of layers.", ge=1, le=64)
    heads: Annotated[int, for_network("heads")] = setting(4, "Attention heads.", ge=1, le=128)
    direct_features: Annotated[int, for_network("direct_features")] = setting(
        0,
        "Size of the hash table of weights of n-grams that are added to the output activations "
        "(Mikolov et al. 2011); 0 for none.",
        ge=0,
        le=2**30,
        source=f"{AULI}, section 2",
    )
    direct_order: Annotated[int, OnlyWith("direct_features")] = setting(
        3,
        "Length of the longest of these n-grams; those of order 1 are the output biases.",
        ge=2,
        le=8,
        unit="words",
        source=f"{AULI}, section 4.1",
    )
    projection: Annotated[
        Literal["diagonal", "full", "concatenation"], for_network("projection")
    ] = setting(
        "diagonal",
        "How the embeddings of the context are joined: their sum after a diagonal or full matrix "
        "for each position, or their concatenation.",
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
        "p(class | h) p(word | class, h); a sigmoid for each node of a word's path in a binary "
        "tree; one softmax over all words; or one over the most frequent words, while a back-off "
        "model scores the others and gives their joint probability mass.",
        source=f"{BALTESCU}, sections 2.1 and 2.2; {SCHWENK}, section 2",
    )
    tree: Annotated[Literal["huffman", "brown"], for_output("tree")] = setting(
        "huffman",
        "Huffman's over the words' counts; or the word classes' tree, the words of a class in a "
        "Huffman tree of their own.",
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
    min_count: Annotated[int, for_output("min_count")] = setting(
        2,
        "Words that occur less often in the training text are <unk>; likewise of the source.",
        ge=1,
        le=1_000_000,
        source=f"{AULI}, section 4.1",
    )
    max_words: Annotated[int | None, for_output("max_words")] = setting(
        None,
        "Number of words of the vocabulary, the most frequent ones; others are <unk>; likewise of "
        "the source. null: all that min_count leaves.",
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
        """Size of the vector of the source that stands beside a word; 0 without one."""
        if not self.takes_vectors:
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
        return chosen[self.source_side]

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
    def takes_vectors(self) -> bool:
        """Whether the source input is a vector beside the words."""
        return self.source in SOURCES[2:]

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
