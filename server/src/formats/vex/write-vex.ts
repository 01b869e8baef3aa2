import type { VexExport } from './export.ts'
import { writeCsaf } from './write-csaf.ts'
import { writeCycloneDxVex } from './write-cyclonedx.ts'
import { writeOpenVex } from './write-openvex.ts'

export const EXPORT_FORMATS = ['openvex', 'cyclonedx', 'csaf'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const WRITERS = { openvex: writeOpenVex, cyclonedx: writeCycloneDxVex, csaf: writeCsaf }

/** A document of the standard. It is valid by the schema if the received statements are. */
export function writeVex(format: ExportFormat, input: VexExport) {
  return WRITERS[format](input)
}
