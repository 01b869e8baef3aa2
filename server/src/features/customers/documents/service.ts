/** What standing addresses answer: documents about the version that is current then. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { ExportFormat } from '../../../formats/vex/write-vex.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { listSboms, nameSbomBlob } from '../../sboms/index.ts'
import { exportVex, recordPublication } from '../../vex/index.ts'
import { readInTurn } from '../asking-service.ts'
import { countUse, hashGivenToken, linkDoesNotWork } from '../links/service.ts'
import { findAddress, type DocumentKind, type WorkingAddress } from '../links/store.ts'
import { judgeSupport } from '../view/service.ts'
import { type CurrentVersion, findCurrentVersion } from './store.ts'

interface AskedAddress {
  workspaceId: string
  addressId: string
  token: string | undefined
}

export interface OpenedAddress {
  workspaceId: string
  address: WorkingAddress
  /** undefined: its firmware or line has none yet. */
  version: CurrentVersion | undefined
}

export async function openAddress(
  ctx: AppContext,
  { workspaceId, addressId: id, token }: AskedAddress,
): Promise<OpenedAddress> {
  const tokenHash = hashGivenToken(token)
  const address =
    isUuid(workspaceId) && isUuid(id)
      ? await findAddress(ctx.db, { workspaceId, id, tokenHash, now: ctx.now() })
      : undefined
  if (!address) throw linkDoesNotWork()
  await countUse(ctx, { workspaceId, link: address })
  return { workspaceId, address, version: await findCurrentVersion(ctx.db, workspaceId, address) }
}

function requireDocument({ address, version }: OpenedAddress, kind: DocumentKind) {
  if (!address.documents.includes(kind))
    throw notThere('This address is not for documents of this kind.')
  if (version) return version
  throw notThere('There is no version yet that this address could be about.')
}

const notThere = (detail: string) => new AppError('notFound', 'document-not-there', detail)

export interface ReadDocument {
  text: Buffer
  tag: string
}

/** So long a document of a version is given again without asking what was decided meanwhile. */
const KEPT_MS = 60_000
const MOST_KEPT = 200
const MOST_KEPT_BYTES = 4 * 1024 * 1024

interface Kept {
  at: number
  document: Promise<ReadDocument>
}

const makeKept = () => new Map<string, Kept>()

/** Those who ask for the same at once wait for one calculation. */
export async function readVex(
  ctx: AppContext,
  opened: OpenedAddress,
  format: ExportFormat,
): Promise<ReadDocument> {
  const { workspaceId } = opened
  const { id: firmwareVersionId } = requireDocument(opened, 'Vex')
  const kept = ctx.memory.of(makeKept)
  const key = `${workspaceId} ${firmwareVersionId} ${format}`
  const now = ctx.now().getTime()
  const known = kept.get(key)
  if (known && now - known.at < KEPT_MS && now >= known.at) return known.document
  const document = writeVex(ctx, { workspaceId, firmwareVersionId, format })
  kept.delete(key)
  kept.set(key, { at: now, document })
  const [oldest] = kept.keys()
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
  try {
    const written = await document
    if (written.text.length > MOST_KEPT_BYTES) kept.delete(key)
    return written
  } catch (error) {
    kept.delete(key)
    if (error instanceof AppError && error.code === 'vex-nothing-stated')
      throw notThere('Nothing was said yet about vulnerabilities of this version.')
    throw error
  }
}

async function writeVex(
  ctx: AppContext,
  asked: { workspaceId: string; firmwareVersionId: string; format: ExportFormat },
): Promise<ReadDocument> {
  // What is decided while the document is written may not be in it.
  const at = ctx.now()
  const text = await readInTurn(ctx, asked.workspaceId, async () =>
    readAll(await exportVex(ctx, asked)),
  )
  await recordPublication(ctx.db, { ...asked, at })
  return { text, tag: createTag(text) }
}

async function readAll(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream as AsyncIterable<Buffer | string>)
    pieces.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  return Buffer.concat(pieces)
}

export const createTag = (text: string | Buffer) =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

async function listCurrentSboms(ctx: AppContext, opened: OpenedAddress) {
  const version = requireDocument(opened, 'Sbom')
  const all = await listSboms(ctx, opened.workspaceId, version.id)
  return all
    .filter(({ parsingState }) => parsingState === 'Succeeded')
    .map(({ id, fileName, format, sizeBytes, sha256, createdAt }) => ({
      id,
      fileName,
      format,
      sizeBytes,
      sha256,
      createdAt,
    }))
}

/** The one with this id; without an id, the only one. */
export async function findCurrentSbom(ctx: AppContext, opened: OpenedAddress, id?: string) {
  const sboms = await listCurrentSboms(ctx, opened)
  if (id === undefined && sboms.length > 1)
    throw notThere(
      `The version has ${sboms.length} SBOMs: index.json of this address lists them, each with an address of its own.`,
    )
  const sbom = id === undefined ? sboms[0] : sboms.find((one) => one.id === id)
  if (!sbom) throw notThere('The version has no such SBOM.')
  const { id: firmwareVersionId } = requireDocument(opened, 'Sbom')
  const key = nameSbomBlob({ workspaceId: opened.workspaceId, firmwareVersionId, sbomId: sbom.id })
  return { ...sbom, open: () => ctx.blobs.get(key) }
}

export function describeSupport({ now }: Pick<AppContext, 'now'>, opened: OpenedAddress) {
  const { firmware, slug, name, supportEndsOn, supportEndsIn } = requireDocument(opened, 'Support')
  const isSupported = judgeSupport({ supportEndsOn, supportEndsIn }, now())
  return { firmware, slug, version: name, supportEndsOn, supportEndsIn, isSupported }
}

/** What there is at the address now. */
export async function describeAddress(ctx: AppContext, opened: OpenedAddress) {
  const { address, version } = opened
  const hasSboms = address.documents.includes('Sbom') && version !== undefined
  return {
    firmware: version?.firmware ?? null,
    version: version?.name ?? null,
    documents: address.documents,
    support:
      address.documents.includes('Support') && version !== undefined
        ? describeSupport(ctx, opened)
        : null,
    sboms: hasSboms ? await listCurrentSboms(ctx, opened) : [],
  }
}
