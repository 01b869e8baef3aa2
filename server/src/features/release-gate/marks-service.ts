/** What the release gate would stop in many versions at once, for their marks: the rules of `assessGate`, without the findings themselves. */
import { formatDay } from '../../formats/support/states.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { GateFacts } from '../firmware/index.ts'
import { countFailingLicences } from '../licences/index.ts'
import { listSupportCounts, type SupportCounts } from '../support/index.ts'
import * as store from './marks-store.ts'
import { readUrgency } from './urgency-service.ts'

interface AskedVersions {
  workspaceId: string
  /** undefined: all. */
  firmwareVersionIds?: readonly string[] | undefined
}

/** By version. Versions of which the gate asks nothing beside findings are left out. */
export async function listGateFacts(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, firmwareVersionIds }: AskedVersions,
): Promise<ReadonlyMap<string, GateFacts>> {
  const rules = await store.findAskedRules(db, workspaceId)
  const isAsked =
    rules &&
    (rules.forbidsExploited || rules.asksUrgency || rules.asksLicences || rules.asksSupport)
  if (!isAsked) return new Map()
  const versions = await store.listRuledVersions(db, workspaceId, firmwareVersionIds)
  if (versions.length === 0) return new Map()
  const asked = { workspaceId, versions }
  const named = { workspaceId, firmwareVersionIds: versions.map(({ id }) => id) }
  const exploited = rules.forbidsExploited
    ? await store.countExploitedAcceptances(db, named)
    : undefined
  const licences = rules.asksLicences
    ? await countFailingLicences(db, { ...named, readsUncounted: false })
    : undefined
  const support = rules.asksSupport ? await countSupport(db, asked, formatDay(now())) : undefined
  const urgency = rules.asksUrgency
    ? await readUrgency(db, { workspaceId, ...rules }, named.firmwareVersionIds)
    : undefined
  return new Map(
    versions.map(({ id }) => {
      const [ofLicences, ofSupport] = [licences?.get(id), support?.get(id)]
      return [
        id,
        {
          ...(exploited && { exploitedAcceptances: exploited.get(id) ?? 0 }),
          ...(urgency && { urgency: { from: urgency.from, count: urgency.countOf(id) } }),
          ...(ofLicences !== undefined && { licences: ofLicences }),
          ...(ofSupport && { support: ofSupport }),
        },
      ]
    }),
  )
}

interface Versions {
  workspaceId: string
  versions: readonly store.RuledVersion[]
}

const listIds = (versions: readonly store.RuledVersion[]) => versions.map(({ id }) => id)

async function countSupport(
  db: Db,
  { workspaceId, versions }: Versions,
  day: string,
): Promise<Map<string, NonNullable<GateFacts['support']>>> {
  const ruled = versions.filter(({ supportRule }) => supportRule !== 'NotAsked')
  const asked = { workspaceId, firmwareVersionIds: listIds(ruled), day }
  const found = ruled.length === 0 ? [] : await listSupportCounts(db, asked)
  const counts = new Map<string, SupportCounts>(found.map((one) => [one.firmwareVersionId, one]))
  return new Map(
    ruled.flatMap(({ id, supportRule: rule }) => {
      const own = counts.get(id)
      if (rule === 'NotAsked' || !own) return []
      const { firmwareVersionId: _id, ...facts } = own
      return [[id, { rule, ...facts }] as const]
    }),
  )
}
