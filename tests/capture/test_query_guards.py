"""Guards of entries of classes and of answers of functions."""

from minigraph.capture.query_guards import ClassGuard, QueryGuard


class Thing:
    @property
    def value(self):
        raise AssertionError("was run")


def test_an_entry_of_a_class_is_compared_without_being_run(monkeypatch):
    guard = ClassGuard(Thing, "value", vars(Thing)["value"])
    assert guard.holds and guard.description == "'Thing.value'"
    assert guard.key == ClassGuard(Thing, "value", None).key != ClassGuard(Thing, "other", None).key
    monkeypatch.setattr(Thing, "value", property(lambda self: 1))
    assert not guard.holds
    monkeypatch.delattr(Thing, "value")
    assert not guard.holds


def test_a_query_guard_calls_its_function_again():
    answers = [1, 1, 2]
    guard = QueryGuard(lambda: answers.pop(0), answers.pop(0), "an answer")
    assert guard.holds and not guard.holds
    assert guard.key is guard.query and guard.description == "an answer"
