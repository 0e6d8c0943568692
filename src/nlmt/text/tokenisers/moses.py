"""Moses' scripts normalize-punctuation.perl and tokenizer.perl, through sacremoses."""

from typing_extensions import override

from nlmt.text.tokenisers.tokeniser import WordTokeniser


class Sacremoses(WordTokeniser):
    """Tokenises by the library itself."""

    @override
    def __init__(self, language: str) -> None:
        # Imported here, as it takes 0.2 s that commands without texts can save.
        from sacremoses import MosesPunctNormalizer, MosesTokenizer

        self._normaliser = MosesPunctNormalizer(language)
        self._tokeniser = MosesTokenizer(language)

    @override
    def __call__(self, text: str) -> str:
        text = self._normaliser.normalize(text)
        tokens: str = self._tokeniser.tokenize(
            text, aggressive_dash_splits=False, return_str=True, escape=False
        )
        return tokens
