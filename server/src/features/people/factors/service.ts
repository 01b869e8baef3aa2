/** The second factor: codes of an authenticator app, and recovery codes. */
import { randomBytes } from 'node:crypto'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { groupAddress } from '../../../platform/http/address-group.ts'
import { decryptSecret, encryptSecret } from '../../../platform/secret-encryption.ts'
import {
  markSecondFactor,
  recordPersonAudit,
  type SignedIn,
  unauthorized,
  type Visitor,
  weakenSessions,
} from '../../auth/index.ts'
import { SignInRefused } from '../schemas.ts'
import { attemptSucceeded, beginAttempt } from '../sign-in/attempts-service.ts'
import { limitNetwork, listSecondFactorLimits } from '../sign-in/limits.ts'
import { confirmPassword, replaceSession, type SignInOutcome } from '../sign-in/service.ts'
import { readCredentials } from '../store.ts'
import { endOlderSessions, requireRecentFactor } from './recent-factor-service.ts'
import { createRecoveryCodes, hashRecoveryCode } from './recovery-codes.ts'
import * as store from './store.ts'
import { base32, formatKeyUri, findMatchingStep, SECRET_BYTES } from './totp.ts'

interface SecondStep {
  me: SignedIn | undefined
  code?: string
  recoveryCode?: string
  visitor: Visitor
}

/** The second step of a sign-in, or the factor shown once more. */
export async function enterSecondFactor(
  ctx: AppContext,
  { me, code, recoveryCode, visitor }: SecondStep,
): Promise<SignInOutcome> {
  const from = groupAddress(visitor.address)
  if (me === undefined) {
    await beginAttempt(ctx, [limitNetwork('second-factor', from)])
    throw unauthorized('Sign in first.')
  }
  const limits = listSecondFactorLimits(me.personId, from)
  await beginAttempt(ctx, limits)
  const { personId } = me
  const outcome = await ctx.db.transaction().execute(async (tx) => {
    const isKnown =
      code === undefined
        ? await useRecoveryCode(ctx, tx, { me, code: recoveryCode ?? '' })
        : await useCode(ctx, tx, { personId, code })
    return isKnown ? replaceSession(ctx, tx, me, visitor) : undefined
  })
  if (!outcome) throw await refuseCode(ctx, me, visitor)
  await attemptSucceeded(ctx, limits)
  return outcome
}

async function refuseCode(
  ctx: AppContext,
  { email }: SignedIn,
  { address, requestId }: Visitor,
): Promise<AppError> {
  const refused = { email, method: 'SecondFactor', address, requestId }
  await ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, SignInRefused, refused))
  return wrongCode()
}

function wrongCode(): AppError {
  return new AppError(
    'forbidden',
    'wrong-code',
    'The code is wrong or was used already. Codes of an app work once, and for about a minute.',
  )
}

const namePlace = (row: string) => ({ table: 'totp_secrets', column: 'secret', row })

function readSecret({ config }: AppContext, personId: string, { secret }: { secret: Buffer }) {
  return decryptSecret(config.encryptionKeys, namePlace(personId), secret)
}

/** Takes a code of the app once; false: it is wrong. */
async function useCode(
  ctx: AppContext,
  tx: Tx,
  { personId, code }: { personId: string; code: string },
): Promise<boolean> {
  const row = await store.lockSecret(tx, personId)
  if (!row?.confirmedAt) return false
  const lastStep = row.lastStep ?? undefined
  const step = findMatchingStep(readSecret(ctx, personId, row), code, { at: ctx.now(), lastStep })
  if (step === undefined) return false
  await store.updateSecret(tx, personId, { lastStep: step, confirmedAt: row.confirmedAt })
  return true
}

async function useRecoveryCode(
  ctx: AppContext,
  tx: Tx,
  { me: { personId, actor }, code }: { me: SignedIn; code: string },
): Promise<boolean> {
  const codeHash = hashRecoveryCode(code)
  if (!(await store.useRecoveryCode(tx, personId, { codeHash, usedAt: ctx.now() }))) return false
  const { recoveryCodesLeft } = await readCredentials(tx, personId)
  const after = { recoveryCodesLeft }
  await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.use-recovery-code', after })
  return true
}

/** A new secret, which is in force once a code of it is entered. */
export async function beginTotp(ctx: AppContext, me: SignedIn) {
  const { personId, email } = me
  const secret = randomBytes(SECRET_BYTES)
  const isNew = await ctx.db.transaction().execute(async (tx) => {
    await requireRecentFactor(ctx, tx, me)
    const encrypted = encryptSecret(ctx.config.encryptionKeys, namePlace(personId), secret)
    return store.putSecret(tx, { personId, secret: encrypted, createdAt: ctx.now() })
  })
  if (!isNew)
    throw new AppError(
      'conflict',
      'totp-in-use',
      'Codes of an app are your second factor already. Remove that first.',
    )
  const text = base32(secret)
  return { secret: text, uri: formatKeyUri(text, email) }
}

/** The answer holds the recovery codes, which are never shown again. The present session has shown the factor. */
export async function confirmTotp(
  ctx: AppContext,
  { me, visitor }: CodeOfSession,
  { code }: { code: string },
) {
  const limits = listSecondFactorLimits(me.personId, groupAddress(visitor.address))
  await beginAttempt(ctx, limits)
  const recoveryCodes = await addTotp(ctx, me, code)
  await attemptSucceeded(ctx, limits)
  return recoveryCodes
}

async function addTotp(ctx: AppContext, me: SignedIn, code: string) {
  const { personId, sessionId, actor } = me
  return ctx.db.transaction().execute(async (tx) => {
    const factors = await requireRecentFactor(ctx, tx, me)
    const row = await store.lockSecret(tx, personId)
    if (!row || row.confirmedAt)
      throw new AppError('conflict', 'totp-not-begun', 'Begin with POST /me/totp.')
    const secret = readSecret(ctx, personId, row)
    const step = findMatchingStep(secret, code, { at: ctx.now(), lastStep: undefined })
    if (step === undefined)
      throw invalid('The code is not of this secret, or the clock of the phone is off.', '/code')
    await store.updateSecret(tx, personId, { lastStep: step, confirmedAt: ctx.now() })
    await markSecondFactor(tx, sessionId, ctx.now())
    const after = { sessionsEnded: await endOlderSessions(tx, me, factors) }
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.add-second-factor', after })
    return putRecoveryCodes(ctx, tx, personId)
  })
}

async function putRecoveryCodes(ctx: AppContext, tx: Tx, personId: string) {
  const recoveryCodes = createRecoveryCodes()
  const hashes = recoveryCodes.map(hashRecoveryCode)
  await store.replaceRecoveryCodes(tx, personId, { hashes, createdAt: ctx.now() })
  return { recoveryCodes }
}

/** Makes new recovery codes; the old ones work no more. */
export async function renewRecoveryCodes(ctx: AppContext, me: SignedIn) {
  const { personId, actor } = me
  return ctx.db.transaction().execute(async (tx) => {
    await requireRecentFactor(ctx, tx, me)
    const row = await store.lockSecret(tx, personId)
    if (!row?.confirmedAt)
      throw new AppError(
        'conflict',
        'no-second-factor',
        'Recovery codes replace codes of an app, and you have none. Add an app first.',
      )
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.renew-recovery-codes' })
    return putRecoveryCodes(ctx, tx, personId)
  })
}

interface RemoveTotp {
  me: SignedIn
  password?: string
  code?: string
  visitor: Visitor
}

/** A code shows the factor; beside a password the session must have shown one. Sessions that showed it count as without one. */
export async function removeTotp(
  ctx: AppContext,
  { me, password, code, visitor }: RemoveTotp,
): Promise<void> {
  const { personId, actor } = me
  if (code === undefined)
    await confirmPassword(ctx, { me, password, pointer: '/password', visitor })
  else await confirmCode(ctx, { me, visitor }, code)
  await ctx.db.transaction().execute(async (tx) => {
    if (code === undefined) await requireRecentFactor(ctx, tx, me)
    await store.deleteSecret(tx, personId)
    await weakenSessions(tx, personId)
    await recordPersonAudit(ctx, tx, { personId, actor, action: 'member.remove-second-factor' })
  })
}

interface CodeOfSession {
  me: SignedIn
  visitor: Visitor
}

async function confirmCode(
  ctx: AppContext,
  { me: { personId }, visitor }: CodeOfSession,
  code: string,
): Promise<void> {
  const limits = listSecondFactorLimits(personId, groupAddress(visitor.address))
  await beginAttempt(ctx, limits)
  const isRight = await ctx.db.transaction().execute((tx) => useCode(ctx, tx, { personId, code }))
  if (!isRight) throw wrongCode()
  await attemptSucceeded(ctx, limits)
}
