"""`nlmt lm info`: the parts of a neural model and its training."""

import argparse
import json
from pathlib import Path

from nlmt.cli.arguments import Commands
from nlmt.io.json_files import read_json
from nlmt.neural import NeuralLM


def add(commands: Commands) -> None:
    """Add the command to those of `nlmt lm`."""
    what = "what a neural model is made of and how it was trained"
    parser = commands.add_parser("info", help=what, description=f"Print {what}.")
    parser.add_argument("model", type=Path, metavar="DIR", help="folder of the model")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print sizes, configuration and metrics."""
    model = NeuralLM.load(options.model)
    print(f"parameters: {model.parameter_count}")
    for name, values in model.parameters.items():
        print(f"  {name}: {' x '.join(map(str, values.shape))}")
    print(f"words: {len(model.vocabulary)}")
    if model.source_vocabulary is not None:
        print(f"source words: {len(model.source_vocabulary)}")
    print(f"{model.layout.name}: {model.layout.count}")
    for key, value in model.config.to_dict().items():
        print(f"{key}: {value}")
    metrics = options.model / "metrics.json"
    if metrics.is_file():
        print(json.dumps(read_json(metrics), indent=2))
    return 0
