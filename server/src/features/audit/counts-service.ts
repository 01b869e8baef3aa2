/** Who acts how often, and in which way: what the log is narrowed by. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { AuditKind } from './kinds.ts'
import { MOST_ACTORS } from './schemas.ts'
import { findSentence } from './sentences.ts'
import { type LogFilter, readFilter } from './service.ts'
import * as store from './store.ts'
import { nameKey, type SubjectKey } from './subjects.ts'

interface ActorCount {
  actorType: Actor['type']
  actorId: string | null
  actorEmail: string | null
  count: number
}

export async function countAuditLog(ctx: AppContext, input: LogFilter & { workspaceId: string }) {
  const { workspaceId, ...asked } = input
  const acts = await store.countActs(ctx.db, workspaceId, readFilter(asked))
  const actors = addUp(acts, ({ actorType, actorId, actorEmail }) =>
    JSON.stringify([actorType, actorId ?? actorEmail]),
  )
  const kinds = addUp(acts, ({ action }) => findSentence(action)?.kind ?? null)
  return {
    count: acts.reduce((sum, { count }) => sum + count, 0),
    peopleCount: actors.filter(([, { actorType }]) => actorType === 'User').length,
    apiKeyCount: actors.filter(([, { actorType }]) => actorType === 'ApiKey').length,
    kinds: kinds.map(([kind, { count }]): { kind: AuditKind | null; count: number } => ({
      kind,
      count,
    })),
    actors: await nameActors(
      ctx.db,
      workspaceId,
      actors.slice(0, MOST_ACTORS).map(([, actor]) => actor),
    ),
  }
}

/** The sums by key, the greatest first; what else a row says is that of one of its rows. */
function addUp<Row extends { count: number }, Key>(
  rows: readonly Row[],
  keyOf: (row: Row) => Key,
): [Key, Row][] {
  const sums = new Map<Key, Row>()
  for (const row of rows) {
    const key = keyOf(row)
    sums.set(key, { ...row, count: row.count + (sums.get(key)?.count ?? 0) })
  }
  return [...sums].toSorted(([, one], [, other]) => other.count - one.count)
}

async function nameActors(db: Db, workspaceId: string, actors: readonly ActorCount[]) {
  const keys = actors.flatMap((actor) => subjectOf(actor) ?? [])
  const rows = await store.listLastNames(db, workspaceId, keys)
  const names = new Map(rows.map((row) => [nameKey(row), row.name]))
  return actors.map((actor) => {
    const { actorType, actorId, actorEmail, count } = actor
    const key = subjectOf(actor)
    const name = (key && names.get(nameKey(key))) ?? null
    return { actorType, actorId, actorEmail, name, count }
  })
}

function subjectOf({ actorType, actorId: id }: ActorCount): SubjectKey | undefined {
  if (id === null) return undefined
  if (actorType === 'ApiKey') return { type: 'api-key', id }
  return actorType === 'User' ? { type: 'member', id } : undefined
}
