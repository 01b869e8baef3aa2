/** Answers why a component has a vulnerability, or has it not. */
import { encodeFindingId } from '../../formats/finding-id.ts'
import { explainIdentity } from '../../formats/identity/explanation.ts'
import { findPathsToRoot } from '../../formats/sboms/paths.ts'
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { judgePackage, listNames, type PackageJudgement } from '../matching/index.ts'
import { readIdentifiable, readOverrides } from '../sboms/index.ts'
import { type DeclaredRow, findComponent, listPathNodes } from '../components/index.ts'
import { writeAdvice, listProductKeys } from './advice.ts'
import * as store from './store.ts'

interface JudgeComponent {
  workspaceId: string
  firmwareVersionId: string
  componentId: string
  /** undefined: only the identity of the component. */
  cveId?: string
}

export async function judgeComponent(ctx: AppContext, input: JudgeComponent) {
  const { workspaceId, componentId, cveId } = input
  const version = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const own = { workspaceId, firmwareVersionId: version.id }
  const component = isUuid(componentId)
    ? await findComponent(ctx.db, { ...own, componentId })
    : undefined
  if (!component) throw notFound('component', componentId)
  const vulnerabilities = cveId === undefined ? [] : await store.listVulnerabilities(ctx.db, cveId)
  const judged = []
  for (const { vulnerabilityId, isDisputed } of vulnerabilities) {
    const one = await judgeOne(ctx, { ...own, component, vulnerabilityId })
    judged.push({ ...one, isDisputed })
  }
  const isUnknown = cveId !== undefined && judged.length === 0
  return {
    component: {
      ...shown(component),
      pathsToRoot: await readPaths(ctx, workspaceId, component),
    },
    identity: await readIdentity(ctx, workspaceId, component),
    vulnerabilities: isUnknown ? [unknown(cveId)] : judged,
  }
}

function shown(component: DeclaredRow) {
  const {
    sbomId,
    node: _node,
    fileName,
    downloadLocation: _,
    builtFrom: __,
    packageId: ___,
    addresses: ____,
    ...rest
  } = component
  return { ...rest, sbom: { id: sbomId, fileName } }
}

async function readPaths(
  { db }: AppContext,
  workspaceId: string,
  { sbomId, node }: DeclaredRow,
): Promise<string[][]> {
  const nodes = await listPathNodes(db, workspaceId, [{ sbomId, node }])
  const graph = new Map(nodes.map((one) => [one.node, one]))
  const own = graph.get(node)
  return own ? findPathsToRoot(own, graph) : []
}

async function readIdentity({ db }: AppContext, workspaceId: string, component: DeclaredRow) {
  const { packageId, overrideId, notMatchedReason } = component
  const overrides = overrideId === null ? [] : (await readOverrides(db, workspaceId)).overrides
  const override = overrides.find(({ id }) => id === overrideId)
  const { steps, identity } = explainIdentity(readIdentifiable(component), override)
  const names = packageId === null ? [] : await listNames(db, packageId)
  const isKnown = names.some((name) => name.isKnown)
  const products =
    isKnown && notMatchedReason === null
      ? []
      : await store.listKnownProducts(db, listProductKeys(component))
  return {
    steps,
    names: names.map(({ key, version, identifier, meanings, ...one }) => ({
      key,
      version,
      identifier,
      isKnown: one.isKnown,
      meanings,
    })),
    advice: writeAdvice({ declared: component, notMatchedReason, identity, isKnown, products }),
  }
}

interface JudgeOne {
  workspaceId: string
  firmwareVersionId: string
  component: DeclaredRow
  vulnerabilityId: string
}

async function judgeOne({ db }: AppContext, input: JudgeOne) {
  const { workspaceId, firmwareVersionId, component, vulnerabilityId } = input
  const { packageId } = component
  const judgement = await judgePackage(db, { packageId: packageId ?? undefined, vulnerabilityId })
  const key = packageId === null ? undefined : { firmwareVersionId, packageId, vulnerabilityId }
  const isHeld = key !== undefined && (await store.isFindingHeld(db, { ...key, workspaceId }))
  const { conclusion, confidence, records } = judgement
  return {
    cveId: vulnerabilityId,
    conclusion,
    text: describeJudgement(judgement, component, isHeld),
    confidence,
    findingId: isHeld ? encodeFindingId(key) : null,
    records,
  }
}

function describeJudgement(
  { conclusion, undecided, records }: PackageJudgement,
  { packageId, notMatchedReason }: DeclaredRow,
  isHeld: boolean,
): string {
  if (packageId === null)
    return `The component is not looked up (${notMatchedReason ?? 'it is not identified yet'}), so no record can be about it.`
  switch (conclusion) {
    case 'affected':
      return isHeld
        ? 'A record that no other outranks says that this version is affected.'
        : 'A record says that this version is affected; the finding appears once the component is matched again.'
    case 'not affected':
      return notAffectedText(records)
    case 'undecided':
      return `Records name the component, but give no verdict: ${undecided ?? 'they cannot be compared'}.`
    case 'not named':
      return 'No record of the vulnerability has a name of this component.'
    case 'no record':
      return 'All records of the vulnerability are withdrawn.'
  }
}

function notAffectedText(records: PackageJudgement['records']): string {
  const all = records.flatMap(({ comparisons }) => comparisons)
  const isOutranked = all.some(
    ({ verdict, outrankedBy }) => verdict === 'affected' && outrankedBy !== null,
  )
  if (isOutranked)
    return 'A record says that this version is affected, but another one that outranks it says that it is not.'
  return all.some(({ verdict }) => verdict === 'unaffected')
    ? 'The records that name the component say that this version is not affected.'
    : 'Records name the component, but say nothing of this version or release.'
}

function unknown(cveId: string) {
  return {
    cveId,
    isDisputed: false,
    conclusion: 'no record' as const,
    text: `No source has a record of ${cveId} in this store.`,
    confidence: null,
    findingId: null,
    records: [],
  }
}
