/**
 * The database and the file store hold the same token, so that a node with files of its own is noticed: it would answer
 * "missing" for what the others stored, and delete what it does not know.
 */
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { ConfigError } from './config/config-error.ts'
import { findSecret, lockSecrets, replaceSecret } from './features/auth/index.ts'
import type { AppContext } from './platform/context.ts'
import type { Db } from './platform/db/connect.ts'
import { AppError } from './platform/errors.ts'
import { PROGRAMS } from './platform/programs.ts'

type ClaimContext = Pick<AppContext, 'db' | 'now' | 'blobs' | 'config' | 'log'>

/** The key of the file with the token. */
export const TOKEN_FILE = 'installation'
const SECRET = 'file-store'

/** Refuses to start on the files of another database, or on none where the database knows of a store. */
export async function claimFiles(ctx: ClaimContext): Promise<void> {
  // One node at a time: the first one decides which files are those of a new database.
  await ctx.db.transaction().execute(async (tx) => {
    await lockSecrets(tx)
    const stored = await readToken(ctx)
    if (stored === 'unknown') return
    const known = (await findSecret(tx, SECRET))?.toString('hex')
    if (known !== undefined && known === stored) return
    // The embedded database lies beside its files and serves one service.
    const mayClaim = known === undefined || ctx.config.databaseUrl === undefined
    if (!mayClaim) throw new ConfigError(refusal(ctx, stored))
    if (stored !== undefined && known === undefined)
      ctx.log.warn(
        'the files were used with another database before; those that this one does not know will be deleted',
      )
    await claim(ctx, tx, stored)
  })
}

/** For the operator, who knows better: the files are those of this database from now on. */
export async function adoptFiles(ctx: ClaimContext): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    await lockSecrets(tx)
    const stored = await readToken(ctx)
    await claim(ctx, tx, stored === 'unknown' ? undefined : stored)
  })
}

/** Writes the file first: without it, a row would make every later start fail. */
async function claim(
  { blobs, now }: ClaimContext,
  tx: Db,
  stored: string | undefined,
): Promise<void> {
  const token = stored ?? randomBytes(32).toString('hex')
  if (stored === undefined) await blobs.put(TOKEN_FILE, only(Buffer.from(token)))
  await replaceSecret(tx, { name: SECRET, value: Buffer.from(token, 'hex'), createdAt: now() })
}

// eslint-disable-next-line @typescript-eslint/require-await -- a store takes its content as it arrives
async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** undefined: the store holds none. unknown: it does not answer, which the first upload will tell. */
async function readToken({ blobs, log }: ClaimContext): Promise<string | undefined> {
  // A store that takes connections and never answers would hold the start up for minutes.
  const fault = await blobs.findFault()
  if (fault?.isAway) {
    log.warn({ fault: fault.detail }, 'whether the files belong to the database is not known')
    return 'unknown'
  }
  try {
    return (await text(await blobs.get(TOKEN_FILE))).trim()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'blob-not-found') return undefined
    log.warn(
      { err: { message: error.message } },
      'whether the files belong to the database is not known',
    )
    return 'unknown'
  }
}

function refusal({ config: { blobs } }: ClaimContext, stored: string | undefined): string {
  const [place, setting] =
    blobs.kind === 'fs'
      ? [`the folder ${blobs.directory}`, 'PLIMSOLL_DATA_DIR']
      : [`the bucket ${blobs.bucket}`, 'PLIMSOLL_S3_BUCKET']
  const what =
    stored === undefined ? 'does not hold the files' : 'holds files of another database, not those'
  return [
    `${setting}: ${place} ${what} of this database (DATABASE_URL). Other nodes would not find what this one stores.`,
    'Nodes with one database need one file store: set PLIMSOLL_S3_BUCKET, or PLIMSOLL_DATA_DIR to a folder that all of them share.',
    `If no other node uses this database, as after a restore without its files: ${PROGRAMS.admin} files adopt.`,
  ].join('\n')
}
