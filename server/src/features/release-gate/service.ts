/** The release gate of a workspace: the known-exploited, critical and urgent findings that a deployment would ship, and what of it is out of support. */
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { countFailing } from '../licences/index.ts'
import { readGateOutcomes } from '../ssvc/index.ts'
import { judgeSupport } from '../support/index.ts'
import { type GateSupportRule, getSettings } from '../workspaces/index.ts'
import { countUnknown, findGateFindings, type GateScope } from './store.ts'
import { describeAccepted, describeFinding } from './shown-finding.ts'
import { findUrgent } from './urgent-store.ts'

const MAX_FINDINGS = 20

export type Gate = Awaited<ReturnType<typeof assessGate>>

/** `blocked`: the workspace requires an acknowledgement for these versions. */
export async function assessGate(
  ctx: Pick<AppContext, 'db' | 'now'>,
  input: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  const { db } = ctx
  const { workspaceId } = input
  const firmwareVersionIds = [...new Set(input.firmwareVersionIds)]
  const settings = await getSettings({ db }, workspaceId)
  const { releaseGate: mode, gateForbidsExploitedAcceptances: forbidsExploited } = settings
  const support = await assessSupport(ctx, settings.gateSupport, {
    workspaceId,
    firmwareVersionIds,
  })
  const scope = { workspaceId, firmwareVersionIds, forbidsExploited }
  const found = await findGateFindings(db, scope, MAX_FINDINGS)
  const { critical, undecidedCritical, knownExploited, findings, acceptedCount, accepted } = found
  const ssvc = await assessUrgency(db, scope)
  const failingLicenceCount = await countFailing(db, { workspaceId, firmwareVersionIds })
  return {
    mode,
    critical,
    undecidedCritical,
    knownExploited,
    ...(await countUnknown(db, { workspaceId, firmwareVersionIds })),
    failingLicenceCount,
    findings: findings.map((finding) => describeFinding(finding.firmwareVersionId, finding)),
    acceptedCount,
    accepted: accepted.map(describeAccepted),
    ...(ssvc && { ssvc }),
    ...(support && { support }),
    blocked:
      mode === 'Block' &&
      (undecidedCritical + knownExploited + (failingLicenceCount ?? 0) + (ssvc?.count ?? 0) > 0 ||
        support?.verdict === 'Fails'),
  }
}

/** undefined: the workspace does not ask for it. */
async function assessSupport(
  ctx: Pick<AppContext, 'db' | 'now'>,
  rule: GateSupportRule,
  versions: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  if (rule === 'NotAsked') return undefined
  const untilPromise = rule === 'UntilPromise'
  return { rule, ...(await judgeSupport(ctx, { ...versions, untilPromise })) }
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
