"""The key `text` of the configuration."""

from nlmt.settings import Settings, setting


class PreparationSettings(Settings):
    """How text is prepared."""

    max_length: int = setting(
        80,
        "A training pair with more tokens on either side is dropped.",
        ge=1,
        unit="tokens",
        source="Baltescu and Blunsom 2015, section 3",
    )
    shards: int = setting(
        1,
        "Parts of the training text that are prepared as jobs of their own, as on several machines "
        "of a cluster; the text has the same bytes whatever their number.",
        ge=1,
        le=1000,
    )
