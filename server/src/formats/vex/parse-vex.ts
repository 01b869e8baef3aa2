/** A JSON value → VEX document, and back. Pure: no I/O, no clock. */
import { detectBuildReport } from '../sboms/build-reports.ts'
import { isObject, type JsonObject } from '../sboms/json-values.ts'
import { isCsaf, readCsaf } from './csaf.ts'
import { isCycloneDx, readCycloneDxVex } from './cyclonedx-vex.ts'
import { VexError, type VexDocument, type VexFault, type VexFormat } from './model.ts'
import { isOpenVex, readOpenVex } from './openvex.ts'
import { readWords } from './words.ts'

const HINT = 'OpenVEX 0.2, CycloneDX 1.4 to 1.7 in JSON and CSAF 2.0 are read.'

/** @throws VexError for a value that is not a VEX document or has no statements. */
export function parseVex(value: unknown): VexDocument {
  if (!isObject(value)) throw new VexError(`A VEX document is a JSON object. ${HINT}`)
  const read = readAny(value)
  const faults = [...read.faults, ...silentEntries(value, read)]
  const document = { ...read, faults, statements: read.statements.map(readWords) }
  if (document.statements.length > 0) return document
  const [fault] = document.faults
  const why = fault ? ` ${fault.pointer} ${fault.detail}.` : ''
  throw new VexError(`The document makes no VEX statement.${why}`, fault?.pointer)
}

function readAny(value: JsonObject): VexDocument {
  if (isOpenVex(value)) return readOpenVex(value)
  if (isCycloneDx(value)) return readCycloneDxVex(value)
  if (isCsaf(value)) return readCsaf(value)
  const report = detectBuildReport(value)
  throw new VexError(
    report === undefined
      ? `This is not a VEX document. ${HINT}`
      : `This is a report of a build (${report}). It is uploaded like an SBOM, beside the SBOM of the build.`,
  )
}

/** Entries of which nothing else is told: a report of a scanner, a vulnerability without a status of any product. */
function silentEntries(value: JsonObject, { format, statements, faults }: VexDocument): VexFault[] {
  const told = new Set(
    [...statements, ...faults].map(({ pointer }) => pointer.split('/').slice(0, 3).join('/')),
  )
  const list: unknown = value[ENTRIES[format]]
  return (Array.isArray(list) ? list : []).flatMap((_, index) => {
    const pointer = `/${ENTRIES[format]}/${index}`
    const detail = 'it says of no product whether it is affected'
    return told.has(pointer) ? [] : [{ pointer, detail }]
  })
}

const ENTRIES: Readonly<Record<VexFormat, string>> = {
  OpenVex: 'statements',
  CycloneDx: 'vulnerabilities',
  Csaf: 'vulnerabilities',
  Spdx3: '@graph',
  Build: 'statements',
}

/** Restores the whole document. */
export function assembleVex({
  format,
  envelope,
  entries,
}: Pick<VexDocument, 'format' | 'envelope' | 'entries'>): JsonObject {
  return { ...envelope, [ENTRIES[format]]: entries }
}
