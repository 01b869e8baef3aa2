import type { Readable } from 'node:stream'
import type { AppContext } from '../../platform/context.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import type { ExportedVersion } from './csv.ts'

export const EXPORT_FORMATS = ['csv', 'sarif'] as const
type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportFindings {
  workspaceId: string
  firmwareVersionId: string
  format: ExportFormat
}

/** What the process is told that writes the text. */
export interface WriteFindings {
  workspaceId: string
  version: ExportedVersion
  format: ExportFormat
}

const WRITER = new URL('./export-process.ts', import.meta.url)

export interface ExportedFile {
  content: Readable
  contentType: string
  fileName: string
}

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  sarif: 'application/sarif+json; charset=utf-8',
}

/** Exports all findings that hold now, also ignored and closed ones. */
export async function exportFindings(
  ctx: AppContext,
  input: ExportFindings,
): Promise<ExportedFile> {
  const { workspaceId, format } = input
  const { id, name, firmware } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const version = { firmwareVersionId: id, firmwareSlug: firmware.slug, firmwareVersionName: name }
  const asked: WriteFindings = { workspaceId, version, format }
  const content = await ctx.calculators.text(WRITER, asked)
  return {
    content,
    contentType: TYPES[format],
    fileName: `${firmware.slug}-${name}-findings.${format}`,
  }
}
