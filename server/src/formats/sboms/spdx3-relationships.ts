/** Relationship types of SPDX 3.0 (model Core/Vocabularies/RelationshipType) as edges from the whole or user to the part or used element. */
import { EDGE, type EdgeKind } from './document.ts'
import type { Relation } from './spdx2-relationships.ts'

function relations(kind: EdgeKind, isReversed: boolean, types: string): [string, Relation][] {
  return types.split(' ').map((type) => [type, { kind, isReversed }])
}

export const SPDX3_RELATIONS: ReadonlyMap<string, Relation> = new Map([
  ...relations(EDGE.contains, false, 'contains expandsTo'),
  ...relations(EDGE.contains, true, 'packagedBy'),
  ...relations(EDGE.needs, false, 'dependsOn hasStaticLink hasDynamicLink hasPrerequisite'),
  ...relations(EDGE.needs, false, 'hasProvidedDependency hasRequirement hasDistributionArtifact'),
  ...relations(EDGE.generatedFrom, true, 'generates'),
  ...relations(EDGE.input, false, 'hasInput'),
  ...relations(EDGE.outputOf, true, 'hasOutput'),
  ...relations(EDGE.optional, false, 'hasOptionalComponent hasOptionalDependency'),
  ...relations(EDGE.build, false, 'usesTool'),
  ...relations(EDGE.test, false, 'hasTest hasTestCase'),
])

/** Types that say nothing about the content of the product; licence and root types are read elsewhere. */
export const SPDX3_OTHER_TYPES: ReadonlySet<string> = new Set(
  (
    'affects amendedBy ancestorOf availableFrom configures coordinatedBy copiedTo delegatedTo descendantOf describes ' +
    'doesNotAffect exploitCreatedBy fixedBy fixedIn foundBy hasAddedFile hasAssessmentFor hasAssociatedVulnerability ' +
    'hasConcludedLicense hasDataFile hasDeclaredLicense hasDeletedFile hasDependencyManifest hasDocumentation ' +
    'hasEvidence hasExample hasHost hasMetadata hasSpecification hasVariant invokedBy modifiedBy other patchedBy ' +
    'publishedBy reportedBy republishedBy serializedInArtifact testedOn trainedOn underInvestigationFor'
  ).split(' '),
)

/**
 * The scope of a relationship applies to dependencies only. Inputs, outputs and links of a build end up in the product,
 * although Yocto and Zephyr give those relationships the scope `build` too.
 */
const SCOPED_TYPES: ReadonlySet<string> = new Set([
  'dependsOn',
  'hasPrerequisite',
  'hasProvidedDependency',
  'hasRequirement',
  'hasOptionalDependency',
])

const LIFECYCLE_SCOPES: ReadonlyMap<unknown, EdgeKind> = new Map<unknown, EdgeKind>([
  ['build', EDGE.build],
  ['design', EDGE.dev],
  ['development', EDGE.dev],
  ['test', EDGE.test],
])

export function chooseEdgeKind(type: string, relation: Relation, scope: unknown): EdgeKind {
  return (SCOPED_TYPES.has(type) ? LIFECYCLE_SCOPES.get(scope) : undefined) ?? relation.kind
}
