/** Firmware versions, created and changed; what they are called outside, and what they succeed. */
import { readCpe } from '../../formats/cpe.ts'
import { readPurl } from '../../formats/purl.ts'
import type { AppContext } from '../../platform/context.ts'
import { refusingTaken, type Tx } from '../../platform/db/connect.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { type Change, getFirmwareVersion, lockedFirmware } from './service.ts'
import * as store from './store.ts'

type Identifiers = Partial<Pick<store.FirmwareVersionFields, 'purl' | 'cpe' | 'predecessorId'>>

export type CreateFirmwareVersion = Change & Identifiers & { firmwareId: string; name: string }

export async function createFirmwareVersion(ctx: AppContext, input: CreateFirmwareVersion) {
  const { workspaceId, actor, firmwareId, name } = input
  const { purl = null, cpe = null, predecessorId = null } = input
  const fields = { name, purl, cpe, predecessorId }
  checkIdentifiers(fields)
  return refusingTaken(nameTaken(name), () =>
    ctx.db.transaction().execute(async (tx) => {
      const firmware = await lockedFirmware(tx, workspaceId, firmwareId)
      const id = newId()
      await checkPredecessor(tx, { workspaceId, id, firmwareId: firmware.id, predecessorId })
      const row = { workspaceId, id, firmwareId: firmware.id, createdAt: ctx.now() }
      await store.insertFirmwareVersion(tx, { ...row, ...fields })
      const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId: id }
      const after = { firmwareId: firmware.id, ...fields }
      await recordAudit(ctx, tx, { ...entry, action: 'firmware-version.create', after })
      return getFirmwareVersion(tx, workspaceId, id)
    }),
  )
}

export type ChangeFirmwareVersion = Change &
  Identifiers & { firmwareVersionId: string; name?: string }

export async function changeFirmwareVersion(ctx: AppContext, input: ChangeFirmwareVersion) {
  const { workspaceId, actor, firmwareVersionId } = input
  checkIdentifiers(input)
  return refusingTaken(nameTaken(input.name ?? ''), () =>
    ctx.db.transaction().execute(async (tx) => {
      const before = await lockedVersion(tx, workspaceId, firmwareVersionId)
      const { id, firmware } = before
      const { name = before.name, purl = before.purl, cpe = before.cpe } = input
      const { predecessorId = before.predecessorId } = input
      await checkPredecessor(tx, { workspaceId, id, firmwareId: firmware.id, predecessorId })
      const after = { name, purl, cpe, predecessorId }
      await store.updateFirmwareVersion(tx, { workspaceId, id, ...after })
      const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId: id }
      await recordAudit(ctx, tx, { ...entry, action: 'firmware-version.update', before, after })
      return getFirmwareVersion(tx, workspaceId, id)
    }),
  )
}

/** The firmware's row too, so that two changes at once cannot make its versions succeed each other in a circle. */
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

interface Succession {
  workspaceId: string
  id: string
  firmwareId: string
  predecessorId: string | null
}

async function checkPredecessor(tx: Tx, succession: Succession): Promise<void> {
  const { workspaceId, id, firmwareId, predecessorId } = succession
  if (predecessorId === null) return
  const versions = await store.listFirmwareVersions(tx, workspaceId, firmwareId)
  const byId = new Map(versions.map((version) => [version.id, version]))
  const pointer = '/predecessorId'
  const named = isUuid(predecessorId) ? predecessorId.toLowerCase() : ''
  if (!byId.has(named)) throw invalid('It is no version of this firmware.', pointer)
  for (let earlier: string | null = named; earlier !== null;) {
    if (earlier === id) throw invalid('A version cannot come before itself.', pointer)
    const next: string | null = byId.get(earlier)?.predecessorId ?? null
    byId.delete(earlier)
    earlier = next
  }
}

const nameTaken = (name: string) => () =>
  new AppError(
    'conflict',
    'firmware-version-name-taken',
    `This firmware has a version named ${JSON.stringify(name)} already.`,
  )
