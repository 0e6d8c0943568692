"""`nlmt doctor`: check that all that experiments need is there, and advise if it is not."""

from nlmt.cli.arguments import add_configuration
from nlmt.cli.parser import Options, Parser
from nlmt.doctor import State, checks
from nlmt.workflow.configuration import over_defaults
from nlmt.workflow.project import project_folder

DESCRIPTION = """\
Checks programs, packages and compiled modules, processor, memory, disk and GPU, access to Debian's
and Python's packages, and remains of interrupted runs in the present folder; for each fault it says
how to correct it. Nothing is changed.
"""
EPILOG = """\
The exit status is 1 if there is a fault, 0 otherwise. Warnings concern things that not every
experiment needs.

examples:
  nlmt doctor
  nlmt doctor --offline
  nlmt doctor --configfile mine.yaml
"""


def run(options: Options) -> int:
    """Print the checks; return 1 if one finds a fault."""
    config = over_defaults(dict(options.config), project_folder(), options.configfile)
    states = []
    for check in checks(config, network=not options.offline):
        states.append(check.state)
        print(f"{check.state:8} {check.subject}: {check.found}", flush=True)
        if check.remedy and check.state is not State.OK:
            print(f"{'':8} -> {check.remedy}")
    print(f"{states.count(State.FAULT)} faults, {states.count(State.WARNING)} warnings")
    return 1 if State.FAULT in states else 0


def parser() -> Parser:
    """The arguments."""
    parser = Parser(prog="nlmt doctor", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("--offline", action="store_true", help="leave out checks of the network")
    add_configuration(parser)
    return parser
