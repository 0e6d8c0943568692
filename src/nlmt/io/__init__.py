"""Reading and writing of the field's file formats."""
