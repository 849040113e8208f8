"""What each technique of the accelerator is worth: programs with it and without it, in turns."""
