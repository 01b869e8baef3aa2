/** Finds the licences of versions that rules of alerts ask for. */
import { createHash } from 'node:crypto'
import type { LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import type { Db } from '../../platform/db/connect.ts'
import { judgeStated } from './failing-service.ts'
import { listHolding, type HoldingVersion } from './kept-store.ts'
import { listRules } from './store.ts'

/** The firmwares that have rules of their own, and null where the workspace has rules. */
export async function listRuledFirmwares(
  db: Db,
  workspaceId: string,
): Promise<ReadonlySet<string | null>> {
  return new Set((await listRules(db, { workspaceId })).keys())
}

interface AskedLicences {
  workspaceId: string
  outcomes: readonly LicenceOutcome[]
  /** Empty: any. */
  firmwareIds: readonly string[]
  /** Otherwise also the newest version of each line. */
  onlyWhereDevicesRun: boolean
}

export interface LicenceInVersion extends HoldingVersion {
  /** Names it for as long as it is judged so. */
  key: string
  /** null: none is stated. */
  licence: string | null
  outcome: LicenceOutcome
}

/** Each licence once a version. undefined: there are no licence rules for any of the firmwares, so that nothing is judged. */
export async function listLicencesInVersions(
  db: Db,
  { workspaceId, outcomes, firmwareIds, onlyWhereDevicesRun }: AskedLicences,
): Promise<LicenceInVersion[] | undefined> {
  const rules = await listRules(db, { workspaceId })
  const isRuled =
    firmwareIds.length === 0
      ? rules.size > 0
      : firmwareIds.some((id) => rules.has(id) || rules.has(null))
  if (!isRuled) return undefined
  const judged = await judgeStated(db, workspaceId, rules)
  const asked = judged.filter(({ outcome }) => outcomes.includes(outcome))
  const ruled = [...rules.keys()].filter((id) => id !== null)
  const terms = { workspaceId, firmwareIds, onlyWhereDevicesRun, ruled, asked }
  const found = new Map<string, LicenceInVersion>()
  for (const { place, ...holding } of await listHolding(db, terms)) {
    const one = asked[place]
    if (!one) continue
    const { licence, outcome } = one
    const key = `${outcome}/${nameLicence(licence)}`
    const id = `${holding.firmwareVersionId}/${key}`
    const before = found.get(id)?.componentCount ?? 0
    const componentCount = before + holding.componentCount
    found.set(id, { ...holding, key, licence, outcome, componentCount })
  }
  return [...found.values()]
}

/** Expressions may be long, and are no part of an address. */
const nameLicence = (licence: string | null) =>
  createHash('sha256')
    .update(licence ?? '')
    .digest('hex')
    .slice(0, 32)
