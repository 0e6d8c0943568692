from nlmt.text.gather import frequent_words, restrict_vocabulary


def test_words_outside_the_vocabulary_become_unknown():
    vocabulary = frequent_words(["the cat sat", "the dog"])
    assert vocabulary == {"the", "cat", "sat", "dog"}
    assert list(restrict_vocabulary(["the bird sat", "", "cat"], vocabulary)) == [
        "the <unk> sat",
        "",
        "cat",
    ]


def test_rare_words_can_be_left_out():
    assert frequent_words(["a b", "a c", "b a"], min_count=2) == {"a", "b"}


def test_reserved_marks_in_the_text_are_not_words():
    lines = ["a <s> b </s> <unk>"]
    assert list(restrict_vocabulary(lines, frequent_words(lines))) == ["a <unk> b <unk> <unk>"]


def test_spaces_of_unicode_are_parts_of_words():
    lines = ["10\u00a0km  a\u2028b c"]
    assert list(restrict_vocabulary(lines, frequent_words(lines))) == ["10\u00a0km a\u2028b c"]
