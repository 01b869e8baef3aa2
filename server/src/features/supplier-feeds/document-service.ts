/** Fetches one document of a supplier. */
import { readFile, rm } from 'node:fs/promises'
import { isObject, readText, type JsonObject } from '../../formats/sboms/json-values.ts'
import { shortenText } from '../../formats/shorten.ts'
import { AppError } from '../../platform/errors.ts'
import { HttpFailure } from '../../platform/http-client/index.ts'
import { type ListingIo, verifyFile } from '../feeds/index.ts'
import { parseBytes, readDocument } from '../vex/index.ts'
import { MOST_BYTES_OF_DOCUMENT } from './limits.ts'
import type { WantedDocument } from './reading.ts'

interface FetchedDocument {
  etag: string | null
  title: string | null
  isWithdrawn: boolean
  /** JSON; null: it says nothing. */
  document: string | null
  sizeBytes: number
}

export type FetchOutcome =
  | { kind: 'Unchanged' }
  | { kind: 'Read'; read: FetchedDocument }
  | { kind: 'Failed'; error: string }

export async function fetchDocument(
  io: ListingIo & { signal: AbortSignal },
  { url, hashUrl, known }: WantedDocument,
  name: string,
): Promise<FetchOutcome> {
  try {
    const etag = known?.error === null ? (known.etag ?? undefined) : undefined
    const file = await io.fetchFile({
      url,
      name,
      maxBytes: MOST_BYTES_OF_DOCUMENT,
      ...(etag !== undefined && { known: { etag } }),
    })
    if (!file.isNew) return { kind: 'Unchanged' }
    if (hashUrl !== undefined) await verifyFile(io, file.path, { url, hashUrl })
    const bytes = await readFile(file.path)
    await rm(file.path, { force: true })
    return { kind: 'Read', read: { etag: file.etag ?? null, ...readCsaf(bytes) } }
  } catch (error) {
    if (io.signal.aborted) throw error
    return { kind: 'Failed', error: shortenText(describeFailure(error), 1_000) }
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof HttpFailure && error.status === 404)
    return 'The list names it, and the server does not have it.'
  if (error instanceof AppError) {
    const [field] = error.errors ?? []
    return field && field.pointer !== '' ? `${error.message} (${field.pointer})` : error.message
  }
  return error instanceof Error ? error.message : String(error)
}

function readCsaf(bytes: Uint8Array): Omit<FetchedDocument, 'etag'> {
  const value = parseBytes(bytes)
  const head = isObject(value) ? value['document'] : undefined
  if (!isObject(value) || !isObject(head) || readText(head['csaf_version']) === undefined)
    throw new AppError('invalid', 'vex-invalid', 'It is no CSAF document.')
  const title = shortenText(readText(head['title']) ?? '', 500) || null
  const silent = { title, document: null, sizeBytes: 0 }
  if (isWithdrawn(head)) return { ...silent, isWithdrawn: true }
  const { vulnerabilities } = value
  // A security advisory or a notice that says of no product whether it is affected.
  if (!Array.isArray(vulnerabilities) || vulnerabilities.length === 0)
    return { ...silent, isWithdrawn: false }
  readDocument(value)
  const document = JSON.stringify(value)
  return { title, document, sizeBytes: Buffer.byteLength(document), isWithdrawn: false }
}

/** CSAF 2.1 has categories for it; Red Hat has a status of its own. */
function isWithdrawn({ category, tracking }: JsonObject): boolean {
  const status = isObject(tracking) ? readText(tracking['status']) : undefined
  return /^csaf_(?:withdrawn|superseded)$/.test(readText(category) ?? '') || status === 'deleted'
}
