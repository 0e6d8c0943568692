"""Networks: the layers between the words and the output layer, a file for each."""
