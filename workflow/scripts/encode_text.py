"""Write a text as numbers that training maps into memory (rules encode_text, encode_texts)."""

import logging
from pathlib import Path

from nlmt.io.files import scratch_folder
from nlmt.neural import encode_texts
from nlmt.workflow.job import workflow_job

if __name__ == "__main__":
    with workflow_job(snakemake):
        texts, ids = [Path(path) for path in snakemake.input.texts], Path(snakemake.output.ids)
        # Texts of one model share one vocabulary; this job keeps one of the texts.
        wanted = f"{snakemake.wildcards.text.rpartition('/')[2]}.gz"
        with scratch_folder(ids) as scratch:
            outputs = [ids if text.name == wanted else scratch / text.name for text in texts]
            least = int(snakemake.wildcards.least)
            vocabulary, _ = encode_texts(texts, outputs, min_count=least)
        logging.info("words in the vocabulary: %d", len(vocabulary))
