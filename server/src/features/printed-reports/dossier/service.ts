/** Reads the dossier of a firmware version as of a day, as a page to print or as a table. */
import { addDays, addMs } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { invalid } from '../../../platform/errors.ts'
import { readCoverage } from '../../coverage/index.ts'
import { getFirmwareVersion, readAffectedDevices, readMark } from '../../firmware/index.ts'
import { listVerifications } from '../../image-checks/index.ts'
import { getVersionLicences } from '../../licences/index.ts'
import { getChain } from '../../provenance/index.ts'
import { assessGate } from '../../release-gate/index.ts'
import { getVersionSupport } from '../../support/index.ts'
import { countLookedAt } from '../../vulnerabilities/index.ts'
import { type ReportRequest, readAtOnce, readImprint, readSourceAges } from '../imprint-service.ts'
import * as past from '../past/store.ts'
import * as current from '../version/store.ts'
import { writeDossierCsv } from './csv.ts'
import type { Dossier, Present } from './dossier.ts'
import { MOST_PRINTED, renderDossier } from './page.ts'
import * as store from './store.ts'

const MOST_EXPORTED = 100_000

type AskDossier = ReportRequest & { firmwareVersionId: string; asOf?: string | undefined }

export function printDossier(ctx: AppContext, input: AskDossier): Promise<string> {
  return readAtOnce(ctx, async (at) => renderDossier(await readDossier(at, input, MOST_PRINTED)))
}

export async function exportDossier(ctx: AppContext, input: AskDossier) {
  const dossier = await readAtOnce(ctx, (at) => readDossier(at, input, MOST_EXPORTED))
  const { version, at } = dossier
  const day = at.toISOString().slice(0, 10)
  return {
    content: writeDossierCsv(dossier),
    fileName: `${version.firmware.slug}-${version.name}-dossier-${day}.csv`,
  }
}

async function readDossier(ctx: AppContext, input: AskDossier, limit: number): Promise<Dossier> {
  const { db } = ctx
  const { workspaceId, principal } = input
  const version = await getFirmwareVersion(db, workspaceId, input.firmwareVersionId)
  const asked = { workspaceId, firmwareVersionId: version.id }
  const { at, day, isPast } = readDay(input.asOf, ctx.now())
  const of = { ...asked, at }
  const imprint = await readImprint(ctx, input)
  const before = await store.findPredecessor(db, of)
  const devices = await readAffectedDevices(db, asked, ctx.now())
  return {
    workspaceId,
    version,
    imprint: isPast ? { ...imprint, asOf: at } : imprint,
    at,
    present: isPast ? null : await readPresent(ctx, asked, devices.affectedDevices),
    ...(await readFindings(ctx, { asked, at, isPast, limit })),
    accepted: await store.listAcceptedAt(db, of, MOST_EXPORTED),
    sboms: await store.listSbomsAt(db, of),
    artifact: await store.findArtifact(db, of),
    predecessor: before && {
      ...before,
      differences: await store.countDifferencesAt(db, of, before.id),
    },
    deployments: principal.scopes.has('Deployments: read')
      ? await store.listDeploymentsAt(db, of)
      : null,
    deviceCount: isPast ? await store.countDevicesOn(db, of, day) : devices.affectedDeviceCount,
  }
}

/** Of a day that is over: its end (UTC), so that what is told of it stays. */
function readDay(asOf: string | undefined, now: Date) {
  const today = now.toISOString().slice(0, 10)
  const day = asOf ?? today
  const begin = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(begin.getTime()) || !begin.toISOString().startsWith(day))
    throw invalid(`${day} is not a day.`, '/query/asOf')
  if (day > today) throw invalid('The day is in the future.', '/query/asOf')
  const isPast = day < today
  return { at: isPast ? addMs(addDays(begin, 1), -1) : now, day, isPast }
}

interface ReadFindings {
  asked: { workspaceId: string; firmwareVersionId: string }
  at: Date
  isPast: boolean
  limit: number
}

/** Those of now have EPSS scores; of the past none are kept. */
async function readFindings({ db }: AppContext, { asked, at, isPast, limit }: ReadFindings) {
  const { workspaceId, firmwareVersionId } = asked
  const then = { workspaceId, at, of: { firmwareVersionId } }
  const list = (isActive: boolean) =>
    isPast
      ? past.listFindings(db, then, { isActive, limit })
      : current.listFindings(db, asked, { isActive, limit })
  return {
    lookedAt: await countLookedAt(db, then),
    counts: isPast ? await past.countFindings(db, then) : await current.countFindings(db, asked),
    activeFindings: await list(true),
    otherFindings: await list(false),
  }
}

async function readPresent(
  ctx: AppContext,
  asked: { workspaceId: string; firmwareVersionId: string },
  seen: Present['seen'],
): Promise<Present> {
  const { workspaceId, firmwareVersionId } = asked
  return {
    mark: await readMark(ctx, workspaceId, firmwareVersionId),
    gate: await assessGate(ctx, { workspaceId, firmwareVersionIds: [firmwareVersionId] }),
    coverage: await readCoverage(ctx, asked),
    licences: await getVersionLicences(ctx.db, asked),
    support: await getVersionSupport(ctx, asked),
    sources: await readSourceAges(ctx),
    seen,
    images: (await listVerifications(ctx, asked)).verifications,
    chain: await getChain(ctx, asked),
  }
}
