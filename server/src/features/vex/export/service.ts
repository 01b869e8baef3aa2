/** Exports the assessments of a firmware version as a VEX document. */
import type { Readable } from 'node:stream'
import type { ExportedThing, VexPublisher } from '../../../formats/vex/export.ts'
import type { ExportFormat } from '../../../formats/vex/write-vex.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { listContestedStatements } from '../decisions/store.ts'
import type { VersionScope } from '../targets/store.ts'
import { choosePurl } from '../targets/service.ts'
import * as store from './store.ts'
import { formatCpe23 } from './verdicts.ts'

export interface ExportVex {
  workspaceId: string
  firmwareVersionId: string
  format: ExportFormat
}

/** What the process is told that writes the document. */
export interface WriteVex {
  scope: VersionScope
  product: ExportedThing
  publisher: VexPublisher
  format: ExportFormat
}

const WRITER = new URL('./export-process.ts', import.meta.url)

/** JSON. The same assessments always give the same document. */
export async function exportVex(ctx: AppContext, input: ExportVex): Promise<Readable> {
  const { workspaceId, format } = input
  const version = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const purl = choosePurl(version)
  const scope = { workspaceId, firmwareVersionId: version.id }
  const product: ExportedThing = {
    ref: purl,
    name: version.firmware.name,
    version: version.name,
    purl,
    cpe: formatCpe23(version.cpe),
    artifact: await store.findFullImage(ctx.db, scope),
  }
  const publisher = await readPublisher(ctx, workspaceId)
  const asked: WriteVex = { scope, product, publisher, format }
  return ctx.calculators.text(WRITER, asked)
}

/** Whether an export would state anything. */
export async function hasStatements(db: Db, scope: VersionScope): Promise<boolean> {
  if (await store.isAnyDecided(db, scope)) return true
  const received = await store.listReceived(db, scope)
  if (received.length === 0) return false
  const contested = new Set(await listContestedStatements(db, scope))
  return received.some(({ id }) => !contested.has(id))
}

async function readPublisher(ctx: AppContext, workspaceId: string): Promise<VexPublisher> {
  const { name, ...publisher } = ctx.config.vexPublisher
  return { ...publisher, name: name ?? (await store.findWorkspaceName(ctx.db, workspaceId)) }
}
