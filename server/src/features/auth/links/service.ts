/** Links that work once. Their token is in the fragment, which browsers never send or log; only its hash is stored. */
import { createHash, randomBytes } from 'node:crypto'
import { addMs, DAY_MS, MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import * as store from './store.ts'

const LASTS_MS: Record<store.LinkKind, number> = {
  Setup: 7 * DAY_MS,
  Invitation: 7 * DAY_MS,
  PasswordReset: 30 * MINUTE_MS,
  SignIn: DAY_MS,
}

export interface NewLink {
  kind: store.LinkKind
  personId: string
  /** Only the reader of the person's address gets the link. */
  mailed?: boolean
  invitation?: { workspaceId: string; id: string }
}

export async function createLink(
  ctx: Pick<AppContext, 'now' | 'config'>,
  tx: Tx,
  { kind, personId, mailed = false, invitation }: NewLink,
): Promise<{ url: string; expiresAt: Date }> {
  const token = randomBytes(32).toString('base64url')
  const createdAt = ctx.now()
  const expiresAt = addMs(createdAt, LASTS_MS[kind])
  const invitedTo = invitation?.workspaceId ?? null
  await store.insertLink(tx, {
    tokenHash: hashToken(token),
    kind,
    personId,
    createdAt,
    expiresAt,
    mailed,
    invitedTo,
    invitationId: invitation?.id ?? null,
  })
  return { url: `${ctx.config.publicUrl}${PAGES[kind]}${token}`, expiresAt }
}

const PAGES: Record<store.LinkKind, string> = {
  Setup: '/setup#token=',
  Invitation: '/link#',
  PasswordReset: '/link#',
  SignIn: '/link#',
}

/** Throws when the link was used, has expired or never existed. */
export async function readLink(ctx: { db: Db; now: () => Date }, token: string) {
  const link = await store.findLink(ctx.db, hashToken(token), ctx.now())
  if (!link) throw linkNotFound()
  return link
}

/** Uses up the link, or throws when somebody else did. With one that sets a password go all that do. */
export async function useLink(
  tx: Tx,
  token: string,
  { kind, personId, usedAt }: { kind: store.LinkKind; personId: string; usedAt: Date },
): Promise<void> {
  if (!(await store.useLink(tx, hashToken(token), usedAt))) throw linkNotFound()
  if (SETS_PASSWORD.includes(kind))
    await store.voidLinks(tx, personId, { kinds: SETS_PASSWORD, usedAt })
}

const SETS_PASSWORD: readonly store.LinkKind[] = ['Setup', 'PasswordReset']

function linkNotFound(): AppError {
  return new AppError(
    'notFound',
    'link-not-found',
    'This link was already used, has expired or never existed. Ask for a new one.',
  )
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
