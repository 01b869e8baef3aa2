/** The release gate of a workspace: the known-exploited, critical and urgent findings that a deployment would ship, and what of it is out of support. */
import {
  chooseStrictest,
  GATE_SUPPORT_RULES,
  type GateSupportRule,
  type ImageDemand,
  RELEASE_GATES,
  type ReleaseGate,
} from '../../formats/gate-rules.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { listNewCrashes, readReporting } from '../crashes/index.ts'
import { listUnmetDemands } from '../image-checks/index.ts'
import { listUnmetChains } from '../provenance/index.ts'
import { countFailingLicences } from '../licences/index.ts'
import { listUnsignedSboms } from '../sbom-signatures/index.ts'
import { readGateOutcomes } from '../ssvc/index.ts'
import { judgeSupport, SUPPORT_VERDICTS } from '../support/index.ts'
import { getSettings } from '../workspaces/index.ts'
import { countUnknown, findGateFindings, type GateScope, listLineRules } from './store.ts'
import { describeAccepted, describeFinding } from './shown-finding.ts'
import { findUrgent } from './urgent-store.ts'

const MAX_FINDINGS = 20

export type Gate = Awaited<ReturnType<typeof assessGate>>

/** `blocked`: the workspace, or a release line, requires an acknowledgement for these versions. */
export async function assessGate(
  ctx: Pick<AppContext, 'db' | 'now'>,
  input: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  const { db } = ctx
  const { workspaceId } = input
  const firmwareVersionIds = [...new Set(input.firmwareVersionIds)]
  const settings = await getSettings({ db }, workspaceId)
  const { gateForbidsExploitedAcceptances: forbidsExploited, gateImages: demands } = settings
  const { gateNewCrashes: countsCrashes } = settings
  const rules = await readRules(db, { workspaceId, firmwareVersionIds, settings })
  const ofWorkspace = { workspaceId, forbidsExploited, demands, countsCrashes }
  const { found, support, ssvc, images, crashes, ...counts } = await assessVersions(ctx, {
    ...ofWorkspace,
    rules,
  })
  const { critical, undecidedCritical, knownExploited, findings, acceptedCount, accepted } = found
  const blocking = rules.filter(({ mode }) => mode === 'Block')
  const stopped =
    blocking.length === rules.length
      ? { found, support, ssvc, images, crashes, ...counts }
      : await assessVersions(ctx, { ...ofWorkspace, rules: blocking })
  return {
    mode:
      chooseStrictest(
        RELEASE_GATES,
        rules.map(({ mode }) => mode),
      ) ?? settings.releaseGate,
    rules,
    critical,
    undecidedCritical,
    knownExploited,
    ...counts,
    findings: findings.map((finding) => describeFinding(finding.firmwareVersionId, finding)),
    acceptedCount,
    accepted: accepted.map(describeAccepted),
    ...(ssvc && { ssvc }),
    ...(support && { support }),
    ...(images && { images }),
    ...(crashes && { crashes }),
    blocked: blocking.length > 0 && isStopped(stopped),
  }
}

/** What holds for each version: what its line says, else what the workspace says. */
async function readRules(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
    settings,
  }: {
    workspaceId: string
    firmwareVersionIds: string[]
    settings: { releaseGate: ReleaseGate; gateSupport: GateSupportRule }
  },
) {
  const rows = await listLineRules(db, { workspaceId, firmwareVersionIds })
  const found = new Set(rows.map(({ firmwareVersion }) => firmwareVersion.id))
  const missing = firmwareVersionIds.find((id) => !found.has(id))
  if (missing !== undefined) throw notFound('firmware version', missing)
  return rows.map(({ firmwareVersion, line, releaseGate, gateSupport }) => ({
    firmwareVersion,
    mode: releaseGate ?? settings.releaseGate,
    supportRule: gateSupport ?? settings.gateSupport,
    line: releaseGate === null && gateSupport === null ? null : line,
  }))
}

type Rule = Awaited<ReturnType<typeof readRules>>[number]

interface RuledVersions {
  workspaceId: string
  forbidsExploited: boolean
  demands: readonly ImageDemand[]
  countsCrashes: boolean
  rules: readonly Rule[]
}

/** What the gate finds in the versions, whatever it does then. */
async function assessVersions(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, forbidsExploited, demands, countsCrashes, rules }: RuledVersions,
) {
  const { db } = ctx
  const firmwareVersionIds = rules.map(({ firmwareVersion }) => firmwareVersion.id)
  const scope = { workspaceId, firmwareVersionIds, forbidsExploited }
  return {
    found: await findGateFindings(db, scope, MAX_FINDINGS),
    ...(await countUnknown(db, { workspaceId, firmwareVersionIds })),
    failingLicenceCount: await countFailing(db, { workspaceId, firmwareVersionIds }),
    ssvc: await assessUrgency(db, scope),
    support: await assessSupport(ctx, workspaceId, rules),
    images: await assessImages(ctx, { workspaceId, firmwareVersionIds, demands }),
    crashes: countsCrashes ? await assessCrashes(db, workspaceId, rules) : undefined,
  }
}

/** null: there are no licence rules for any of them. */
async function countFailing(
  db: Db,
  versions: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<number | null> {
  const counts = await countFailingLicences(db, { ...versions, readsUncounted: true })
  if (counts.size === 0) return null
  return [...counts.values()].reduce((sum, count) => sum + (count?.failing ?? 0), 0)
}

function isStopped({
  found: { undecidedCritical, knownExploited },
  failingLicenceCount,
  ssvc,
  support,
  images,
  crashes,
}: Awaited<ReturnType<typeof assessVersions>>): boolean {
  const count = undecidedCritical + knownExploited + (failingLicenceCount ?? 0) + (ssvc?.count ?? 0)
  return (
    count > 0 ||
    support?.verdict === 'Fails' ||
    (images?.failing.length ?? 0) + (crashes?.count ?? 0) > 0
  )
}

async function assessCrashes(db: Db, workspaceId: string, rules: readonly Rule[]) {
  const ids = rules.map(({ firmwareVersion }) => firmwareVersion.id)
  const found = await listNewCrashes(db, workspaceId, ids)
  const reporting = await readReporting(db, workspaceId, ids)
  const versions = rules.flatMap(({ firmwareVersion: { id, name } }) => {
    const counts = reporting.get(id)
    return counts ? [{ firmwareVersionId: id, versionName: name, ...counts }] : []
  })
  return { count: found.length, failing: found.slice(0, MAX_FINDINGS), versions }
}

/** undefined: the workspace demands nothing of images. */
async function assessImages(
  ctx: Pick<AppContext, 'db' | 'now'>,
  asked: {
    workspaceId: string
    firmwareVersionIds: readonly string[]
    demands: readonly ImageDemand[]
  },
) {
  if (asked.demands.length === 0) return undefined
  const demands = asked.demands.filter(
    (demand) => demand !== 'ChainComplete' && demand !== 'SbomSigned',
  )
  const unmet = [
    ...(demands.length > 0 ? await listUnmetDemands(ctx, { ...asked, demands }) : []),
    ...(asked.demands.includes('ChainComplete') ? await listUnmetChains(ctx, asked) : []),
    ...(asked.demands.includes('SbomSigned') ? await listUnsignedSboms(ctx, asked) : []),
  ]
  return {
    demands: [...asked.demands],
    count: unmet.length,
    failing: unmet.slice(0, MAX_FINDINGS),
  }
}

/** undefined: neither the workspace nor a line asks for it. Versions are judged by their own rules, and told as one. */
async function assessSupport(
  ctx: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
  rules: readonly Rule[],
) {
  const asked = rules.filter(({ supportRule }) => supportRule !== 'NotAsked')
  const byRule = Map.groupBy(asked, ({ supportRule }) => supportRule)
  const judged: Awaited<ReturnType<typeof judgeSupport>>[] = []
  for (const [rule, own] of byRule) {
    const firmwareVersionIds = own.map(({ firmwareVersion }) => firmwareVersion.id)
    const untilPromise = rule === 'UntilPromise'
    judged.push(await judgeSupport(ctx, { workspaceId, firmwareVersionIds, untilPromise }))
  }
  const rule = chooseStrictest(GATE_SUPPORT_RULES, [...byRule.keys()])
  const verdict = SUPPORT_VERDICTS.find((one) => judged.some((each) => each.verdict === one))
  if (rule === undefined || rule === 'NotAsked' || verdict === undefined) return undefined
  const sum = (
    count: 'endedCount' | 'endingBeforePromiseCount' | 'notKnownCount' | 'withoutPromiseCount',
  ) => judged.reduce((total, one) => total + one[count], 0)
  return {
    rule,
    verdict,
    endedCount: sum('endedCount'),
    endingBeforePromiseCount: sum('endingBeforePromiseCount'),
    notKnownCount: sum('notKnownCount'),
    withoutPromiseCount: sum('withoutPromiseCount'),
    failing: judged.flatMap(({ failing }) => failing).slice(0, MAX_FINDINGS),
  }
}

/** undefined: the workspace does not ask for it. */
async function assessUrgency(db: Db, scope: GateScope) {
  const outcomes = await readGateOutcomes(db, scope)
  if (!outcomes) return undefined
  const { from, treeName, classes, describe } = outcomes
  const { rows, ...counts } = await findUrgent(db, { ...scope, classes }, MAX_FINDINGS)
  return {
    from,
    treeName,
    ...counts,
    findings: rows
      .filter(({ isCounted }) => isCounted)
      .map((row) => ({ ...describeFinding(row.firmwareVersionId, row), ...describe(row) })),
    accepted: rows.filter(({ isCounted }) => !isCounted).map(describeAccepted),
  }
}
