"""The scale mini over a copy of the WMT site that the test makes and serves."""

import io
import subprocess
import sys
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml
from conftest import GOLDEN, ROOT

from nlmt.text.statistics import TextSize, read_sizes


def lines(name: str) -> list[str]:
    return (GOLDEN / name).read_text().splitlines()


def write_archive(path: Path, members: dict[str, list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            content = "".join(f"{line}\n" for line in text).encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def sgm(kind: str, text: list[str]) -> list[str]:
    """A test set of one document: kind is src or ref."""
    attributes = 'setid="toy" srclang="fr"' + (' trglang="en"' if kind == "ref" else "")
    segments = [f'<seg id="{number}">{line}</seg>' for number, line in enumerate(text, start=1)]
    document = ['<doc docid="one" sysid="toy">', *segments, "</doc>"]
    return [f"<{kind}set {attributes}>", *document, f"</{kind}set>"]


def make_site(folder: Path) -> None:
    """What the official site has for French and English, of the toy sentences."""
    train = {language: lines(f"train.{language}") for language in ("fr", "en")}
    write_archive(
        folder / "wmt13/training-parallel-europarl-v7.tgz",
        {f"training/europarl-v7.fr-en.{code}": text[:400] for code, text in train.items()},
    )
    write_archive(
        folder / "wmt14/training-parallel-nc-v9.tgz",
        {f"training/news-commentary-v9.fr-en.{code}": text[400:] for code, text in train.items()},
    )
    for year, text in ((2008, train["en"][:50]), (2012, ["an unknownword"])):
        write_archive(
            folder / f"wmt14/training-monolingual-news-{year}.tgz",
            {f"training-monolingual/news.{year}.en.shuffled": text},
        )
    for archive, path, part in (
        ("dev", "dev/newstest2013", "dev"),
        ("test-full", "test-full/newstest2014-fren", "test"),
    ):
        texts = {
            f"{path}-{kind}.{code}.sgm": sgm(kind, lines(f"{part}.{code}"))
            for kind, code in (("src", "fr"), ("ref", "en"))
        }
        write_archive(folder / f"wmt14/{archive}.tgz", texts)


def test_corpora_of_wmt_from_the_download_to_prepared_texts(tmp_path):
    make_site(tmp_path / "site")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        mirrors = {"http://127.0.0.1:8014/": [f"http://127.0.0.1:{server.server_port}/"]}
        mine = tmp_path / "mine.yaml"
        mine.write_text(yaml.safe_dump({"scale": "mini", "download": {"mirrors": mirrors}}))
        sizes = "results/wmt14-mini/fr-en/text/corpus_statistics.tsv"
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
        command += ["--directory", str(tmp_path), "--cores", "2", "--scheduler", "greedy"]
        command += [sizes, "--configfile", "mine.yaml"]
        result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=900)
        server.shutdown()
    assert result.returncode == 0, result.stdout + result.stderr
    found = read_sizes(tmp_path / sizes)
    distinct = len(set(zip(lines("train.fr"), lines("train.en"), strict=True)))
    assert found["train", "fr"].sentences == found["train", "en"].sentences == distinct
    assert found["dev", "en"].sentences == found["test", "fr"].sentences == 30
    # Every sentence of news is there; its words that the bitext does not have are <unk>.
    text = found["texts/default", "en"]
    assert text.sentences == distinct + 51
    assert text == TextSize(text.sentences, text.tokens, found["train", "en"].words)
    assert (tmp_path / "data/raw/mini.lock").exists()
