/** Creates and changes firmware versions: their names, their identifiers outside the service, their predecessors. */
import { readCpe } from '../../formats/cpe.ts'
import { readName } from '../../formats/one-line-name.ts'
import { readPurl } from '../../formats/purl.ts'
import { decidePeriod, NO_ENDS } from '../../formats/support/periods.ts'
import { formatDay } from '../../formats/support/states.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { refuseTaken } from '../../platform/db/failures.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import {
  listAffectedDevices,
  NO_AFFECTED_DEVICES,
  readAffectedDevices,
} from './affected-devices-store.ts'
import { deriveLine } from './lines/service.ts'
import { UNKNOWN_MARK } from './mark/mark.ts'
import { listMarks, readMark } from './mark/service.ts'
import { type Change, getFirmwareVersion, lockAndReadFirmware } from './service.ts'
import { DEFAULT_PART } from './schemas.ts'
import * as store from './store.ts'
import { listStatedEnds } from './support-period/store.ts'

type Version = Awaited<ReturnType<typeof getFirmwareVersion>>

/** Adds how many devices report each version, and its mark; keeps the order. */
export async function withDevicesAndMarks(
  ctx: AppContext,
  workspaceId: string,
  versions: readonly Version[],
) {
  const firmwareVersionIds = versions.map(({ id }) => id)
  const asked = { workspaceId, firmwareVersionIds }
  const affected = await listAffectedDevices(ctx.db, asked, ctx.now())
  const marks = await listMarks(ctx, workspaceId, firmwareVersionIds)
  const periodOf = await readPeriods(ctx, asked)
  return versions.map((version, index) => ({
    ...version,
    ...(affected[index] ?? NO_AFFECTED_DEVICES),
    supportPeriod: periodOf(version),
    mark: marks.get(version.id) ?? UNKNOWN_MARK,
  }))
}

export async function withDevicesAndMark(ctx: AppContext, workspaceId: string, version: Version) {
  const scope = { workspaceId, firmwareVersionId: version.id }
  const affected = await readAffectedDevices(ctx.db, scope, ctx.now())
  const periodOf = await readPeriods(ctx, { workspaceId, firmwareVersionIds: [version.id] })
  const supportPeriod = periodOf(version)
  const mark = await readMark(ctx, workspaceId, version.id)
  return { ...version, ...affected, supportPeriod, mark }
}

async function readPeriods(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  asked: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  const ends = await listStatedEnds(db, asked)
  const day = formatDay(now())
  return ({ id, firmware }: Version) =>
    decidePeriod(ends.get(id) ?? { ...NO_ENDS, firmware: firmware.name }, day)
}

type Identifiers = Partial<Omit<store.FirmwareVersionFields, 'name'>>

export type CreateFirmwareVersion = Change & Identifiers & { firmwareId: string; name: string }

export async function createFirmwareVersion(ctx: AppContext, input: CreateFirmwareVersion) {
  const { workspaceId, actor, firmwareId } = input
  const name = readName(input.name)
  const { purl = null, cpe = null, predecessorId = null, statedLineId = null } = input
  const { securityOnly = null } = input
  const buildId = readBuildId(input.buildId)
  const fields = { name, buildId, purl, cpe, predecessorId, statedLineId, securityOnly }
  checkIdentifiers(fields)
  return refuseTaken(taken(fields), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockVersionNames(tx, workspaceId)
      const firmware = await lockAndReadFirmware(tx, workspaceId, firmwareId)
      const id = newId()
      await checkPredecessor(tx, { workspaceId, id, firmwareId: firmware.id, predecessorId })
      const of = { workspaceId, firmwareId: firmware.id }
      const lineId = await deriveLine(tx, of, fields)
      const row = { ...of, id, lineId, createdAt: ctx.now() }
      await store.insertFirmwareVersion(tx, { ...row, ...fields })
      await ctx.reactions.versionsNamed(ctx, tx, { workspaceId, firmwareVersionIds: [id] })
      const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId: id }
      const after = { firmwareId: firmware.id, ...fields }
      await recordAudit(ctx, tx, { ...entry, action: 'firmware-version.create', after })
      return getFirmwareVersion(tx, workspaceId, id)
    }),
  )
}

/** A version that nobody sees, for a transaction that is rolled back. It follows the base and belongs to the same firmware. */
export async function createUnkeptVersion(
  tx: Tx,
  {
    workspaceId,
    baseVersionId,
    at,
  }: { workspaceId: string; baseVersionId?: string | undefined; at: Date },
): Promise<string> {
  const [id, firmwareId] = [newId(), newId()]
  const base =
    baseVersionId === undefined
      ? undefined
      : await getFirmwareVersion(tx, workspaceId, baseVersionId)
  const firmware = {
    slug: `check-${firmwareId}`,
    name: 'check',
    description: null,
    part: DEFAULT_PART,
  }
  if (!base)
    await store.insertFirmware(tx, {
      workspaceId,
      id: firmwareId,
      ...firmware,
      supportEndsOn: null,
      createdAt: at,
    })
  await store.insertFirmwareVersion(tx, {
    workspaceId,
    id,
    firmwareId: base?.firmware.id ?? firmwareId,
    name: `check-${id}`,
    buildId: null,
    purl: null,
    cpe: null,
    predecessorId: base?.id ?? null,
    lineId: null,
    statedLineId: null,
    securityOnly: null,
    createdAt: at,
  })
  return id
}

type VersionFields = Identifiers & { name?: string }

export type ChangeFirmwareVersion = Change & VersionFields & { firmwareVersionId: string }

export async function changeFirmwareVersion(ctx: AppContext, input: ChangeFirmwareVersion) {
  const { workspaceId, actor, firmwareVersionId } = input
  checkIdentifiers(input)
  return refuseTaken(taken(input), () =>
    ctx.db.transaction().execute(async (tx) => {
      await store.lockVersionNames(tx, workspaceId)
      const before = await lockedVersion(tx, workspaceId, firmwareVersionId)
      input.precondition?.(before)
      const { id, firmware } = before
      const { purl = before.purl, cpe = before.cpe, predecessorId = before.predecessorId } = input
      const { statedLineId = before.statedLineId, securityOnly = before.securityOnly } = input
      const name = input.name === undefined ? before.name : readName(input.name)
      const buildId = input.buildId === undefined ? before.buildId : readBuildId(input.buildId)
      await checkPredecessor(tx, { workspaceId, id, firmwareId: firmware.id, predecessorId })
      const after = { name, buildId, purl, cpe, predecessorId, statedLineId, securityOnly }
      const lineId = await deriveLine(tx, { workspaceId, firmwareId: firmware.id }, after)
      await store.updateFirmwareVersion(tx, { workspaceId, id, lineId, ...after })
      if (name !== before.name || buildId !== before.buildId)
        await ctx.reactions.versionsNamed(ctx, tx, { workspaceId, firmwareVersionIds: [id] })
      const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId: id }
      await recordAudit(ctx, tx, { ...entry, action: 'firmware-version.update', before, after })
      return getFirmwareVersion(tx, workspaceId, id)
    }),
  )
}

const BUILD_ID_CHARACTERS = 256

function readBuildId(buildId: string | null | undefined): string | null {
  return buildId === null || buildId === undefined
    ? null
    : readName(buildId, '/buildId', BUILD_ID_CHARACTERS)
}

/** Locks the firmware's row, too: otherwise two changes at once could make versions precede each other in a circle. */
async function lockedVersion(tx: Tx, workspaceId: string, firmwareVersionId: string) {
  const { firmware } = await getFirmwareVersion(tx, workspaceId, firmwareVersionId)
  await store.lockFirmware(tx, workspaceId, firmware.id)
  await store.lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
  return getFirmwareVersion(tx, workspaceId, firmwareVersionId)
}

function checkIdentifiers({ purl = null, cpe = null }: Identifiers): void {
  const ofPurl = purl === null ? undefined : readPurl(purl)
  if (ofPurl && 'fault' in ofPurl)
    throw invalid(`The purl cannot be read: ${ofPurl.fault}.`, '/purl')
  const ofCpe = cpe === null ? undefined : readCpe(cpe)
  if (ofCpe && 'fault' in ofCpe) throw invalid(`The CPE cannot be read: ${ofCpe.fault}.`, '/cpe')
}

interface Predecessor {
  workspaceId: string
  id: string
  firmwareId: string
  predecessorId: string | null
}

async function checkPredecessor(tx: Tx, input: Predecessor): Promise<void> {
  const { workspaceId, id, firmwareId, predecessorId } = input
  if (predecessorId === null) return
  const versions = await store.listFirmwareVersions(tx, workspaceId, firmwareId)
  const byId = new Map(versions.map((version) => [version.id, version]))
  const pointer = '/predecessorId'
  const named = isUuid(predecessorId) ? predecessorId.toLowerCase() : ''
  if (!byId.has(named)) throw invalid('The predecessor is not a version of this firmware.', pointer)
  for (let earlier: string | null = named; earlier !== null;) {
    if (earlier === id) throw invalid('A version cannot precede itself.', pointer)
    const next: string | null = byId.get(earlier)?.predecessorId ?? null
    byId.delete(earlier)
    earlier = next
  }
}

const taken =
  ({ name, buildId }: { name?: string; buildId?: string | null }) =>
  (constraint: string) =>
    constraint === 'firmware_versions_build_id'
      ? new AppError(
          'conflict',
          'firmware-version-build-id-taken',
          `Another firmware version has the build id ${JSON.stringify(buildId)}.`,
        )
      : new AppError(
          'conflict',
          'firmware-version-name-taken',
          `This firmware already has a version named ${JSON.stringify(name)}.`,
        )
