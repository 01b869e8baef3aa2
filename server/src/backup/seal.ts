/** Encryption of a backup in the format age (age-encryption.org/v1), so that `age` itself can read it, too. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { ConfigError } from '../config/config-error.ts'
import { AppError } from '../platform/errors.ts'
import { damaged, refused } from './problems.ts'

export interface Seal {
  /** In order; none: nothing is encrypted. */
  recipients: readonly string[]
  /** Whether what is encrypted can be read. */
  canOpen: boolean
  close: (content: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>
  /** `name` is told when it cannot be opened. */
  open: (content: AsyncIterable<Uint8Array>, name: string) => Promise<AsyncIterable<Uint8Array>>
}

export const PLAIN: Seal = {
  recipients: [],
  canOpen: false,
  close: (content) => Promise.resolve(content),
  open: (content) => Promise.resolve(content),
}

/** The folder of the contents: those that are encrypted to others cannot be shared. */
export function nameContentFolder(recipients: readonly string[]): string {
  if (recipients.length === 0) return 'blobs/'
  const digest = createHash('sha256').update(recipients.join('\n')).digest('hex')
  return `blobs/${digest.slice(0, 16)}/`
}

/** Needs no secret: who backs up need not be able to read backups. */
export async function sealTo(recipients: readonly string[]): Promise<Seal> {
  if (recipients.length === 0) return PLAIN
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new ConfigError(
        `${JSON.stringify(recipient)} is no recipient of age: it must begin with age1, as age-keygen prints it.`,
      )
    }
  return {
    ...PLAIN,
    recipients: [...new Set(recipients)].toSorted(),
    close: async (content) => encrypter.encrypt(webStream(content)),
  }
}

/** `path` undefined: what is encrypted is only compared with its sums. */
export async function openSeal(
  recipients: readonly string[],
  path: string | undefined,
): Promise<Seal> {
  if (recipients.length === 0) return PLAIN
  if (path === undefined)
    return {
      ...PLAIN,
      recipients,
      open: () => {
        throw refused('The backup is encrypted. Name the file with its key: --identity FILE.')
      },
    }
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  for (const identity of await readIdentities(path)) decrypter.addIdentity(identity)
  return {
    ...PLAIN,
    recipients,
    canOpen: true,
    open: async (content, name) => {
      try {
        return telling(await decrypter.decrypt(webStream(content)), name)
      } catch (error) {
        throw explainFailure(error, name, { path, recipients })
      }
    },
  }
}

async function readIdentities(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`--identity: ${error instanceof Error ? error.message : String(error)}`)
  })
  const { Decrypter } = await import('age-encryption')
  const lines = text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'))
  try {
    for (const line of lines) new Decrypter().addIdentity(line)
  } catch {
    lines.length = 0
  }
  if (lines.length === 0)
    throw new ConfigError(
      `--identity: ${path} holds no key of age. Its line begins with AGE-SECRET-KEY-, as age-keygen writes it.`,
    )
  return lines
}

/** Errors of its source pass through. */
function webStream(content: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const source =
    content instanceof Readable ? content : Readable.from(content, { objectMode: false })
  return ReadableStream.from<Uint8Array>(source)
}

async function* telling(
  content: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (error) {
    throw isOfSource(error) ? error : damaged(name, 'cannot be decrypted')
  }
}

/** Those of age have no code. */
const isOfSource = (error: unknown) =>
  error instanceof AppError || (error instanceof Error && 'code' in error)

function explainFailure(
  error: unknown,
  name: string,
  { path, recipients }: { path: string; recipients: readonly string[] },
): unknown {
  if (isOfSource(error)) return error
  return /no identity matched/.test(String(error))
    ? refused(
        `The key in ${path} cannot open the backup, which is encrypted to ${recipients.join(', ')}.`,
      )
    : damaged(name, 'cannot be decrypted')
}
