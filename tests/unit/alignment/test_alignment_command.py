"""`nlmt align` on a few sentences."""

from pathlib import Path

from nlmt.cli import main

GOLDEN = Path(__file__).parents[2] / "golden"


def test_a_text_and_a_second_one_by_its_links(tmp_path: Path) -> None:
    texts = {}
    for side in ("fr", "en"):
        lines = (GOLDEN / f"train.{side}").read_text(encoding="utf-8").splitlines(keepends=True)
        for part, chosen in (("train", lines[20:]), ("dev", lines[:20])):
            texts[part, side] = tmp_path / f"{part}.{side}"
            texts[part, side].write_text("".join(chosen), encoding="utf-8")
    train, dev, links = (
        [str(texts["train", "fr"]), str(texts["train", "en"])],
        [str(texts["dev", "fr"]), str(texts["dev", "en"])],
        [str(tmp_path / name) for name in ("forward", "reverse")],
    )
    out = tmp_path / "train.align"
    command = ["align", "--source", train[0], "--target", train[1], "--out", str(out)]
    assert main([*command, "--directed", *links]) == 0
    assert not list(tmp_path.glob(".*"))
    out = tmp_path / "dev.align"
    command = ["align", "--source", dev[0], "--target", dev[1], "--out", str(out)]
    assert main([*command, "--like", *train, *links]) == 0
    reference = (GOLDEN / "fwd.align").read_text().splitlines()[:20]
    found = out.read_text().splitlines()
    common = sum(
        len(set(a.split()) & set(b.split())) for a, b in zip(found, reference, strict=True)
    )
    assert common > 0.9 * sum(len(line.split()) for line in reference)
