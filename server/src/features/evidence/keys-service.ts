/** Makes, replaces and uses the key that signs the evidence of a workspace. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { decryptSecret, encryptSecret } from '../../platform/secret-encryption.ts'
import { recordAudit } from '../audit/index.ts'
import * as store from './keys-store.ts'

type KeyContext = Pick<AppContext, 'db' | 'now' | 'config'>

interface Asked {
  workspaceId: string
  actor: Actor
}

export async function listEvidenceKeys(db: Db, { workspaceId }: { workspaceId: string }) {
  return { keys: await store.listKeys(db, workspaceId) }
}

export interface EvidenceSigner {
  publicKey: string
  fingerprint: string
  sign: (content: Uint8Array) => Buffer
}

/** The first bundle of a workspace makes its key. */
export async function openSigner(ctx: KeyContext, asked: Asked): Promise<EvidenceSigner> {
  const { workspaceId } = asked
  const known = await store.findSigningKey(ctx.db, workspaceId)
  const held =
    known ??
    (await ctx.db.transaction().execute(async (tx) => {
      await store.lockKeys(tx, workspaceId)
      const made = await store.findSigningKey(tx, workspaceId)
      if (made) return made
      await makeKey(ctx, tx, asked)
      return store.findSigningKey(tx, workspaceId)
    }))
  if (!held) throw new Error('The key was made in this transaction.')
  const place = namePlace(workspaceId, held.id)
  const seed = decryptSecret(ctx.config.encryptionKeys, place, held.secret)
  return { ...describeKey(seed), sign: (content) => signBytes(seed, content) }
}

/** Bundles of the former key stay as they are: each has the public key that it was signed with. */
export async function rotateEvidenceKey(ctx: KeyContext, asked: Asked): Promise<store.KeyRow> {
  const { workspaceId } = asked
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockKeys(tx, workspaceId)
    await store.deactivateKey(tx, { workspaceId, at: ctx.now() })
    return makeKey(ctx, tx, asked)
  })
}

async function makeKey(
  ctx: KeyContext,
  tx: Tx,
  { workspaceId, actor }: Asked,
): Promise<store.KeyRow> {
  const [id, seed, createdAt] = [newId(), randomBytes(SEED_BYTES), ctx.now()]
  const described = describeKey(seed)
  const secret = encryptSecret(ctx.config.encryptionKeys, namePlace(workspaceId, id), seed)
  await store.insertKey(tx, { workspaceId, id, ...described, secret, createdAt })
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    action: 'evidence-key.create',
    resourceType: 'evidence-key',
    resourceId: id,
    after: { fingerprint: described.fingerprint },
  })
  return { id, ...described, createdAt, retiredAt: null }
}

const namePlace = (workspaceId: string, id: string) => ({
  table: 'evidence_keys',
  column: 'secret',
  row: `${workspaceId}/${id}`,
})

const SEED_BYTES = 32
/** What comes before the seed in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

const readSeed = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })

function describeKey(seed: Buffer): { publicKey: string; fingerprint: string } {
  const key = createPublicKey(readSeed(seed))
  const der = key.export({ type: 'spki', format: 'der' })
  return {
    publicKey: key.export({ type: 'spki', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  }
}

function signBytes(seed: Buffer, content: Uint8Array): Buffer {
  return sign(null, content, readSeed(seed))
}
