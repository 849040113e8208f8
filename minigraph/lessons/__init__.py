"""Lessons with exercises: loading, running and checking them, for ``minigraph learn``."""

from minigraph.core.deprecated_names import lessons_getattr as __getattr__  # noqa: F401
from minigraph.lessons.check_capture import check_gcd, check_predictions
from minigraph.lessons.check_chip import check_chip, check_projections, check_schedule
from minigraph.lessons.check_kernel import check_kernel
from minigraph.lessons.check_operator import check_hypot
from minigraph.lessons.check_own_model import check_norm_rule
from minigraph.lessons.check_passes import check_dce, check_order, random_graph
from minigraph.lessons.check_rule import check_scores_rule, check_standardize
from minigraph.lessons.check_tape import check_hvp, check_rule_of_tanh
from minigraph.lessons.check_transformer import check_patches
from minigraph.lessons.feedback import WrongAnswerError, numbers
from minigraph.lessons.grading import CellRun, run, verdict
from minigraph.lessons.lesson_files import Cell, Lesson, folder, lesson_named, lessons
from minigraph.lessons.notebook import answer_in, as_notebook, notebook_text
from minigraph.lessons.picture import folder as pictures_folder
from minigraph.lessons.picture import show

__all__ = [
    "Cell", "CellRun", "Lesson", "WrongAnswerError", "answer_in", "as_notebook", "check_chip", "check_dce", "check_gcd",
    "check_hvp", "check_hypot", "check_kernel", "check_norm_rule", "check_order", "check_patches", "check_predictions",
    "check_projections", "check_rule_of_tanh", "check_schedule", "check_scores_rule", "check_standardize", "folder",
    "lesson_named", "lessons", "notebook_text", "numbers", "pictures_folder", "random_graph", "run", "show", "verdict",
]  # fmt: skip
