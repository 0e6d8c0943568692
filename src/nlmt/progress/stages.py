"""Stages of the pipeline, by the names of rules."""

# A rule belongs to the stage that has the longest beginning of its name.
STAGES: dict[str, tuple[str, ...]] = {
    "corpus": ("download_corpus", "extract_bitext", "extract_held_out", "extract_reference"),
    "text": (
        *("prepare_", "gather_text", "count_", "write_corpus_statistics"),
        *("encode_text", "cluster_", "train_truecaser", "train_recaser", "train_pieces"),
    ),
    "translation model": (
        *("align_", "symmetrise_alignments", "extract_phrases", "attach_", "extract_tuple"),
        *("filter_", "binarise_tables", "write_moses_ini", "write_set_ini", "write_shard_ini"),
    ),
    "language models": ("train_", "measure_"),
    "tuning": ("tune_weights",),
    "decoding": (
        *("decode", "gather_shards", "import_list", "measure_decoding", "measure_memory"),
    ),
    "rescoring": ("rescore_", "tune_reranking", "rerank_nbest", "search_", "measure_search"),
    "results": (
        *("evaluate_system", "compare_sentences", "write_report", "write_paper"),
        *("draw_paper_figure", "judge_claims", "write_systems", "finish_translations"),
    ),
}
OTHER = "other"


def stage_of(rule: str) -> str:
    """The stage of a rule; `OTHER` for one that is in none, as the names of targets."""
    found = [
        (len(beginning), stage)
        for stage, beginnings in STAGES.items()
        for beginning in beginnings
        if rule.startswith(beginning)
    ]
    return max(found, default=(0, OTHER))[1]
