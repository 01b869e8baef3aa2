/** Relationship types of SPDX 2 (specification 2.3, section 11.1, table 68) as edges from the whole or user to the part or used element. */
import { EDGE, type EdgeKind } from './document.ts'

export interface Relation {
  kind: EdgeKind
  /** `A TYPE B` is an edge from B to A. */
  isReversed: boolean
}

function relations(kind: EdgeKind, isReversed: boolean, types: string): [string, Relation][] {
  return types.split(' ').map((type) => [type, { kind, isReversed }])
}

export const SPDX2_RELATIONS: ReadonlyMap<string, Relation> = new Map([
  ...relations(EDGE.contains, false, 'CONTAINS'),
  ...relations(EDGE.contains, true, 'CONTAINED_BY PACKAGE_OF EXPANDED_FROM_ARCHIVE'),
  ...relations(EDGE.needs, false, 'DEPENDS_ON HAS_PREREQUISITE STATIC_LINK DYNAMIC_LINK'),
  ...relations(EDGE.needs, false, 'DISTRIBUTION_ARTIFACT'),
  ...relations(EDGE.needs, true, 'DEPENDENCY_OF RUNTIME_DEPENDENCY_OF PROVIDED_DEPENDENCY_OF'),
  ...relations(EDGE.needs, true, 'PREREQUISITE_FOR'),
  ...relations(EDGE.generatedFrom, false, 'GENERATED_FROM'),
  ...relations(EDGE.generatedFrom, true, 'GENERATES'),
  ...relations(EDGE.optional, true, 'OPTIONAL_DEPENDENCY_OF OPTIONAL_COMPONENT_OF'),
  ...relations(EDGE.build, true, 'BUILD_DEPENDENCY_OF BUILD_TOOL_OF'),
  ...relations(EDGE.dev, true, 'DEV_DEPENDENCY_OF DEV_TOOL_OF'),
  ...relations(EDGE.test, true, 'TEST_DEPENDENCY_OF TEST_TOOL_OF TEST_OF TEST_CASE_OF'),
])

/** Types that say nothing about the content of the product. */
export const SPDX2_OTHER_TYPES: ReadonlySet<string> = new Set(
  (
    'AMENDS ANCESTOR_OF COPY_OF DATA_FILE_OF DEPENDENCY_MANIFEST_OF DESCENDANT_OF DOCUMENTATION_OF EXAMPLE_OF ' +
    'FILE_ADDED FILE_DELETED FILE_MODIFIED METAFILE_OF OTHER PATCH_APPLIED PATCH_FOR REQUIREMENT_DESCRIPTION_FOR ' +
    'SPECIFICATION_FOR VARIANT_OF'
  ).split(' '),
)
