/** Where findings of a version end: in which version of the component, and in which of ours. */
import { decodeFindingId } from '../../../formats/finding-id.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { listFixedVersions } from '../../matching/index.ts'
import * as store from './store.ts'

/** Older ones are not looked at: the fix that people want to know is in the newest. */
const MOST_LATER = 50
const MOST_FIXED = 10

export interface ListFindingFixes {
  workspaceId: string
  firmwareVersionId: string
  findingIds: readonly string[]
}

export async function listFindingFixes(db: Db, input: ListFindingFixes) {
  const { workspaceId } = input
  const { id: firmwareVersionId } = await getFirmwareVersion(
    db,
    workspaceId,
    input.firmwareVersionId,
  )
  const wanted = input.findingIds.flatMap((findingId) => {
    const key = decodeFindingId(findingId)
    return key?.firmwareVersionId === firmwareVersionId ? [{ findingId, ...key }] : []
  })
  const version = { workspaceId, firmwareVersionId }
  const matched = await store.listMatchedRecords(db, version, wanted)
  const vulnerabilityIds = [...new Set(wanted.map(({ vulnerabilityId }) => vulnerabilityId))]
  const later = await store.listLaterVersions(db, { ...version, vulnerabilityIds }, MOST_LATER)
  const recordsOf = new Map(matched.map((each) => [describePair(each), each]))
  return {
    laterVersionCount: later.length,
    fixes: wanted.flatMap(({ findingId, ...pair }) => {
      const records = recordsOf.get(describePair(pair))
      if (!records) return []
      return {
        findingId,
        fixedVersions: listFixedVersions(records.affected, records.version).slice(0, MOST_FIXED),
        fixedIn: findFirstFixed(later, pair.vulnerabilityId),
      }
    }),
  }
}

const describePair = ({ packageId, vulnerabilityId }: store.MatchedPair) =>
  `${packageId} ${vulnerabilityId}`

/** The first of the later versions from which on none has the vulnerability. */
function findFirstFixed(later: readonly store.LaterVersion[], vulnerabilityId: string) {
  const lastWith = later.findLastIndex((version) =>
    version.vulnerabilityIds.includes(vulnerabilityId),
  )
  const first = later[lastWith + 1]
  return first ? { id: first.id, name: first.name } : null
}
