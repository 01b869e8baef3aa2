/** Which licences a version brings and leaves, by what the rules say of them. */
import { LICENCE_OUTCOMES, type LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import type { Db } from '../../platform/db/connect.ts'
import { startPauses } from '../../platform/pauses.ts'
import { readLicenceJudge } from './judge-service.ts'
import * as store from './store.ts'

interface ComparedVersions {
  workspaceId: string
  firmwareId: string
  baseId: string
  versionId: string
}

/**
 * Both are judged by the rules of the firmware. A component is its name: another version of it under a licence that is judged the same
 * is no change. null: there are no rules.
 */
export async function compareLicences(
  db: Db,
  { workspaceId, firmwareId, baseId, versionId }: ComparedVersions,
) {
  const judge = await readLicenceJudge(db, { workspaceId, firmwareIds: [firmwareId] })
  const pause = startPauses()
  const read = async (firmwareVersionId: string) => {
    const judged = new Map<string, LicenceOutcome>()
    for (const { name, ...stated } of await store.listNamedLicences(db, {
      workspaceId,
      firmwareVersionId,
    })) {
      await pause()
      const outcome = judge({ ...stated, firmwareId, scope: null })
      if (outcome !== null) judged.set(JSON.stringify([name, outcome]), outcome)
    }
    return judged
  }
  if (judge({ firmwareId, licenses: [], isSpdx: false, scope: null }) === null) return null
  const [before, after] = [await read(baseId), await read(versionId)]
  return { brought: countNew(after, before), left: countNew(before, after) }
}

type Judged = ReadonlyMap<string, LicenceOutcome>

function countNew(those: Judged, others: Judged): Record<LicenceOutcome, number> {
  const outcomes = [...those].flatMap(([key, outcome]) => (others.has(key) ? [] : [outcome]))
  const counted = LICENCE_OUTCOMES.map((one) => [one, outcomes.filter((it) => it === one).length])
  return Object.fromEntries(counted) as Record<LicenceOutcome, number>
}
