/** Limits attempts to sign in. The counts are in the database, so that they hold on every node. */
import { SECOND_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, busy } from '../../../platform/errors.ts'
import { groupAddress } from '../../../platform/http/address-group.ts'
import { NoTurn, Turns } from '../../../platform/turns.ts'
import { hashPassword, type Visitor } from '../../auth/index.ts'
import * as store from './attempts-store.ts'
import { type AttemptLimit, type Door, limitNetwork } from './limits.ts'

/** Throws `too-many-attempts` while the next attempt has to wait. `attemptSucceeded` takes a count back. */
export async function beginAttempt(
  ctx: AppContext,
  limits: readonly AttemptLimit[],
): Promise<void> {
  const now = ctx.now()
  for (const limit of limits)
    if (!(await store.countAttempt(ctx.db, limit, now))) throw await tooMany(ctx, limits)
}

async function tooMany(ctx: AppContext, limits: readonly AttemptLimit[]): Promise<AppError> {
  const keys = limits.map(({ key }) => key)
  const until = (await store.findBlockEnd(ctx.db, keys)) ?? ctx.now()
  return waitFor(until.getTime() - ctx.now().getTime())
}

function waitFor(ms: number): AppError {
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS))
  const error = new AppError(
    'rateLimited',
    'too-many-attempts',
    `There were too many attempts. Try again in ${seconds} s.`,
  )
  error.retryAfterSeconds = seconds
  return error
}

/** Own limits begin anew; the others forget this attempt only. */
export async function attemptSucceeded(
  ctx: AppContext,
  limits: readonly AttemptLimit[],
): Promise<void> {
  for (const { key, isOwn } of limits)
    await (isOwn ? store.deleteAttempts(ctx.db, key) : store.uncountAttempt(ctx.db, key))
}

/** Counts what a network tries at a door; what succeeds is not counted. */
export async function countAtDoor<Result>(
  ctx: AppContext,
  { door, address }: { door: Door; address: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const limits = [limitNetwork(door, groupAddress(address))]
  await beginAttempt(ctx, limits)
  const result = await work()
  await attemptSucceeded(ctx, limits)
  return result
}

/** Counts what a network begins, until `finishAtDoor`. */
export async function beginAtDoor(ctx: AppContext, door: Door, address: string): Promise<void> {
  await beginAttempt(ctx, [limitNetwork(door, groupAddress(address))])
}

export async function finishAtDoor(ctx: AppContext, door: Door, address: string): Promise<void> {
  await attemptSucceeded(ctx, [limitNetwork(door, groupAddress(address))])
}

/**
 * Hashing takes memory and all of a processor, in one of the four threads that also read files: few passwords are hashed at
 * once, and networks take turns.
 */
const TURNS = { all: 2, each: 1, waitMs: 10 * SECOND_MS }
const attemptTurns = () => new Turns(TURNS)

/** Attempts of one network are looked at one after another, so that many at once hold up nobody else. */
export async function runInTurn<Result>(
  ctx: AppContext,
  address: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = await takeTurn(ctx, groupAddress(address))
  try {
    return await work()
  } finally {
    end()
  }
}

/** The form of a new password to store. */
export async function hashInTurn(
  ctx: AppContext,
  { address }: Pick<Visitor, 'address'>,
  password: string,
): Promise<string> {
  const { passwordCost } = ctx.config.people
  return runInTurn(ctx, address, () => hashPassword(password, passwordCost))
}

async function takeTurn(ctx: AppContext, network: string): Promise<() => void> {
  try {
    return await ctx.memory.of(attemptTurns).take(network)
  } catch (error) {
    if (!(error instanceof NoTurn)) throw error
    throw error.limit === 'owner' ? waitFor(TURNS.waitMs) : busy()
  }
}

export async function sweepAttempts(ctx: AppContext): Promise<void> {
  await store.deleteOldAttempts(ctx.db, ctx.now())
}
