/** Draws the chain of a firmware version from what SBOMs, statements, images and devices state, with the keys that are trusted now. */
import {
  type ChainImage,
  type ChainSbom,
  type ChainStatement,
  linkImageToDevices,
  linkSbomsToImages,
  listGaps,
} from '../../../formats/provenance/chain.ts'
import { readStrongHash } from '../../../formats/sboms/described-hashes.ts'
import { isBuildReport } from '../../../formats/sboms/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import { countImageReports, NO_DEVICES } from '../../devices/index.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import type { UnmetDemand } from '../../image-checks/index.ts'
import { readSbomSignatures } from '../../sbom-signatures/index.ts'
import { readTrustedKeys } from '../../trusted-keys/index.ts'
import { judgeStatement } from '../service.ts'
import { listStatements } from '../store.ts'
import * as store from './store.ts'

type Reading = Pick<AppContext, 'db' | 'now'>

export async function getChain(
  ctx: Reading,
  asked: { workspaceId: string; firmwareVersionId: string },
) {
  const { workspaceId } = asked
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, asked.firmwareVersionId)
  const [chain] = await listChains(ctx, { workspaceId, firmwareVersionIds: [id] })
  if (!chain) throw new Error('Each version has a chain.')
  const { firmwareVersionId: _id, ...rest } = chain
  return rest
}

/** One for each version, as it is now: neither keys that were trusted nor images that ran are kept of the past. */
export async function listChains(
  ctx: Reading,
  asked: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  const reports = await countImageReports(ctx.db, asked)
  const all = await readParts(ctx, asked)
  return all.map(({ firmwareVersionId, images, sboms, statements }) => {
    const links = linkSbomsToImages({ images, sboms, statements })
    const devices = reports.get(firmwareVersionId) ?? NO_DEVICES
    const image = images.find(({ role }) => role === null)?.fileName ?? null
    return {
      firmwareVersionId,
      isComplete: listGaps(links).length === 0,
      sboms: sboms.map(({ id, fileName }) => ({ id, fileName })),
      images: images.map(({ fileName, role, sha256 }) => ({ fileName, role, sha256 })),
      devices,
      links: [...links, linkImageToDevices(devices, image)],
    }
  })
}

/** What keeps images of the versions from being linked to SBOMs, as the release gate tells it. */
export async function listUnmetChains(
  ctx: Reading,
  asked: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<UnmetDemand[]> {
  const names = new Map((await store.listNames(ctx.db, asked)).map(({ id, name }) => [id, name]))
  const all = await readParts(ctx, asked)
  return all.flatMap(({ firmwareVersionId, ...parts }) =>
    listGaps(linkSbomsToImages(parts)).map(({ to, why, next }) => ({
      firmwareVersionId,
      versionName: names.get(firmwareVersionId) ?? '',
      fileName: to,
      demand: 'ChainComplete' as const,
      detail: next === null ? why : `${why} ${next}`,
    })),
  )
}

interface VersionParts {
  firmwareVersionId: string
  images: (ChainImage & { sha256: string })[]
  sboms: ChainSbom[]
  statements: ChainStatement[]
}

async function readParts(
  ctx: Reading,
  asked: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<VersionParts[]> {
  const images = await store.listImages(ctx.db, asked)
  const sboms = await store.listSboms(ctx.db, asked)
  const statements = await listStatements(ctx.db, asked)
  const signatures = await readSbomSignatures(ctx, asked)
  const trusted = await readTrustedKeys(ctx.db, asked.workspaceId)
  const now = ctx.now()
  return asked.firmwareVersionIds.map((firmwareVersionId) => {
    const isOwn = (row: { firmwareVersionId: string }) =>
      row.firmwareVersionId === firmwareVersionId
    return {
      firmwareVersionId,
      images: images.filter(isOwn).map(readImage),
      sboms: sboms
        .filter((row) => isOwn(row) && !(row.format && isBuildReport(row.format)))
        .map((row) => readSbom(row, signatures.get(row.id))),
      statements: statements.filter(isOwn).map(({ fileName, facts }) => ({
        fileName,
        facts,
        ...judgeStatement(facts, trusted, now),
      })),
    }
  })
}

const readImage = ({ fileName, role, sha256, hashes }: store.ImageRow) => ({
  fileName,
  role,
  sha256,
  hashes: [{ of: null, value: sha256 }, ...(hashes ?? [])],
  isBeingRead: hashes === null,
})

function readSbom(
  { namesakes, describedHashes, ...row }: store.SbomRow,
  signature: ChainSbom['signature'] = { state: 'NotProving' },
): ChainSbom {
  const ofNamesakes = namesakes.flatMap(({ name, hashes }) =>
    hashes.flatMap((hash) => {
      const strong = readStrongHash(hash)
      return strong ? [{ name, ...strong }] : []
    }),
  )
  return { ...row, described: describedHashes, ofNamesakes, signature }
}
