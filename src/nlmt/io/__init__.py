"""Reading and writing the field's file formats."""
