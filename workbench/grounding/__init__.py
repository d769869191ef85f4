"""Rules to SQL, SQL to the rows of a ground network."""

from workbench.grounding.atoms import AtomTable
from workbench.grounding.defined_facts import DefinedFact
from workbench.grounding.fitting import fitted
from workbench.grounding.ground import ground
from workbench.grounding.ground_rules import GroundRules, ground_rules
from workbench.grounding.lazy import LazyGrounding, ground_lazily
from workbench.grounding.lazy_rows import LazyRows
from workbench.grounding.preview import preview
from workbench.grounding.preview_result import Preview
from workbench.grounding.request import GroundRequest
from workbench.grounding.result import Grounding, RuleCount
from workbench.grounding.uneven_types import uneven_types
from workbench.grounding.wording import GroundRule, as_rule
