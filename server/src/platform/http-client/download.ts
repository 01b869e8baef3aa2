/** Downloads files over HTTP: sends conditional requests, resumes interrupted downloads, and tries again. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asFailure, type HttpClient, type HttpResponse } from './http-client.ts'
import { HttpFailure } from './http-failure.ts'
import { backOffMs } from './retry-delay.ts'

/** The validators of a server for the content that it sent. */
export interface Validators {
  etag?: string | undefined
  lastModified?: string | undefined
}

export interface Download {
  url: string
  /** The path of the complete file. The part is kept beside it during the download, and after a crash. */
  to: string
  /** The validators of the known content, which is not sent again. */
  known?: Validators
  headers?: Record<string, string>
  maxBytes?: number
  /** The statuses with which this server answers too many requests. */
  alsoTransient?: readonly number[]
  onProgress?: (bytes: number, total: number | undefined) => void
  /** Of the answer that the file is. */
  onHeaders?: (headers: Record<string, string>) => void
  signal: AbortSignal
}

export type DownloadOutcome = { isNew: false } | ({ isNew: true; bytes: number } & Validators)

export async function download(client: HttpClient, asked: Download): Promise<DownloadOutcome> {
  const { retry, totalMs } = client.settings
  const deadline = AbortSignal.timeout(totalMs)
  const signal = AbortSignal.any([asked.signal, deadline])
  await mkdir(dirname(asked.to), { recursive: true })
  for (let fruitless = 0; ;) {
    const before = await readSize(namePart(asked.to))
    try {
      return await attempt(client, asked, signal)
    } catch (error) {
      if (deadline.aborted && !asked.signal.aborted)
        throw new HttpFailure(`${asked.url} took longer than ${Math.round(totalMs / 1000)} s.`)
      const failure = asFailure(error, new URL(asked.url).host, asked.signal)
      const gain = (await readSize(namePart(asked.to))) - before
      fruitless = gain >= MIN_GAIN_BYTES ? 0 : fruitless + 1
      if (!isWorthRetrying(failure, asked) || fruitless >= retry.attempts) throw failure
      const asksFor = failure.retryAfterMs
      if (asksFor !== undefined && asksFor > retry.maxMs) throw failure
      await delay(asksFor ?? backOffMs(fruitless, retry), undefined, { signal: asked.signal })
    }
  }
}

/** Limits the attempts: a server that sends a few bytes per attempt would hold a download for hours. */
const MIN_GAIN_BYTES = 64 * 1024

function isWorthRetrying(failure: Error, { alsoTransient = [] }: Download): failure is HttpFailure {
  if (!(failure instanceof HttpFailure)) return false
  return failure.isTransient || alsoTransient.includes(failure.status ?? 0)
}

const namePart = (path: string) => `${path}.part`
const nameNotes = (path: string) => `${path}.part.json`

/** The validators of the content that the part belongs to. */
interface PartNotes extends Validators {
  url: string
}

async function attempt(
  client: HttpClient,
  asked: Download,
  signal: AbortSignal,
): Promise<DownloadOutcome> {
  const { url, to, known = {} } = asked
  const part = await resumablePart(asked)
  const response = await client.get(
    url,
    { ...asked.headers, ...(part ? rangeHeaders(part) : conditionHeaders(known)) },
    signal,
  )
  if (response.status === 304) {
    await response.discard()
    return { isNew: false }
  }
  if (response.status === 416 || response.status === 412) {
    await response.discard()
    await forgetPart(to)
    throw new HttpFailure(`${url} cannot be resumed.`, { isTransient: true })
  }
  const from = await findStart(response, part, asked)
  await receive(client, response, { asked, from, signal })
  asked.onHeaders?.(response.headers)
  const bytes = await readSize(namePart(to))
  await rename(namePart(to), to)
  await rm(nameNotes(to), { force: true })
  return { isNew: true, bytes, ...readValidators(response) }
}

interface ResumablePart {
  size: number
  validator: string
}

/** Only content with a strong validator can be continued (RFC 9110 section 13.1.5). */
async function resumablePart({
  to,
  url,
  known = {},
}: Download): Promise<ResumablePart | undefined> {
  const size = await readSize(namePart(to))
  const notes = size > 0 ? await readNotes(to) : undefined
  const validator = notes && (isStrong(notes.etag) ? notes.etag : notes.lastModified)
  // The part of content that is known already is not needed any more.
  const isKnown = notes?.etag !== undefined && notes.etag === known.etag
  if (validator !== undefined && notes?.url === url && !isKnown) return { size, validator }
  await forgetPart(to)
  return undefined
}

function isStrong(etag: string | undefined): etag is string {
  return etag !== undefined && !etag.startsWith('W/')
}

async function readNotes(to: string): Promise<PartNotes | undefined> {
  try {
    const notes: unknown = JSON.parse(await readFile(nameNotes(to), 'utf8'))
    const isNotes = typeof notes === 'object' && notes !== null && 'url' in notes
    return isNotes && typeof notes.url === 'string' ? (notes as PartNotes) : undefined
  } catch {
    return undefined
  }
}

async function forgetPart(to: string): Promise<void> {
  await rm(namePart(to), { force: true })
  await rm(nameNotes(to), { force: true })
}

const rangeHeaders = ({ size, validator }: ResumablePart) => ({
  range: `bytes=${size}-`,
  'if-range': validator,
})

function conditionHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  }
}

function readValidators({ headers }: HttpResponse): Validators {
  const { etag, 'last-modified': lastModified } = headers
  return { ...(etag && { etag }), ...(lastModified && { lastModified }) }
}

/** The byte at which this response begins. At 0, the download starts again. */
async function findStart(
  response: HttpResponse,
  part: ResumablePart | undefined,
  { to, url }: Download,
): Promise<number> {
  if (response.status === 206) {
    const start = /^bytes (\d+)-/.exec(response.headers['content-range'] ?? '')?.[1]
    if (part && start === String(part.size)) return part.size
    await response.discard()
    await forgetPart(to)
    throw new HttpFailure(`${url} was continued at another place than asked.`, {
      isTransient: true,
    })
  }
  await forgetPart(to)
  const notes: PartNotes = { url, ...readValidators(response) }
  await writeFile(nameNotes(to), JSON.stringify(notes))
  return 0
}

interface Reception {
  asked: Download
  from: number
  signal: AbortSignal
}

async function receive(
  client: HttpClient,
  response: HttpResponse,
  { asked, from, signal }: Reception,
): Promise<void> {
  const { to, url, maxBytes = client.settings.maxBytes, onProgress } = asked
  const length = Number(response.headers['content-length'])
  const total = Number.isFinite(length) ? from + length : undefined
  const tooLarge = () => new HttpFailure(`${url} has more than ${maxBytes} bytes.`)
  if (total !== undefined && total > maxBytes) {
    await response.discard()
    throw tooLarge()
  }
  const file = createWriteStream(namePart(to), { flags: from > 0 ? 'a' : 'w' })
  let size = from
  try {
    for await (const chunk of response.body) {
      signal.throwIfAborted()
      size += chunk.length
      if (size > maxBytes) throw tooLarge()
      await write(file, chunk)
      onProgress?.(size, total)
    }
  } finally {
    await closed(file)
  }
  if (total !== undefined && size !== total)
    throw new HttpFailure(`${url} ended after ${size} of ${total} bytes.`, { isTransient: true })
}

function write(file: ReturnType<typeof createWriteStream>, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) =>
    file.write(chunk, (error) => (error ? reject(error) : resolve())),
  )
}

/** Keeps the received bytes even if the rest does not arrive. */
function closed(file: ReturnType<typeof createWriteStream>): Promise<void> {
  return new Promise((resolve) => {
    file.once('error', () => resolve())
    file.end(() => resolve())
  })
}

async function readSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}

/** The same file name for the same URL. */
export function nameDownload(url: string): string {
  const name = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  const digest = createHash('sha256').update(url).digest('hex').slice(0, 12)
  return `${digest}-${name.replaceAll(/[^\w.-]/g, '_').slice(-80)}`
}
