"""Graph passes: the default pipeline, and the tools to write passes and rules.

>>> import passes
>>> [step.name for step in passes.DEFAULT]
['lower_depend', 'canonicalize', 'constant_fold', 'cse', 'dce', 'fuse_conv_bn_relu', 'fuse_matmul_bias', \
'fuse_elementwise', 'dce']
"""

from typing import TYPE_CHECKING

from minigraph.core.lazy import attach

if TYPE_CHECKING:
    from passes.bisection import bisect
    from passes.core.choice import Choice
    from passes.core.dump import Dump
    from passes.core.pass_verifier import Validation
    from passes.core.pipeline import FixedPoint, Pipeline
    from passes.core.records import PassRecord
    from passes.core.registry import PASSES, Options, Pass, graph_pass, pass_named
    from passes.core.statistics import RuleStats, Statistics
    from passes.default import DEFAULT, PIPELINES
    from passes.pipeline_spec import as_pipeline
    from passes.rewrite.costs import add_cost, cost_named
    from passes.rewrite.driver import AnyRule, Rule, apply_rules
    from passes.rewrite.explanation import Explanation, explain_match
    from passes.rewrite.group_fusion import fuse_groups
    from passes.rewrite.rule import fuse, rule
    from passes.rewrite.tracing import S, chain, is_cheap, many, maybe, reapply
    from passes.rulebook import RULES, add_rules, every_rule, rules_named
    from passes.validate.check import check, examine
else:
    __getattr__, __dir__ = attach(
        __name__,
        {
            "passes.bisection": "bisect",
            "passes.core.dump": "Dump",
            "passes.core.pass_verifier": "Validation",
            "passes.core.pipeline": "FixedPoint Pipeline",
            "passes.core.records": "PassRecord",
            "passes.core.registry": "PASSES Options Pass graph_pass pass_named",
            "passes.core.choice": "Choice",
            "passes.core.statistics": "RuleStats Statistics",
            "passes.default": "DEFAULT PIPELINES",
            "passes.rewrite.costs": "add_cost cost_named",
            "passes.rewrite.explanation": "Explanation explain_match",
            "passes.rewrite.group_fusion": "fuse_groups",
            "passes.rewrite.driver": "AnyRule Rule apply_rules",
            "passes.rewrite.rule": "fuse rule",
            "passes.rewrite.tracing": "S chain is_cheap many maybe reapply",
            "passes.rulebook": "RULES add_rules every_rule rules_named",
            "passes.pipeline_spec": "as_pipeline",
            "passes.validate.check": "check examine",
        },
        missing="minigraph.core.deprecated_names:passes_getattr",
    )

__all__ = [
    "DEFAULT", "PASSES", "PIPELINES", "RULES", "AnyRule", "Choice", "Dump", "Explanation", "FixedPoint", "Options",
    "Pass", "PassRecord", "Pipeline", "Rule", "RuleStats", "S", "Statistics", "Validation", "add_cost", "add_rules",
    "apply_rules", "as_pipeline", "bisect", "chain", "check", "cost_named", "every_rule", "examine", "explain_match",
    "fuse", "fuse_groups", "graph_pass", "is_cheap", "many", "maybe", "pass_named", "reapply", "rule", "rules_named",
]  # fmt: skip
