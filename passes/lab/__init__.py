"""The rule lab: is a rule right, did a pass change what a program does, which rewrite did, and a file that shows it."""
