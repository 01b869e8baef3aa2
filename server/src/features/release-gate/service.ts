/** The release gate of a workspace: the known-exploited and critical findings that a deployment would ship. */
import type { Db } from '../../platform/db/connect.ts'
import { countFailing } from '../licences/index.ts'
import { getSettings } from '../workspaces/index.ts'
import { countUnknown, findGateFindings } from './store.ts'
import { describeFinding } from './shown-finding.ts'

const MAX_FINDINGS = 20

export type Gate = Awaited<ReturnType<typeof assessGate>>

/** `blocked`: the workspace requires an acknowledgement for these versions. */
export async function assessGate(
  db: Db,
  input: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  const { workspaceId } = input
  const firmwareVersionIds = [...new Set(input.firmwareVersionIds)]
  const settings = await getSettings({ db }, workspaceId)
  const { releaseGate: mode, gateForbidsExploitedAcceptances: forbidsExploited } = settings
  const scope = { workspaceId, firmwareVersionIds, forbidsExploited }
  const found = await findGateFindings(db, scope, MAX_FINDINGS)
  const { critical, undecidedCritical, knownExploited, findings, acceptedCount, accepted } = found
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
    accepted: accepted.map(({ acceptance, ...finding }) => ({
      ...describeFinding(finding.firmwareVersionId, finding),
      reason: acceptance?.reason ?? null,
      ownerEmail: acceptance?.owner?.email ?? null,
      until: acceptance?.until ?? null,
    })),
    blocked:
      mode === 'Block' && undecidedCritical + knownExploited + (failingLicenceCount ?? 0) > 0,
  }
}
