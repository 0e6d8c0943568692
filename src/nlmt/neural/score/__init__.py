"""Log-probabilities of words, n-grams and sentences."""
