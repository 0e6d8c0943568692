"""The parts of a neural model by name, as its configuration names them.

A part is a file and a line here, or a file of the user's own (docs/extending.md). The settings read
their names from here, and the parts read the settings: only for the checker of types does this
module import anything of the parts.
"""

from typing import TYPE_CHECKING

from nlmt.registry import Registry

if TYPE_CHECKING:
    from nlmt.neural.networks.network import Network
    from nlmt.neural.objectives import Objective
    from nlmt.neural.outputs.layout import OutputLayout

NETWORKS: "Registry[Network]" = Registry(
    "network",
    {
        "feed-forward": "nlmt.neural.networks.feed_forward:FEED_FORWARD",
        "elman": "nlmt.neural.networks.recurrent:ELMAN",
        "gru": "nlmt.neural.networks.recurrent:GRU",
        "lstm": "nlmt.neural.networks.recurrent:LSTM",
        "transformer": "nlmt.neural.networks.transformer:TRANSFORMER",
    },
)

OUTPUTS: "Registry[type[OutputLayout]]" = Registry(
    "output layer",
    {
        "class-factored": "nlmt.neural.outputs.classes:WordClasses",
        "tree-factored": "nlmt.neural.outputs.tree:WordTree",
        "full": "nlmt.neural.outputs.full:Flat",
        "short-list": "nlmt.neural.outputs.short_list:ShortList",
    },
)
OBJECTIVES: "Registry[Objective]" = Registry(
    "objective",
    {
        "nce": "nlmt.neural.objectives:NCE",
        "likelihood": "nlmt.neural.objectives:LIKELIHOOD",
        "self-normalised": "nlmt.neural.objectives:SELF_NORMALISED",
    },
)
