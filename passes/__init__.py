"""Graph passes: the default pipeline, and everything needed to write your own.

>>> [step.name for step in DEFAULT]
['lower_depend', 'canonicalize', 'constant_fold', 'cse', 'dce', 'fuse_conv_bn_relu', 'fuse_matmul_bias', \
'fuse_elementwise', 'dce']
"""

from passes.default import DEFAULT, PIPELINES
from passes.groups import fuse_groups
from passes.lab.check import check, examined
from passes.pattern import attr
from passes.pipeline import Fix, PassRecord, Pipeline
from passes.registry import PASSES, Options, Pass, graph_pass, pass_named
from passes.rewrite import Rule, apply_rules
from passes.rulebook import RULES, add_rules, every_rule, rules_named
from passes.rules import fuse, local_rule, rule
from passes.spec import as_pipeline

__all__ = [
    "DEFAULT",
    "PASSES",
    "PIPELINES",
    "RULES",
    "Fix",
    "Options",
    "Pass",
    "PassRecord",
    "Pipeline",
    "Rule",
    "add_rules",
    "apply_rules",
    "as_pipeline",
    "attr",
    "check",
    "every_rule",
    "examined",
    "fuse",
    "fuse_groups",
    "graph_pass",
    "local_rule",
    "pass_named",
    "rule",
    "rules_named",
]
