"""The configuration files: valid, described, and their schemas and reference as generated."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.common.configfile import load_configfile

from nlmt.cli import run_command
from nlmt.cli.config import generated
from nlmt.errors import InputError
from nlmt.experiment.config import check_nulls, config_group
from nlmt.papers import PAPERS
from nlmt.registry import PLUGINS
from nlmt.workflow.configuration import with_yaml_types

run = partial(run_command, "config")

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_default_configuration_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check"]) == 0
    assert "valid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("tunning: {}", r"mine.yaml:1: tunning: unknown key \(did you mean 'tuning'"),
        (
            "pairs: [french-english]",
            r"mine.yaml:1: pairs\.0: 'french-english' does not have the form of fr-en, ",
        ),
        ("pairs: [fr_en]", r"mine.yaml:1: pairs\.0: 'fr_en' does not have the form of fr-en, "),
        (
            "systems:\n  mine: {label: x, decoded_by: basline, rescored_with: [nce]}",
            "mine.yaml:2: systems.mine.decoded_by: unknown system 'basline' "
            ".did you mean 'baseline'. allowed: baseline, nlm, nlm_decoder, mine.$",
        ),
        (
            "systems: {nlm: {compared_with: [auli2013_rn]}}",
            "systems.nlm.compared_with: unknown system .*did you mean 'auli2013_rnn'",
        ),
        (
            "systems:\n  nlm:\n    rescored_with: [nec]",
            "mine.yaml:3: systems.nlm.rescored_with: unknown language model 'nec' "
            ".did you mean 'nce'. allowed: kn5, nce.$",
        ),
        (
            "systems:\n  nlm_decoder: null\n  nlmm: null",
            "mine.yaml:3: systems.nlmm: left out by null, but no file has it "
            ".did you mean 'nlm'. allowed: baseline, nlm, nlm_decoder.$",
        ),
        (
            "language_models: {luong2015_5layer: null}",
            "mine.yaml:1: language_models.luong2015_5layer: left out by .*mean 'luong2015_",
        ),
        (
            "evaluation: {baseline: basline}",
            "mine.yaml:1: evaluation.baseline: unknown system 'basline' .*baseline, nlm, nlm_dec",
        ),
        ("runs: 2\nscale: ful", "mine.yaml:2: scale: 'ful' is not allowed .did you mean 'full'"),
        (
            "demo_pair: fr-en\ntest_sets: [test, test]",
            "mine.yaml:2: test_sets: 'test' comes twice: name it once",
        ),
        ("pairs: [fr-en, en-cs, fr-en]", "mine.yaml:1: pairs: 'fr-en' comes twice"),
        (
            "language_models: {nce: {texts: [default, default]}}",
            "language_models.nce.texts: 'default' comes twice",
        ),
        (
            "systems: {nlm_decoder: {compared_with: [nlm, nlm]}}",
            "systems.nlm_decoder.compared_with: 'nlm' comes twice",
        ),
        ("systems: {nlm: {test_sets: [dev, dev]}}", "systems.nlm.test_sets: 'dev' comes twice"),
        ("papers: {luong2015: {pairs: [fr-en, fr-en]}}", "luong2015.pairs: 'fr-en' comes twice"),
        ("papers: {luong2015: {test_sets: [dev, dev]}}", "luong2015.test_sets: 'dev' comes twice"),
        ("test_sets: [tests]", "unknown set 'tests' .did you mean 'test'"),
        ("seed: one", "mine.yaml:1: seed: 'one'"),
        ("seed: 1e-3", "write 1.0e-3"),
        ("seed: 1e3", "write 1000"),
        ("seed: 1.5e0", r"write 1.5e\+0"),
        ("seed: 010", "mine.yaml:1: 010 is 8 to YAML"),
        ("\nseed: -1", "mine.yaml:2: seed: -1 must be at least 0"),
        ("translation_model: {symmetrisation: grow}", "'grow' is not .*grow-diag-final-and"),
        ("decoder: {engine: mose}", "mine.yaml:1: decoder.engine: 'mose' is not .*mean 'moses'"),
        (
            "demo_pair: fr-en\nsplit: {max_tokens: 3}",
            "mine.yaml:2: split: min_tokens, 4, is above max_tokens .at most 3.",
        ),
        (
            "corpora: {libreoffice-help: {split: {dev: null, min_tokens: 61}}}",
            "mine.yaml:1: corpora.libreoffice-help.split: min_tokens, 61, is above max_tokens",
        ),
        (
            "split: {max_tokens: 40}\ncorpora:\n  gimp-help: {split: {min_tokens: 41}}",
            "mine.yaml:3: corpora.gimp-help.split: min_tokens, 41, is above max_tokens",
        ),
        ("classes: {count: 1}", "mine.yaml:1: classes.count: 1 must be at least 2"),
        ("decoder: {shards: 0}", "decoder.shards: 0 must be at least 1"),
        ("language_models: {kn5: {ordre: 5}}", "kn5.ordre: unknown key .*did you mean 'order'"),
        ("language_models: {kn6: {kind: trigram}}", "kn6: kind: 'trigram' is not allowed .*ngram"),
        (
            "language_models: {nec: {dim: 100}}",
            "nec: the key kind is missing .allowed: ngram.*; did you mean the entry 'nce'",
        ),
        (
            "systems: {nlm_decodr: {start_from: null}}",
            "nlm_decodr.label: this key is missing; did you mean the entry 'nlm_decoder'",
        ),
        ("corpora: {libreoffice-help: {langauges: {}}}", "langauges: unknown key .*'languages'"),
        (
            "corpus: mine\npairs: [fr-en]\ncorpora:\n  mine: {kind: file, "
            "languages: {fr: French, en: English}, files: {whole: mine.txt}}",
            r"mine.yaml:4: corpora.mine: .*files.whole: mine.txt: one file for both lang",
        ),
        ("papers: {luong2015: {pears: []}}", "papers.luong2015.pears: unknown key .*'pairs'"),
        ("papers: {luong: {}}", "papers.luong: unknown key .*luong2015"),
        ("download: {lock: /etc/passwd}", "download.lock: .*below the project's folder"),
        ("download: {lock: a/../../b}", "download.lock: .*below the project's folder"),
        ("corpora: {..: {kind: apt}}", r"corpora\.\.\."),
        ("language_models: {../x: {kind: ngram}}", r"language_models\.\.\./x"),
        ("texts: {../x: {}}", r"texts\.\.\./x"),
        ("held_out: {../x: {}}", r"held_out\.\.\./x"),
        ("systems: {../x: {label: x}}", r"systems\.\.\./x"),
        ("[1]", "not a mapping"),
        ("a: [", "mine.yaml:1: not YAML"),
        ("text:\n\tcasing: keep", "mine.yaml:2: not YAML: a tab; YAML is indented with spaces"),
    ],
)
def test_fault_names_file_line_key_and_what_is_allowed(
    change: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(change)
    with pytest.raises(InputError, match=expected):
        run(["check", str(path)])


def test_entries_that_null_may_leave_out(tmp_path: Path) -> None:
    path, entry = tmp_path / "mine.yaml", {"label": "x"}
    values = {"language_models": {}, "systems": {"mine": entry, "other": None}}
    path.write_text("systems: {mine: {label: x}, other: {label: y}}")  # null: on the command line
    check_nulls(values, [path], ())
    path.write_text("systems: {other: null}")  # laid over the default by a module
    check_nulls(values, [path], ())
    path.write_text("systems: {mine: {label: x}, other: null}")
    with pytest.raises(InputError, match=r"systems\.other: left out by null, but no file"):
        check_nulls(values, [path], ())


def test_generated_files_are_as_generated() -> None:
    for path, text in generated().items():
        assert (ROOT / path).read_text() == text, "run make generated"


def test_files_name_their_schema() -> None:
    schema = ROOT / "workflow/schemas/config.schema.json"
    for path in (
        Path("config.yaml"),
        *Path("config").glob("*.yaml"),
        *Path("config/papers").glob("*.yaml"),
    ):
        first = path.read_text().partition("\n")[0]
        _, _, address = first.partition("# yaml-language-server: $schema=")
        assert (path.parent / address).resolve() == schema


def test_every_key_has_a_description() -> None:
    def walk(schema: dict[str, Any], where: str) -> None:
        for name, sub in schema.get("properties", {}).items():
            assert sub.keys() & {"description", "$ref"}, f"{where}.{name}"
        for name, sub in schema.get("$defs", {}).items():
            assert sub.get("description"), name
            walk(sub, name)

    walk(config_group(dict(PAPERS.items())).model_json_schema(), "config.yaml")


def test_defaults_are_those_of_the_default_configuration() -> None:
    """What config.yaml spells out for readers is what applies where a key is left out."""
    group = config_group(dict(PAPERS.items()))
    values = yaml.safe_load((ROOT / "config.yaml").read_text())
    for section in ("split", "text", "classes", "translation_model", "decoder", "tuning"):
        defaults = group.model_fields[section].default.model_dump(mode="json")
        assert values[section] == {key: defaults[key] for key in values[section]}, section


def test_another_corpus_in_the_folder_of_the_default_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "mine.yaml"
    said = "debian-handbook will replace those of libreoffice-help in results/help"
    path.write_text("corpus: debian-handbook\npairs: [ar-en]\n")
    assert run(["check", str(path)]) == 0
    assert said in caplog.text
    caplog.clear()
    path.write_text("corpus: debian-handbook\npairs: [ar-en]\ntask: handbook\n")
    assert run(["check", str(path)]) == 0
    assert said not in caplog.text


def test_a_check_runs_no_plugin_of_a_stranger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLUGINS, "")
    plugin, config, ran = (tmp_path / name for name in ("plugin.py", "theirs.yaml", "ran"))
    plugin.write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")
    config.write_text(f"plugins: [{plugin}]\n")
    with pytest.raises(
        InputError, match=r"theirs.yaml: it names plugins: programs, which a check would run"
    ):
        run(["check", str(config)])
    assert not ran.exists()
    assert run(["check", str(config), "--plugins"]) == 0
    assert ran.exists()


def test_a_check_runs_no_code_in_a_strangers_file(tmp_path: Path) -> None:
    """Snakemake would: for it, YAML with this key is a template."""
    config, ran = tmp_path / "theirs.yaml", tmp_path / "ran"
    code = f"import pathlib; pathlib.Path({str(ran)!r}).touch()"
    config.write_text(f"__use_yte__: true\n__definitions__: [{json.dumps(code)}]\n")
    with pytest.raises(InputError, match=r"theirs.yaml.*__use_yte__"):
        run(["check", str(config)])
    assert not ran.exists()
    load_configfile(config)
    assert ran.exists()


def test_values_of_the_command_line_have_the_types_of_yaml() -> None:
    """Snakemake reads lists and mappings there, and leaves what is in them text."""
    given = {
        "pairs": ["fr-en"],
        "runs": ["1", "2"],
        "seed": 3,
        "task": "2012-01-01",
        "decoder": {"shards": "20", "engine": "nlmt"},
        "language_models": {"nce": {"dropout": "0.5", "noise": "null"}},
        "systems": {"mine": {"label": "mine: first"}},
    }
    assert with_yaml_types(given) == {
        "pairs": ["fr-en"],
        "runs": [1, 2],
        "seed": 3,
        "task": "2012-01-01",
        "decoder": {"shards": 20, "engine": "nlmt"},
        "language_models": {"nce": {"dropout": 0.5, "noise": None}},
        "systems": {"mine": {"label": "mine: first"}},
    }
