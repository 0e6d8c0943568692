"""The source side as further input: vectors, and how they are learnt."""
