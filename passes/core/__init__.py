"""What a pass is: the table of passes, pipelines, what is checked and counted between two of them."""
