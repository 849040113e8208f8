"""Tests that need a Python whose instructions are known: ``docs/concepts/capture.md`` says what differs on another."""

from __future__ import annotations

NEED_INSTRUCTIONS = {  # what differs -> the tests, as file::name
    "more runs op by op": {
        "test_body.py::test_recursion_that_only_a_tensor_ends_is_refused_before_python_does",
        "test_body_limits.py::test_code_that_runs_as_written_may_make_iterators_with_an_end_in_a_branch",
        "test_body_limits.py::test_iterators_with_an_end_are_captured",
        "test_body_limits.py::test_long_loops_of_functions_for_cond_are_captured",
        "test_weak_table.py::test_a_function_keeps_its_parts_when_another_one_of_its_code_is_dropped",
        "test_functions_in_c.py::test_an_attribute_with_the_name_of_an_installed_function_is_no_use_of_it",
        "test_functions_in_c.py::test_pure_functions_in_c_and_functions_that_are_called_at_once_stay_in_the_graph",
        "test_host_arrays.py::test_values_types_and_dtypes_equal_eager_mode_at_every_call[a branch]",
        "test_host_arrays.py::test_values_types_and_dtypes_equal_eager_mode_at_every_call[a loop]",
        "test_host_text.py::test_an_error_of_a_format_has_the_line_and_the_frames_of_eager_mode",
        "test_joined_containers.py::test_lists_that_nothing_tells_apart_stay_in_the_graph",
        "test_joined_containers.py::test_loops_of_functions_keep_lists",
        "test_joined_values.py::test_numbers_that_behave_alike_stay_in_the_graph",
        "test_promises.py::test_the_difference_is_as_described",
        "test_range_loops.py::test_tensor_bounds_behave_like_ints_and_another_bound_compiles_nothing",
        "test_side_effects.py::test_print_during_tracing_is_reported",
        "test_source.py::test_a_translated_program_equals_python_and_the_recorded_text",
        "test_source.py::test_every_kind_of_callable_is_translated",
        "test_syntax_trees.py::test_the_source_of_every_kind_of_function_is_recognised",
        "test_value_details.py::test_equal_values_that_are_alike_share_a_program",
    },
    "warnings give another reason, and the first line of a function or that of the call": {
        "test_bytecode.py::test_a_closure_variable",
        "test_bytecode.py::test_lines_that_set_change_or_load",
        "test_call_monitor.py::test_a_lock_is_released_although_its_release_is_refused",
        "test_capture_ends.py::test_a_dict_with_tensors_in_its_keys_is_that_of_eager_mode",
        "test_capture_ends.py::test_an_exception_with_a_tensor_is_that_of_eager_mode_or_a_refusal",
        "test_clocks.py::test_the_line_that_loads_a_clock_is_found",
        "test_functions_in_c.py::test_the_message_names_the_function_and_the_line",
        "test_joined_values.py::test_graphs_that_would_differ_from_eager_mode_are_refused",
        "test_side_effects.py::test_seeding_a_generator_with_its_old_seed_is_detected",
        "test_side_effects.py::test_the_warning_names_the_line_of_a_first_attribute_of_a_function_and_of_a_hook",
    },
    "more is guarded, and more is compiled anew": {
        "test_argument_mutation.py::test_the_callers_containers_have_the_contents_of_eager_mode",
        "test_code_that_is_not_run.py::test_no_descriptor_runs_in_addition",
        "test_bytecode.py::test_names_of_attributes_that_code_sets_and_of_its_variables_compare_no_objects",
        "test_names_in_code.py::test_names_that_code_assigns_queries_and_computes",
        "test_reachable_state.py::test_an_attribute_that_hasattr_did_not_find_is_guarded",
        "test_reachable_state.py::test_an_unbound_closure_variable_has_no_guard",
        "test_reachable_state.py::test_globals_arrays_closures_and_their_contents_are_guarded",
        "test_reachable_state.py::test_objects_with_getattr_methods_are_not_queried",
        "test_reachable_state.py::test_unset_names_that_code_may_set",
    },
    "gradients of eager mode take longer": {
        "test_bytecode.py::test_arithmetic",
        "test_bytecode.py::test_the_instructions_of_this_python_are_known",
    },
}


def reason_to_skip(file: str, test: str) -> str:
    """What differs without known instructions, so that a test cannot pass; empty for the other tests.

    >>> reason_to_skip("test_bytecode.py", "test_arithmetic[0]"), reason_to_skip("test_bytecode.py", "test_other")
    ('gradients of eager mode take longer', '')
    """
    names = {f"{file}::{test}", f"{file}::{test.partition('[')[0]}"}
    return next((reason for reason, tests in NEED_INSTRUCTIONS.items() if not names.isdisjoint(tests)), "")
