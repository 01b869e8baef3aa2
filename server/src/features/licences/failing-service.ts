/** How many components of versions may not ship: counted by what they state, not one by one. */
import { judgeLicence, type LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import { combineLicences } from '../../formats/licences/stated-licence.ts'
import type { Db } from '../../platform/db/connect.ts'
import { startPauses } from '../../platform/pauses.ts'
import {
  countWrong,
  listKeptVersions,
  listStated,
  listStatedCounts,
  type WrongLicence,
  type WrongLicences,
} from './kept-store.ts'
import { listRules, type StoredRules } from './store.ts'

interface AskedVersions {
  workspaceId: string
  firmwareVersionIds: readonly string[]
  /** Whether to read the components of versions whose licences an older node left uncounted: for a few versions. */
  readsUncounted: boolean
}

/**
 * By version: components whose licence may not ship, and those of which nobody can tell, as their licence is not known and that alone is
 * no reason to stop them; null: they are not counted yet. Versions for which there are no rules are left out.
 */
export async function countFailingLicences(
  db: Db,
  { workspaceId, firmwareVersionIds, readsUncounted }: AskedVersions,
): Promise<Map<string, WrongLicences | null>> {
  const versions = await listKeptVersions(db, workspaceId, firmwareVersionIds)
  const firmwareIds = [...new Set(versions.map(({ firmwareId }) => firmwareId))]
  const rules = await listRules(db, { workspaceId, firmwareIds })
  const ruled = versions.flatMap(({ id, firmwareId, isKept }) => {
    const rulesOf = rules.has(firmwareId) ? firmwareId : null
    const held = rules.get(rulesOf)
    return held ? [{ id, rulesOf, held, isKept }] : []
  })
  if (ruled.length === 0) return new Map()
  const wrong = await listWrong(db, workspaceId, rules)
  const kept = ruled.filter(({ isKept }) => isKept)
  const known = await countWrong(db, { workspaceId, versions: kept, wrong })
  const counts = new Map<string, WrongLicences | null>()
  for (const { id, held, isKept } of ruled)
    if (isKept) counts.set(id, known.get(id) ?? { failing: 0, unknown: 0 })
    else if (readsUncounted)
      counts.set(id, await countStated(db, { workspaceId, firmwareVersionId: id }, held))
    else counts.set(id, null)
  return counts
}

async function countStated(
  db: Db,
  version: { workspaceId: string; firmwareVersionId: string },
  held: StoredRules,
): Promise<WrongLicences> {
  const pause = startPauses()
  const counts = { failing: 0, unknown: 0 }
  for (const { licenses, isSpdx, componentCount } of await listStatedCounts(db, version)) {
    await pause()
    const { outcome } = judgeLicence(combineLicences(licenses, isSpdx), held)
    if (held.failOn.includes(outcome)) counts.failing += componentCount
    else if (isWrong(outcome, held.failOn)) counts.unknown += componentCount
  }
  return counts
}

async function listWrong(
  db: Db,
  workspaceId: string,
  rules: ReadonlyMap<string | null, StoredRules>,
): Promise<WrongLicence[]> {
  const judged = await judgeStated(db, workspaceId, rules)
  return judged.flatMap(({ key, rulesOf, outcome }) => {
    const failOn = rules.get(rulesOf)?.failOn ?? []
    return isWrong(outcome, failOn) ? [{ key, rulesOf, fails: failOn.includes(outcome) }] : []
  })
}

/** What is not known may be what the rules stop. */
const isWrong = (outcome: LicenceOutcome, failOn: readonly LicenceOutcome[]) =>
  failOn.includes(outcome) || (outcome === 'unknown' && failOn.length > 0)

export interface JudgedStatement {
  key: string
  /** The firmware whose rules say so; null: those of the workspace. */
  rulesOf: string | null
  licence: string | null
  outcome: LicenceOutcome
}

/** What components of the workspace state or stated, by each of the rules. */
export async function judgeStated(
  db: Db,
  workspaceId: string,
  rules: ReadonlyMap<string | null, StoredRules>,
): Promise<JudgedStatement[]> {
  const pause = startPauses()
  const judged: JudgedStatement[] = []
  for (const { key, licenses, isSpdx } of await listStated(db, workspaceId))
    for (const [rulesOf, held] of rules) {
      await pause()
      const licence = combineLicences(licenses, isSpdx)
      const { outcome } = judgeLicence(licence, held)
      judged.push({ key, rulesOf, licence: licence ?? null, outcome })
    }
  return judged
}
