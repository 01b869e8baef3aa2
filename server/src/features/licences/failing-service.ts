/** How many components of versions may not ship: counted by what they state, not one by one. */
import { judgeLicence, type LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import { combineLicences } from '../../formats/licences/stated-licence.ts'
import type { Db } from '../../platform/db/connect.ts'
import { startPauses } from '../../platform/pauses.ts'
import {
  countWrong,
  listFirmwareIds,
  listStated,
  type WrongLicence,
  type WrongLicences,
} from './kept-store.ts'
import { listRules, type StoredRules } from './store.ts'

/**
 * By version: components whose licence may not ship, and those of which nobody can tell, as their licence is not known and that alone is
 * no reason to stop them. Versions for which there are no rules are left out.
 */
export async function countFailingLicences(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<Map<string, WrongLicences>> {
  const versions = await listFirmwareIds(db, workspaceId, firmwareVersionIds)
  const firmwareIds = [...new Set(versions.map(({ firmwareId }) => firmwareId))]
  const rules = await listRules(db, { workspaceId, firmwareIds })
  const ruled = versions.flatMap(({ id, firmwareId }) => {
    const rulesOf = rules.has(firmwareId) ? firmwareId : null
    return rules.has(rulesOf) ? [{ id, rulesOf }] : []
  })
  if (ruled.length === 0) return new Map()
  const wrong = await listWrong(db, workspaceId, rules)
  const counts = await countWrong(db, { workspaceId, versions: ruled, wrong })
  return new Map(ruled.map(({ id }) => [id, counts.get(id) ?? { failing: 0, unknown: 0 }]))
}

async function listWrong(
  db: Db,
  workspaceId: string,
  rules: ReadonlyMap<string | null, StoredRules>,
): Promise<WrongLicence[]> {
  const pause = startPauses()
  const wrong: WrongLicence[] = []
  for (const { key, licenses, isSpdx } of await listStated(db, workspaceId))
    for (const [rulesOf, held] of rules) {
      await pause()
      const { outcome } = judgeLicence(combineLicences(licenses, isSpdx), held)
      if (isWrong(outcome, held)) wrong.push({ key, rulesOf, fails: held.failOn.includes(outcome) })
    }
  return wrong
}

/** What is not known may be what the rules stop. */
const isWrong = (outcome: LicenceOutcome, { failOn }: StoredRules) =>
  failOn.includes(outcome) || (outcome === 'unknown' && failOn.length > 0)
