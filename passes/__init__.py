"""Graph passes: the default pipeline, and everything needed to write your own.

>>> [step.name for step in DEFAULT]
['lower_depend', 'canonicalize', 'constant_fold', 'cse', 'dce', 'fuse_conv_bn_relu', 'fuse_matmul_bias', \
'fuse_elementwise', 'dce']
"""

from passes.lab.bisect import bisect
from passes.lab.check import check, examined
from passes.lab.guard import Validation
from passes.patterns.tracing import S, again, chain, is_cheap, many, maybe
from passes.pipelines.default import DEFAULT, PIPELINES
from passes.pipelines.dump import Dump
from passes.pipelines.pipeline import Fix, PassRecord, Pipeline
from passes.pipelines.registry import PASSES, Options, Pass, graph_pass, pass_named
from passes.pipelines.spec import as_pipeline
from passes.rules.costs import add_cost, cost_named
from passes.rules.explaining import Explanation, explain_match
from passes.rules.groups import fuse_groups
from passes.rules.rewrite import AnyRule, Rule, apply_rules
from passes.rules.rule import fuse, rule
from passes.rules.rulebook import RULES, add_rules, every_rule, rules_named
from passes.rules.tally import Choice, RuleStats, Tally

__all__ = [
    "DEFAULT",
    "PASSES",
    "PIPELINES",
    "RULES",
    "AnyRule",
    "Choice",
    "Dump",
    "Explanation",
    "Fix",
    "Options",
    "Pass",
    "PassRecord",
    "Pipeline",
    "Rule",
    "RuleStats",
    "S",
    "Tally",
    "Validation",
    "add_cost",
    "add_rules",
    "again",
    "apply_rules",
    "as_pipeline",
    "bisect",
    "chain",
    "check",
    "cost_named",
    "every_rule",
    "examined",
    "explain_match",
    "fuse",
    "fuse_groups",
    "graph_pass",
    "is_cheap",
    "many",
    "maybe",
    "pass_named",
    "rule",
    "rules_named",
]
