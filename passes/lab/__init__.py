"""The rule lab: is a rule right, which rewrite broke a program, and a file that shows it again."""

from passes.lab.check import Counterexample, Report, check, examined

__all__ = ["Counterexample", "Report", "check", "examined"]
