import type { Readable } from 'node:stream'
import type { AppContext } from '../../../platform/context.ts'
import { spoolText } from '../../../platform/http/spooled-text.ts'
import { VERSION } from '../../../version.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { findingsCsv } from './csv.ts'
import { findingsSarif } from './sarif.ts'
import * as store from './store.ts'

export const EXPORT_FORMATS = ['csv', 'sarif'] as const
type ExportFormat = (typeof EXPORT_FORMATS)[number]

export interface ExportFindings {
  workspaceId: string
  firmwareVersionId: string
  format: ExportFormat
}

export interface Exported {
  content: Readable
  contentType: string
  fileName: string
}

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  sarif: 'application/sarif+json; charset=utf-8',
}

/** Exports all findings that hold now, also ignored and closed ones. */
export async function exportFindings(ctx: AppContext, input: ExportFindings): Promise<Exported> {
  const { workspaceId, format } = input
  const { id, name, firmware } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const version = { firmwareVersionId: id, firmwareSlug: firmware.slug, firmwareVersionName: name }
  const key = { workspaceId, firmwareVersionId: id }
  const content = await spoolText(
    store.inOneSnapshot(ctx.db, (tx) =>
      format === 'csv'
        ? findingsCsv(store.readFindings(tx, key), version)
        : findingsSarif({
            version,
            release: VERSION,
            vulnerabilities: () => store.readVulnerabilities(tx, key),
            findings: () => store.readFindings(tx, key),
          }),
    ),
  )
  return {
    content,
    contentType: TYPES[format],
    fileName: `${firmware.slug}-${name}-findings.${format}`,
  }
}
