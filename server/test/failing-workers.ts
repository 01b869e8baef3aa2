/** Workers that die, or lose the database, at a chosen statement. */
import { type KyselyPlugin, sql } from 'kysely'
import type { AppContext } from '../src/platform/context.ts'
import type { Db } from '../src/platform/db/connect.ts'

export const FAULTS = ['dies', 'statement', 'timeout', 'session', 'answer'] as const
/**
 * `dies`: no statement is sent from then on; `statement`: only this statement fails; `timeout`: it takes too long; `session`:
 * the database ends all open transactions on alerts after it; `answer`: the commit succeeds, but its answer is lost.
 */
export type Fault = (typeof FAULTS)[number]

export class WorkerFault extends Error {}

/** The error of PostgreSQL for a statement that exceeds its time limit. */
export class StatementTimeout extends WorkerFault {
  readonly code = '57014'
}

interface FailingOptions {
  fault: Fault
  at: number
  /** What a statement that is not sent, or a commit that is not answered, throws. */
  createError?: (message: string) => Error
  /** Gets the number of each statement, or transaction. */
  onStep?: (count: number) => void
}

const createFault = (message: string) => new WorkerFault(message)

/** The context of a worker with this fault at its n-th statement; for `answer`: its n-th transaction. */
export function failing<Context extends Pick<AppContext, 'db'>>(
  ctx: Context,
  options: FailingOptions,
): Context {
  const { fault, at, createError = createFault, onStep } = options
  if (fault === 'answer') return { ...ctx, db: losingAnswers(ctx.db, options) }
  let statements = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1
      onStep?.(statements)
      const isHit = statements === at
      if (isHit && fault === 'timeout') throw new StatementTimeout(`statement ${at} takes too long`)
      if ((isHit && fault === 'statement') || (statements >= at && fault === 'dies'))
        throw createError(`statement ${statements} is never sent`)
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

function losingAnswers(db: Db, { at, createError = createFault, onStep }: FailingOptions): Db {
  let transactions = 0
  const losing = () => ({
    execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
      transactions += 1
      onStep?.(transactions)
      const isLost = transactions === at
      const result = await db.transaction().execute(work)
      if (isLost) throw createError('the commit is never answered')
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

/** The context of a worker for which statements with this rule and this text in their SQL take too long. */
export function slowWith<Context extends Pick<AppContext, 'db'>>(
  ctx: Context,
  { ruleId, sqlText }: { ruleId: string; sqlText: string },
): Context {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      const text = JSON.stringify(node)
      if (text.includes(ruleId) && text.includes(sqlText)) throw new StatementTimeout('too long')
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { ...ctx, db: ctx.db.withPlugin(plugin) }
}
