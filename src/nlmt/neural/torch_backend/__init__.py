"""Networks, output layers and training in torch."""
