from nlmt.text import bitext_vocabulary, restrict_vocabulary


def test_words_outside_the_vocabulary_become_unknown():
    vocabulary = bitext_vocabulary(["the cat sat", "the dog"])
    assert vocabulary == {"the", "cat", "sat", "dog"}
    assert list(restrict_vocabulary(["the bird sat", "", "cat"], vocabulary)) == [
        "the <unk> sat",
        "",
        "cat",
    ]


def test_rare_words_can_be_left_out():
    assert bitext_vocabulary(["a b", "a c", "b a"], min_count=2) == {"a", "b"}


def test_reserved_marks_in_the_text_are_not_words():
    lines = ["a <s> b </s> <unk>"]
    assert list(restrict_vocabulary(lines, bitext_vocabulary(lines))) == ["a <unk> b <unk> <unk>"]
