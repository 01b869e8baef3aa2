/** Limits attempts to sign in. The counts are in the database, so that they hold on every node. */
import { SECOND_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import * as store from './attempts-store.ts'
import type { AttemptLimit } from './limits.ts'

/** Throws `too-many-attempts` while the next attempt has to wait. `attemptSucceeded` takes a count back. */
export async function beginAttempt(
  ctx: AppContext,
  limits: readonly AttemptLimit[],
): Promise<void> {
  const now = ctx.now()
  for (const limit of limits)
    if (!(await store.countAttempt(ctx.db, limit, now))) throw await tooMany(ctx, limits)
}

/** As `beginAttempt`; the answer is false instead of an error. */
export async function mayAttempt(
  ctx: AppContext,
  limits: readonly AttemptLimit[],
): Promise<boolean> {
  const now = ctx.now()
  for (const limit of limits) if (!(await store.countAttempt(ctx.db, limit, now))) return false
  return true
}

async function tooMany(ctx: AppContext, limits: readonly AttemptLimit[]): Promise<AppError> {
  const keys = limits.map(({ key }) => key)
  const until = (await store.findBlockEnd(ctx.db, keys)) ?? ctx.now()
  const seconds = Math.max(1, Math.ceil((until.getTime() - ctx.now().getTime()) / SECOND_MS))
  const error = new AppError(
    'rateLimited',
    'too-many-attempts',
    `There were too many attempts. Try again in ${seconds} s.`,
  )
  error.retryAfterSeconds = seconds
  return error
}

/** The first limit is that of the account, which begins anew; the others forget this attempt only. */
export async function attemptSucceeded(
  ctx: AppContext,
  [own, ...others]: readonly AttemptLimit[],
): Promise<void> {
  if (own) await store.deleteAttempts(ctx.db, own.key)
  for (const { key } of others) await store.uncountAttempt(ctx.db, key)
}

export async function sweepAttempts(ctx: AppContext): Promise<void> {
  await store.deleteOldAttempts(ctx.db, ctx.now())
}
