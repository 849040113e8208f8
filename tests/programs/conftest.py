"""The programs in this folder are run by ``test_programs.py``, each in a Python of its own; pytest skips them."""

collect_ignore_glob = ["conf_*.py", "gotcha_*.py", "param_*.py", "s[0-9]_*.py"]
