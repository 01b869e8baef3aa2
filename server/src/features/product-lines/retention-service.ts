/** What a product line keeps from being deleted: 13(9) and 13(13) of Regulation (EU) 2024/2847 (decision 108). */
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { getFirmware, getFirmwareVersion } from '../firmware/index.ts'
import { listRetained, type RetainedVersion } from './retention-store.ts'

type Clock = Pick<AppContext, 'now'>

interface Versions {
  workspaceId: string
  firmwareVersionIds: readonly string[]
}

/** Also asked in the transaction that deletes. Firmware of no product line, and what was never rolled out, may go. */
export async function refuseRetained({ now }: Clock, db: Db, versions: Versions): Promise<void> {
  if (versions.firmwareVersionIds.length === 0) return
  const [last] = await listRetained(db, { ...versions, now: now() })
  if (last) throw new AppError('conflict', 'retained', explainRetained(last))
}

function explainRetained(retained: RetainedVersion): string {
  const { firmware, version, productLine, isInLine, until } = retained
  return `${firmware} ${version} was rolled out and ${isInLine ? 'is' : 'was'} of the product line ${productLine}: the version, its SBOMs, artifact and decisions are kept until ${until.toISOString().slice(0, 10)} (Article 13(9) and 13(13) of Regulation (EU) 2024/2847).`
}

/** The versions whose files no schedule may delete. */
export async function listRetainedIds({ now }: Clock, db: Db, workspaceId: string) {
  const retained = await listRetained(db, { workspaceId, now: now() })
  return retained.map(({ firmwareVersionId }) => firmwareVersionId)
}

/** Of a version: one at most. */
export async function getRetentionOfVersion(
  { now }: Clock,
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  const { id } = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const asked = { workspaceId, firmwareVersionIds: [id], now: now() }
  return { retained: (await listRetained(db, asked)).map(describe) }
}

/** Of a firmware: its versions that are kept, the latest first. */
export async function getRetentionOfFirmware(
  { now }: Clock,
  db: Db,
  { workspaceId, firmwareId }: { workspaceId: string; firmwareId: string },
) {
  const { id } = await getFirmware(db, workspaceId, firmwareId)
  const asked = { workspaceId, firmwareIds: [id], now: now() }
  return { retained: (await listRetained(db, asked)).map(describe) }
}

const describe = ({ productLineId, productLine, firmware, ...held }: RetainedVersion) => ({
  ...held,
  firmware,
  productLine: { id: productLineId, name: productLine },
})
