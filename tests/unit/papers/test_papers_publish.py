"""Published results: what they keep of a run, and that verdicts are those of the present rules."""

import json
import shutil
import subprocess
from html import escape
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from interruptions import check_command
from paper_artefacts import (
    ROOT,
    VALUES,
    MakeTables,
    paper_results,
    write_corpus_sizes,
    write_job,
    write_json,
)

from nlmt.cli import main
from nlmt.cli.papers import PUBLISHED
from nlmt.errors import InputError
from nlmt.io.files import file_hash
from nlmt.papers import PAPERS
from nlmt.papers.publish import (
    _outside,
    derive,
    publish,
    published_places,
    read_publications,
    read_published_pair,
)
from nlmt.papers.results import read_frame
from nlmt.provenance.timeline import read_jobs
from tools import write_tables

PLACES = [place for key in PAPERS.names() for place in published_places(ROOT / PUBLISHED, key)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, tables_of: MakeTables) -> Path:
    """Results of a paper on two pairs, with the records of some of its jobs."""
    results = tmp_path_factory.mktemp("made") / "results"
    paper_results(results / "papers", "schwenk2010", tables_of, ("fr-en", "ja-en"))
    a, b, c = (f"results/help/{name}" for name in "abc")
    tables = sorted((results / "papers/schwenk2010").glob("*.tsv"))
    digests = {str(table.relative_to(results.parent)): file_hash(table) for table in tables}
    jobs = {
        "table": {"inputs": {a: "", b: ""}, "outputs": digests},
        "fr": {
            "wildcards": {"task": "help", "src": "fr", "tgt": "en"},
            "params": {"seed": 7, "seeds": [1, 2]},
            "outputs": {a: ""},
            "started": "2025-12-31T00:00:00+00:00",
        },
        "ja": {
            "wildcards": {"task": "help", "src": "ja", "tgt": "en"},
            "outputs": {b: ""},
            "commit": "def",
        },
        "other": {"outputs": {c: ""}, "seconds": 1000.0},
    }
    for name, changes in jobs.items():
        write_job(results, name, changes)
    write_corpus_sizes(results / "help/fr-en/text/corpus_statistics.tsv", "fr-en")
    return results


@pytest.fixture(scope="module")
def published(made: Path) -> Path:
    """The publication of runs by the present rules."""
    publish(made, made.parent / "published", ROOT)
    return made.parent / "published"


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    """A copy of the results that a test may change."""
    return Path(shutil.copytree(made, tmp_path / "results"))


def at_another_scale(run: Path, task: str, tokens: int) -> None:
    """Make the records and sizes of a run those of another task."""
    for path in (run / "provenance/jobs").iterdir():
        path.write_text(path.read_text().replace('"help"', f'"{task}"'))
    (run / "help").rename(run / task)
    sizes = run / task / "fr-en/text/corpus_statistics.tsv"
    sizes.write_text(sizes.read_text().replace("\t450000\t", f"\t{tokens}\t"))


def test_a_run_is_published_by_pair_and_judged_as_it_was(made: Path, published: Path) -> None:
    places = [published / "schwenk2010/small" / pair for pair in ("fr-en", "ja-en")]
    verdicts = read_frame(made / "papers/schwenk2010/claims.tsv")
    for place in places:
        pair = place.name
        own = verdicts[verdicts["pair"] == pair].reset_index()
        kept = read_frame(place / "claims.tsv")
        assert kept["verdict"].tolist() == own["verdict"].tolist()
        assert kept["claim"].tolist() == own["claim"].tolist()
        assert "<svg" in (place / "table1.svg").read_text()
        assert "fr-en ja-en".replace(pair, "").strip() not in (place / "table1.tsv").read_text()
    assert sum(path.stat().st_size for path in places[0].iterdir()) < 90_000
    before = {path: path.read_bytes() for path in published.rglob("*.*")}
    assert publish(made, published, ROOT) == places
    assert {path: path.read_bytes() for path in published.rglob("*.*")} == before
    (publication,) = read_publications(published, "schwenk2010", VALUES)
    pairs = ["ja-en", "fr-en"]  # the order of the paper
    assert list(publication.records) == publication.results.pairs == pairs
    assert len(publication.results.verdicts) == len(verdicts)


def test_the_record_is_of_the_jobs_behind_the_tables_of_a_pair(published: Path) -> None:
    record = json.loads((published / "schwenk2010/small/fr-en/record.json").read_text())
    assert (record["task"], record["seeds"], record["runs"]) == ("help", [7], [1, 2])
    assert (record["scale"], record["words"]) == ("small", {"train": 450_000})
    assert (record["commits"], record["versions"]) == (["abc"], {"numpy": "2.0"})
    assert (record["jobs"], record["seconds"], record["cpu_seconds"]) == (2, 4, 6)
    assert record["begun"] == "2025-12-31T00:00:00+00:00"
    assert record["signatures"] == ["BLEU|version:2"]
    jobs = read_jobs(published / "schwenk2010/small/fr-en/jobs.tsv")
    assert {name: job.after for name, job in jobs.items()} == {"fr": set(), "table": {"fr"}}


def test_the_page_has_findings_scores_and_what_made_them(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_tables, "PUBLISHED", published)
    text = write_tables.with_tables("<!-- table: results-schwenk2010 -->\n<!-- end of table -->")
    assert "Nothing of zh-en, it-en has been published yet." in text
    (publication,) = read_publications(published, "schwenk2010", VALUES)
    results = publication.results
    for claim in results.claims():
        assert claim.statement in text
    assert "](results/papers/schwenk2010/small/ja-en/table1.svg)" in text
    made = "2 jobs, 6.0 s of processor | 1, 2 | abc | a processor |"
    assert f"small/fr-en/record.json) | small | 450,000 | {made}" in text
    for label in set(results.tables["test_sets"]["row"]):
        assert f"<td>{escape(label)}</td>" in text
    assert write_tables.with_tables(text) == text
    findings, picture, scores = (
        text.index(part) for part in ("<div", "![", "<details>\n<summary>BL")
    )
    assert findings < picture < scores
    for html in (text[findings:picture].rstrip(), text[scores : text.index("</table>")]):
        assert "\n\n" not in html  # a blank line ends HTML in Markdown
    nothing = write_tables.with_tables("<!-- table: results-auli2013 -->\n<!-- end of table -->")
    assert "Nothing of fr-en, de-en, en-de has been published yet." in nothing


def test_ctrl_c_ends_it(made: Path, tmp_path: Path) -> None:
    command = ["papers", "publish", str(made), "--out", str(tmp_path / "published")]
    check_command(lambda: main(command))


def publish_records(run: Path, folder: Path) -> list[Path]:
    """Publish a run without verdicts and figures, which take seconds; the places of its pairs."""
    with mock.patch("nlmt.papers.publish.derive"):
        return publish(run, folder, ROOT)


def warnings_of(run: Path, folder: Path) -> dict[str, list[str]]:
    """The warnings in the records of the pairs of a run, without those on commits."""
    found = {}
    for place in publish_records(run, folder):
        warnings = json.loads((place / "record.json").read_text())["warnings"]
        found[place.name] = [one for one in warnings if not one.startswith("commit")]
    return found


def test_mixed_code_of_a_pair_is_in_its_record_on_its_page_and_logged(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "published"
    assert warnings_of(run, folder) == {"fr-en": [], "ja-en": []}
    for name, changes in {
        "table": {"modules": {"nlmt.io.files": "0"}, "versions": {"numpy": "2.0"}},
        "fr": {
            "modules": {"nlmt.io.files": "1"},
            "versions": {"numpy": "2.1"},
            "stretches": [{"nlmt.io.files": "1", "torch": "2.9"}],
        },
    }.items():
        path = run / f"provenance/jobs/{name}.json"
        write_json(path, json.loads(path.read_text()) | changes)
    found = warnings_of(run, folder)
    assert found["ja-en"] == []
    (warning,) = found["fr-en"]
    assert warning.endswith("after a change of the code of nlmt.io.files, numpy")
    assert warning in caplog.text
    record = json.loads((folder / "schwenk2010/small/fr-en/record.json").read_text())
    assert record["versions"] == {"numpy": "2.0, 2.1", "torch": "2.9"}
    monkeypatch.setattr(write_tables, "PUBLISHED", folder)
    page = write_tables.results_of("schwenk2010")
    assert f"Warning, fr-en, small: {warning}.\n" in page
    assert "Warning, ja-en, small: these" not in page


def test_files_that_are_not_current_or_unknown_are_named(run: Path, tmp_path: Path) -> None:
    table = run / "papers/schwenk2010/table1.tsv"
    table.write_text(table.read_text().replace("1", "2"))
    changed = f"{table.relative_to(tmp_path)} is not current: it was changed after"
    assert warnings_of(run, tmp_path / "published") == {
        pair: [f"{changed} write_paper_table made it"] for pair in ("fr-en", "ja-en")
    }
    job = json.loads((run / "provenance/jobs/table.json").read_text())
    write_json(
        run / "provenance/jobs/table.json", job | {"inputs": job["inputs"] | {"results/mean": ""}}
    )
    unknown = "no record that this version reads says which code made results/mean"
    assert warnings_of(run, tmp_path / "published")["fr-en"][0] == unknown


def test_tables_that_a_run_lacks_are_named(run: Path, tmp_path: Path) -> None:
    (run / "papers/schwenk2010/table2.tsv").unlink()
    lacking = ["the run has not made table2"]
    assert warnings_of(run, tmp_path / "published") == {"fr-en": lacking, "ja-en": lacking}


@pytest.mark.parametrize("git", ["there", "missing", "no repository"])
def test_commits_outside_of_the_history_are_named(
    git: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit(message: str) -> str:
        run_git("commit", "-q", "--allow-empty", "-m", message)
        return run_git("rev-parse", "HEAD")

    def run_git(*arguments: str) -> str:
        names = ["-c", "user.name=n", "-c", "user.email=e"]
        command = ["git", "-C", str(tmp_path), *names, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    if git == "no repository":
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
        assert list(_outside(["abc"], tmp_path)) == []
        return
    run_git("init", "-q")
    first, other = commit("first"), commit("other")
    run_git("reset", "-q", "--hard", first)
    head = commit("head")
    if git == "missing":
        monkeypatch.setenv("PATH", str(tmp_path))
    named = [] if git == "missing" else [other, "0" * 40, "--help"]
    assert list(_outside(["", first, other, head, "0" * 40, "--help"], tmp_path)) == [
        f"commit {commit} is no ancestor of the project's HEAD" for commit in named
    ]


def test_another_run_replaces_its_own_pairs_alone(
    run: Path, published: Path, tmp_path: Path, tables_of: MakeTables
) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "published"))
    own, other = (folder / "schwenk2010/small" / pair for pair in ("fr-en", "ja-en"))
    kept = (other / "table1.tsv").read_bytes()
    (own / "former.tsv").write_text("")
    paper_results(run / "papers", "schwenk2010", tables_of, ["fr-en"])
    assert publish_records(run, folder) == [own]
    assert not (own / "former.tsv").exists()
    assert (other / "table1.tsv").read_bytes() == kept


def test_a_joined_run_keeps_the_former_tables_that_it_lacks(
    run: Path, published: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "published"))
    place = folder / "schwenk2010/small/fr-en"
    record = json.loads((place / "record.json").read_text())
    kept = (place / "table2.tsv").read_text()
    part = "schwenk2010_neural_tm"
    assert part in kept
    record |= {
        "untrained": [part, part[:-1], "gone"],
        "begun": "2025-01-01T00:00:00+00:00",
        "seeds": [3],
    }
    record["warnings"] = ["an old one", "the run has not made table1", "the run has not made text"]
    write_json(place / "record.json", record)
    for lacking in ("table2", "text"):
        (run / f"papers/schwenk2010/{lacking}.tsv").unlink()
        (place / "text.tsv").unlink(missing_ok=True)
    job = run / "provenance/jobs/fr.json"
    changed = json.loads(job.read_text()) | {"commit": "new", "seconds": 100.0}
    write_json(job, changed | {"versions": {"numpy": "2.1"}})
    with mock.patch("nlmt.papers.publish.derive"):
        publish(run, folder, ROOT, join=True)
    both = json.loads((place / "record.json").read_text())
    assert (place / "table2.tsv").read_text() == kept
    assert (both["jobs"], both["seconds"], both["seeds"]) == (2, 102, [3, 7])
    assert (both["commits"], both["versions"]) == (["abc", "new"], {"numpy": "2.0, 2.1"})
    assert (both["begun"], both["untrained"]) == ("2025-01-01T00:00:00+00:00", [part])
    warnings = [one for one in both["warnings"] if not one.startswith("commit")]
    former = "of the former run (commit abc): table2"
    assert warnings == ["the run has not made text", former, "an old one"]


def test_runs_on_different_texts_are_not_joined(run: Path, published: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "published"))
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    (run / "papers/schwenk2010/table2.tsv").unlink()
    sizes = run / "help/fr-en/text/corpus_statistics.tsv"
    sizes.write_text(sizes.read_text().replace("\t450000\t", "\t460000\t"))
    what = "train has 450,000 words there, 460,000 in this run"
    with pytest.raises(InputError, match=what):
        publish(run, folder, ROOT, join=True)
    assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before


def test_a_run_at_another_scale_stands_beside_the_first(
    run: Path, published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(published, tmp_path / "published"))
    before = {path: path.read_bytes() for path in folder.rglob("*.*")}
    at_another_scale(run, "medium", 12_000_000)
    publish_records(run, folder)
    assert {path: path.read_bytes() for path in before} == before
    found = read_publications(folder, "schwenk2010", VALUES)
    sizes = [(one.scale, one.words("fr-en", "train")) for one in found]
    assert sizes == [("small", 450_000), ("medium", 12_000_000)]
    monkeypatch.setattr(write_tables, "PUBLISHED", folder)
    page = write_tables.results_of("schwenk2010")
    heads = ["<small>small</small>", "<small>medium</small>"]
    assert [page.count(head) for head in heads] == [2, 2]  # of each pair
    assert page.index(heads[0]) < page.index(heads[1])
    assert "small 0.45, medium 12, the paper 0.3" in page


def test_a_task_of_another_configuration_is_a_scale_of_its_own(run: Path, tmp_path: Path) -> None:
    at_another_scale(run, "tenth", 60_000)
    places = publish_records(run, tmp_path / "published")
    assert {place.parent.name for place in places} == {"tenth"}


def test_tables_that_no_job_made_are_refused(run: Path, tmp_path: Path) -> None:
    shutil.rmtree(run / "provenance")
    with pytest.raises(InputError, match="no record of what made its tables"):
        publish(run, tmp_path / "published", ROOT)


def test_tables_of_several_tasks_are_refused(run: Path, tmp_path: Path) -> None:
    path = run / "provenance/jobs/table.json"
    write_json(path, json.loads(path.read_text()) | {"wildcards": {"task": "medium"}})
    with pytest.raises(InputError, match="of several tasks: help, medium"):
        publish(run, tmp_path / "published", ROOT)
    assert not (tmp_path / "published").exists()


def test_systems_that_were_not_trained_stay_so(run: Path, tmp_path: Path) -> None:
    path = run / "papers/schwenk2010/comparisons.tsv"
    frame = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False)
    frame.loc[frame["pair"] == "fr-en", "untrained"] = "schwenk2010_cslm"
    frame.to_csv(path, sep="\t", index=False)
    places = publish_records(run, tmp_path / "published")
    fr, ja = (read_published_pair(place, VALUES).verdicts["verdict"].tolist() for place in places)
    assert "not trained" in fr
    assert "not trained" not in ja


def test_records_and_sizes_of_an_earlier_version_are_named(
    run: Path, published: Path, tmp_path: Path
) -> None:
    place = Path(shutil.copytree(published, tmp_path / "published")) / "schwenk2010/small/fr-en"
    record = json.loads((place / "record.json").read_text())
    del record["untrained"]
    write_json(place / "record.json", record)
    with pytest.raises(InputError, match=r"record.json: no 'untrained' \(made by an earlier"):
        read_published_pair(place, VALUES)
    sizes = run / "help/fr-en/text/corpus_statistics.tsv"
    sizes.write_text(sizes.read_text().splitlines()[0] + "\n")
    with pytest.raises(InputError, match=r"corpus_statistics.tsv: no \('.*, 'en'\) \(made by an"):
        publish(run, tmp_path / "again", ROOT)


def test_results_without_papers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no table of a paper"):
        publish(tmp_path, tmp_path / "published", ROOT)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(place.parts[-3:]))
def test_published_verdicts_and_figures_are_by_present_rules(place: Path, tmp_path: Path) -> None:
    again = tmp_path.joinpath(*place.parts[-3:])
    shutil.copytree(place, again)
    derive(again, VALUES)
    for path in again.iterdir():
        assert path.read_bytes() == (place / path.name).read_bytes(), "make generated"


@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(place.parts[-3:]))
def test_the_publication_of_a_pair_is_small(place: Path) -> None:
    assert sum(path.stat().st_size for path in place.iterdir()) < 250_000


def test_the_page_says_what_a_text_gives_of_its_figure() -> None:
    said = write_tables.said_of_figure("baltescu2015")
    assert "back-off / all text: memory 12 GB (section 7)" in said
    assert "neural / D of the tables: BLEU 31.55 (section 7, table 6)" in said
    assert "largest models: BLEU more than 0.50 (section 8)" in said
    assert write_tables.said_of_figure("auli2013").endswith("text gives none of its values.\n")
    assert write_tables.said_of_figure("schwenk2010") == ""  # drawn beside ours


def test_a_published_figure_has_the_panels_of_the_paper() -> None:
    svg = (ROOT / PUBLISHED / "schwenk2010/small/fr-en/table1.svg").read_text(encoding="utf-8")
    for panel in ("fr-en, here", "zh-en, the paper", "ja-en, the paper", "it-en, the paper"):
        assert f">{panel}<" in svg


@pytest.mark.parametrize("command", [["publish", "."], ["compare", ".", "."]])
def test_values_of_the_papers_are_asked_for(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nlmt.cli.papers.project_folder", Path)
    assert main(["papers", *command]) == 1
    assert "config/papers: no such folder (run it in a checkout of" in capsys.readouterr().err
