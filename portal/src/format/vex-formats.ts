import type { VexDocument } from '@plimsoll/api-client'

const FORMATS: Record<VexDocument['format'], string> = {
  OpenVex: 'OpenVEX',
  CycloneDx: 'CycloneDX VEX',
  Csaf: 'CSAF VEX',
  Spdx3: 'SPDX 3',
  Build: 'Statements of the build',
}

export const describeVexFormat = (format: VexDocument['format']): string => FORMATS[format]
