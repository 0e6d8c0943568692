"""What training makes small, in torch; each is a sum over a batch. The kernel has the same."""

import math

import torch
from torch import Tensor
from torch.nn import functional

from nlmt.neural.direct_features import Direct
from nlmt.neural.noise import Noise, NoiseModel
from nlmt.neural.outputs import ClassOutput, FullOutput, Output, scores_of


def likelihood_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    alpha: float = 0.0,
    direct: Direct | None = None,
) -> Tensor:
    """Minus the natural-log probability and `alpha` (log Z)^2 of each normaliser, summed.

    With alpha > 0 it is the self-normalised objective of Devlin et al. 2014.
    """
    scores, log_z = output.scores(hidden, words, direct)
    return (log_z + alpha * log_z**2).sum() - scores.sum()


def contrast_loss(scores: Tensor, log_noise: Tensor) -> Tensor:
    """Loss of telling the first choice of each row from the others, which are noise.

    Gutmann and Hyvarinen 2010; Mnih and Teh 2012, with the model's normaliser held at 1.

    Args:
        scores: (batch, 1 + k) unnormalised natural-log probabilities of the model.
        log_noise: (batch, 1 + k) natural-log probabilities of the noise distribution.

    Returns:
        (batch,) the loss of each row.
    """
    margin = scores - log_noise - math.log(scores.shape[1] - 1)
    return -functional.logsigmoid(margin[:, 0]) - functional.logsigmoid(-margin[:, 1:]).sum(1)


def noise_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    drawn: Noise,
    model: NoiseModel,
    direct: Direct | None = None,
) -> Tensor:
    """NCE with noise of each example, or with noise that all of them share."""
    loss = shared_nce_loss if drawn.shared else nce_loss
    return loss(output, hidden, words, drawn.classes, drawn.words, model, direct)


def nce_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    noise_classes: Tensor,
    noise_words: Tensor,
    noise: NoiseModel,
    direct: Direct | None = None,
) -> Tensor:
    """NCE on the class and on the word within its class, summed over the batch.

    With a full output the classes are the words themselves. A word that is alone in its class
    needs no telling apart. `direct` adds to the activations what the n-grams before the words give.
    """

    def scored(weight: Tensor, bias: Tensor, choices: Tensor, rows: Tensor) -> Tensor:
        found = output.rows_of(weight, choices), bias[choices][:, None]
        scores = scores_of(hidden[:, None], *found).squeeze(1)
        return scores if direct is None else scores + direct.activations(rows)

    words = words.to(hidden.device, non_blocking=True)
    if isinstance(output, FullOutput):
        choices = torch.cat([output.rows(words)[:, None], noise_classes], dim=1)  # (batch, 1 + k)
        scores = scored(output.output_weight, output.output_bias, choices, choices)
        return contrast_loss(scores, noise.log_class[choices]).sum()
    assert isinstance(output, ClassOutput)
    own = output.class_of[words]
    choices = torch.cat([own[:, None], noise_classes], dim=1)
    scores = scored(output.class_weight, output.class_bias, choices, choices)
    loss = contrast_loss(scores, noise.log_class[choices]).sum()
    several = (output.members[own] >= 0).sum(1) > 1
    choices = torch.cat([words[:, None], noise_words], dim=1)
    scores = scored(output.word_weight, output.word_bias, choices, output.row[choices])
    within = contrast_loss(scores, noise.log_word[choices])
    return loss + within.masked_fill(~several, 0.0).sum()


def shared_nce_loss(
    output: Output,
    hidden: Tensor,
    words: Tensor,
    noise_classes: Tensor,
    noise_words: Tensor,
    noise: NoiseModel,
    direct: Direct | None = None,
) -> Tensor:
    """The same as `nce_loss` where examples share noise, as dense products.

    Args:
        output: class-factored or full.
        hidden: (batch, h).
        words: (batch,), best on the CPU.
        noise_classes: (k,) of all examples.
        noise_words: (K, k) of the examples of each class.
        noise: the distributions.
        direct: see `nce_loss`.
    """
    on_device = words.to(hidden.device, non_blocking=True)

    def told(
        after: tuple[Tensor, Direct | None],
        own: Tensor,
        drawn: Tensor,
        noisy: Tensor,
        table: tuple[Tensor, Tensor, Tensor],
        row: Tensor | None = None,
    ) -> Tensor:
        """Loss of telling `own` (n,) from `drawn` (n, k), which have the scores `noisy`.

        `table` has weights, biases and logarithms of the noise; `row` the rows under `direct`.
        """
        (hidden, direct), (weight, bias, log) = after, table
        first = (hidden * output.rows_of(weight, own)).sum(1) + bias[own]
        scores = torch.cat([first[:, None], noisy], 1)
        choices = torch.cat([own[:, None], drawn], 1)  # (n, 1 + k)
        if direct is not None:
            scores = scores + direct.activations(choices if row is None else row[choices])
        return contrast_loss(scores, log[choices]).sum()

    if isinstance(output, FullOutput):
        own = output.rows(on_device)
        table = output.output_weight, output.output_bias, noise.log_class
    else:
        assert isinstance(output, ClassOutput)
        own = output.class_of[on_device]
        table = output.class_weight, output.class_bias, noise.log_class
    weight, bias, _ = table
    noisy = scores_of(hidden, output.rows_of(weight, noise_classes), bias[noise_classes])
    every = noise_classes.expand(len(own), -1)
    loss = told((hidden, direct), own, every, noisy, table)
    if isinstance(output, FullOutput):
        return loss
    assert isinstance(output, ClassOutput)
    ordered = output.groups(words).to(hidden.device)
    order, groups = ordered.order, ordered.groups
    if not groups:
        return loss
    of_class = [noise_words[group.classes] for group in groups]
    noisy = torch.cat(output.of_groups(hidden, ordered, of_class))
    drawn = torch.cat([group.repeat(words) for group, words in zip(groups, of_class, strict=True)])
    after = hidden.index_select(0, order), direct and direct.select(order)
    table = output.word_weight, output.word_bias, noise.log_word
    return loss + told(after, on_device[order], drawn, noisy, table, output.row)
