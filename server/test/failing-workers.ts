/** Workers that die, or lose the database, at a chosen statement. */
import { type KyselyPlugin, sql } from 'kysely'
import type { AppContext } from '../src/platform/context.ts'
import type { Db } from '../src/platform/db/connect.ts'

export const FAULTS = ['dies', 'statement', 'timeout', 'session', 'answer'] as const
/**
 * `dies`: nothing is sent any more from then on; `statement`: this one alone fails; `timeout`: it takes
 * too long; `session`: the database ends all
 * transactions about alerts behind it; `answer`: what was committed is not heard of.
 */
export type Fault = (typeof FAULTS)[number]

export class WorkerFault extends Error {}

/** What PostgreSQL says of a statement it ends, since it takes too long. */
export class StatementTimeout extends WorkerFault {
  readonly code = '57014'
}

/** The context of a worker that this happens to at its so manieth statement, or transaction for `answer`. */
export function failing<Context extends Pick<AppContext, 'db'>>(
  ctx: Context,
  { fault, at }: { fault: Fault; at: number },
): Context {
  if (fault === 'answer') return { ...ctx, db: losingAnswers(ctx.db, at) }
  let statements = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1
      const isHit = statements === at
      if (isHit && fault === 'timeout') throw new StatementTimeout(`statement ${at} takes too long`)
      if ((isHit && fault === 'statement') || (statements >= at && fault === 'dies'))
        throw new WorkerFault(`statement ${statements} is never sent`)
      return node
    },
    transformResult: async ({ result }) => {
      if (fault === 'session' && statements === at) await endSessions(ctx.db)
      return result
    },
  }
  return { ...ctx, db: ctx.db.withPlugin(plugin) }
}

async function endSessions(db: Db): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and state = 'idle in transaction' and query like '%alert_%'`.execute(db)
}

function losingAnswers(db: Db, at: number): Db {
  let transactions = 0
  const losing = () => ({
    execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
      transactions += 1
      const isLost = transactions === at
      const result = await db.transaction().execute(work)
      if (isLost) throw new WorkerFault('the commit is never answered')
      return result
    },
  })
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return losing
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

/** For this worker whatever speaks of this rule and these words takes too long. */
export function slowWith<Context extends Pick<AppContext, 'db'>>(
  ctx: Context,
  { ruleId, words }: { ruleId: string; words: string },
): Context {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const text = JSON.stringify(node)
      if (text.includes(ruleId) && text.includes(words)) throw new StatementTimeout('too long')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { ...ctx, db: ctx.db.withPlugin(plugin) }
}
