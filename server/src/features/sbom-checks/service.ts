/** Judges a document without keeping it: what a firmware version with this SBOM alone would have. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { withTemporaryFile } from '../../platform/blobs/local-files.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { readUpload, type UploadRequest } from '../../platform/http/upload.ts'
import type { Principal } from '../auth/index.ts'
import { readCoverage } from '../coverage/index.ts'
import { listFindings } from '../findings/index.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { countLicences } from '../licences/index.ts'
import { matchNewPackages } from '../matching/index.ts'
import { listSboms, updateEvaluatedSboms, withUnkeptDocument } from '../sboms/index.ts'
import { summariseSupport } from '../support/index.ts'
import { listUnmatched } from './store.ts'

export interface CheckSbom {
  workspaceId: string
  principal: Pick<Principal, 'scopes'>
  request: UploadRequest
  baseVersionId: string | undefined
}

interface ReceivedFile {
  path: string
  fileName: string
  sizeBytes: number
  sha256: string
}

export async function checkSbom(ctx: AppContext, input: CheckSbom) {
  const { workspaceId, principal, request } = input
  if (!principal.scopes.has('Vulnerabilities: read'))
    throw new AppError(
      'forbidden',
      'insufficient-scope',
      'The key lacks the scope "Vulnerabilities: read".',
    )
  const baseVersionId =
    input.baseVersionId === undefined
      ? undefined
      : (await getFirmwareVersion(ctx.db, workspaceId, input.baseVersionId)).id
  return withTemporaryFile(async (path) => {
    const file = await receive(ctx, request, path)
    const document = { workspaceId, baseVersionId, ...file }
    const outcome = await withUnkeptDocument(ctx, document, {
      packagesKnown: (ids) => matchAll(ctx, ids),
      read: (tx, version) => readAll(ctx, tx, version),
    })
    return 'result' in outcome ? outcome.result : unreadable(ctx, file, outcome.parsingError)
  })
}

async function receive(
  ctx: AppContext,
  request: UploadRequest,
  path: string,
): Promise<ReceivedFile> {
  const limits = { ...ctx.config.sboms, files: 1 }
  const [file] = await readUpload(request, limits, async (fileName, content) => {
    const hash = createHash('sha256')
    let sizeBytes = 0
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk)
        sizeBytes += chunk.length
        done(null, chunk)
      },
    })
    await pipeline(content, count, createWriteStream(path))
    return { path, fileName, sizeBytes, sha256: hash.digest('hex') }
  })
  if (!file || file.sizeBytes === 0)
    throw new AppError('invalid', 'upload-invalid', 'The document is empty.')
  return file
}

async function matchAll(ctx: AppContext, packageIds: readonly string[]): Promise<void> {
  await matchNewPackages(ctx, await listUnmatched(ctx.db, packageIds))
}

const PAGE = 1_000
const MOST_FINDINGS = 10_000

/** As the routes of a firmware version answer, in the transaction that holds it. */
async function readAll(
  { ...ctx }: AppContext,
  tx: Tx,
  version: { workspaceId: string; firmwareVersionId: string },
) {
  const inside = { ...ctx, db: tx }
  const { workspaceId, firmwareVersionId } = version
  await updateEvaluatedSboms(tx, { ...version, at: ctx.now() })
  const findings: Awaited<ReturnType<typeof listFindings>>['findings'] = []
  let page = await listFindings(inside, { ...version, limit: PAGE })
  for (;;) {
    for (const finding of page.findings) findings.push(finding)
    if (!page.hasMore || findings.length >= MOST_FINDINGS) break
    page = await listFindings(inside, { ...version, limit: PAGE, cursor: page.nextCursor ?? '' })
  }
  return {
    sboms: await listSboms(inside, workspaceId, firmwareVersionId),
    coverage: await readCoverage(inside, version),
    findings,
    hasMore: page.hasMore,
    switchedOffCount: page.switchedOffCount,
    support: await summariseSupport(inside, version),
    licences: await countLicences(inside.db, version),
  }
}

/** As a list shows an upload that failed. */
function unreadable(ctx: AppContext, file: ReceivedFile, parsingError: string) {
  const { fileName, sizeBytes, sha256 } = file
  const none = { format: null, specVersion: null, replaces: null, vulnerabilitiesParsedAt: null }
  const sbom = {
    ...none,
    id: '',
    fileName,
    sizeBytes,
    sha256,
    parsingState: 'Failed' as const,
    parsingError,
    failure: null,
    warnings: [],
    componentCount: 0,
    notMatchedReasons: [],
    createdAt: ctx.now(),
  }
  const coverage = {
    sbomCount: 1,
    notMatchedYet: { sbomCount: 0, packageCount: 0 },
    componentCount: 0,
    excludedCount: 0,
    judgedCount: 0,
    notJudgedCount: 0,
    unknownCount: 0,
    reasons: [],
    undecided: { componentCount: 0, recordCount: 0 },
  }
  const rest = { switchedOffCount: 0, support: null, licences: null }
  return { sboms: [sbom], coverage, findings: [], hasMore: false, ...rest }
}
