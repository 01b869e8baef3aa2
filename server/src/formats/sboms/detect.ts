/** Detects formats by content, never by name, and names known formats that are not supported. */
import { detectBuildReport } from './build-reports.ts'
import { isObject, isText, type JsonObject } from './json-values.ts'
import type { BuildReportFormat } from './model.ts'
import { SbomError } from './sbom-error.ts'
import { startsWith } from './text.ts'
import { quote } from './warnings.ts'

export type Syntax = 'json' | 'xml' | 'tag-value'
export type JsonFormat = 'CycloneDxJson' | 'Spdx2Json' | 'Spdx3JsonLd' | BuildReportFormat

const ASCII = (text: string) => [...Buffer.from(text, 'latin1')]

/** Files people upload by mistake; `hint` says what to do instead. */
const SIGNATURES: readonly { bytes: readonly number[]; what: string; hint?: string }[] = [
  {
    bytes: ASCII('PK\x03\x04'),
    what: 'a ZIP archive',
    hint: 'Unpack it and upload the SBOM inside.',
  },
  { bytes: ASCII('PK\x05\x06'), what: 'an empty ZIP archive' },
  { bytes: [0xfd, ...ASCII('7zXZ\0')], what: 'xz-compressed', hint: 'Use gzip or zstd.' },
  { bytes: ASCII('BZh'), what: 'bzip2-compressed', hint: 'Use gzip or zstd.' },
  {
    bytes: ASCII('7z\xbc\xaf'),
    what: 'a 7z archive',
    hint: 'Unpack it and upload the SBOM inside.',
  },
  { bytes: [0x04, 0x22, 0x4d, 0x18], what: 'lz4-compressed', hint: 'Use gzip or zstd.' },
  { bytes: ASCII('\x89PNG'), what: 'a PNG picture' },
  { bytes: [0xff, 0xd8, 0xff], what: 'a JPEG picture' },
  { bytes: ASCII('GIF8'), what: 'a GIF picture' },
  { bytes: ASCII('RIFF'), what: 'a RIFF file (WebP picture, sound or video)' },
  { bytes: ASCII('%PDF'), what: 'a PDF document' },
  { bytes: ASCII('\x7fELF'), what: 'an ELF binary' },
]

const FIRST_PAGE = 64 * 1024
const SPACE_BYTES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const TAG_VALUE_LINE =
  /^[ \t]*(?:SPDXVersion|DataLicense|DocumentName|DocumentNamespace|Creator|PackageName):/m
const YAML_LINE =
  /^(?:spdxVersion|dataLicense|creationInfo|documentNamespace|packages|bomFormat|specVersion):/m

/** The syntax of UTF-8 bytes without byte order mark. @throws SbomError for everything that is not an SBOM. */
export function detectSyntax(bytes: Uint8Array): Syntax {
  const start = bytes.findIndex((byte) => !SPACE_BYTES.has(byte))
  if (start === -1) throw empty(bytes)
  const signature = SIGNATURES.find((candidate) => startsWith(bytes, candidate.bytes))
  if (signature) throw notReadable(signature)
  if (bytes[start] === 0 || bytes[start + 1] === 0) throw binary(bytes.subarray(start))
  const first = String.fromCharCode(bytes[start] ?? 0)
  if (first === '{' || first === '[') return 'json'
  if (first === '<') return 'xml'
  const page = Buffer.from(bytes.subarray(start, start + FIRST_PAGE)).toString('utf8')
  if (page.includes('\0')) throw binary(bytes)
  if (TAG_VALUE_LINE.test(page)) return 'tag-value'
  throw YAML_LINE.test(page)
    ? new SbomError(
        'unsupported',
        'The file is SPDX or CycloneDX in YAML, which is not read. Convert it to JSON.',
      )
    : new SbomError(
        'not-an-sbom',
        'The file is not an SBOM: neither JSON nor XML nor SPDX tag-value. Upload SPDX 2.2, 2.3 or 3.0, or CycloneDX 1.0 to 1.7.',
      )
}

function empty(bytes: Uint8Array): SbomError {
  const what = bytes.length === 0 ? 'The file is empty.' : 'The file holds only white space.'
  return new SbomError('empty', what)
}

function notReadable({ what, hint }: { what: string; hint?: string }): SbomError {
  const compressed = what.endsWith('-compressed')
  const advice = hint ?? 'Upload the SBOM itself.'
  return new SbomError(
    compressed ? 'unsupported' : 'not-an-sbom',
    compressed
      ? `The file is ${what}, which is not read. ${advice}`
      : `The file is ${what}, not an SBOM. ${advice}`,
  )
}

function binary(bytes: Uint8Array): SbomError {
  const isLittleEndian = bytes[1] === 0 && isAsciiText(bytes[0])
  const isBigEndian = bytes[0] === 0 && isAsciiText(bytes[1])
  if (isLittleEndian || isBigEndian)
    return new SbomError(
      'unsupported',
      'The file looks like UTF-16 without a byte order mark. Save it as UTF-8.',
    )
  return new SbomError('not-an-sbom', 'The file is binary, not an SBOM.')
}

function isAsciiText(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20 && byte < 0x7f
}

/** Which of the JSON formats a parsed document is. @throws SbomError `not-an-sbom`, saying what it is if known. */
export function detectJsonFormat(value: unknown): JsonFormat {
  if (!isObject(value))
    throw new SbomError('not-an-sbom', 'The JSON document is not an SBOM: it is not an object.')
  const bomFormat = value['bomFormat']
  if (bomFormat === 'CycloneDX') return 'CycloneDxJson'
  if (bomFormat !== undefined)
    throw new SbomError(
      'not-an-sbom',
      `The property bomFormat is ${quote(bomFormat)} instead of "CycloneDX".`,
    )
  if ('spdxVersion' in value) return 'Spdx2Json'
  if (isSpdx3(value)) return 'Spdx3JsonLd'
  if (isText(value['$schema']) && value['$schema'].includes('cyclonedx.org')) return 'CycloneDxJson'
  const report = detectBuildReport(value)
  if (report !== undefined) return report
  throw new SbomError('not-an-sbom', describeOtherJson(value))
}

function isSpdx3(value: JsonObject): boolean {
  const context = value['@context']
  const contexts: unknown[] = Array.isArray(context) ? context : [context]
  return contexts.some((entry) => isText(entry) && /spdx.*(?:\/3\.|context)/.test(entry))
}

function describeOtherJson(value: JsonObject): string {
  const context = value['@context']
  if (isText(context) && context.includes('openvex'))
    return 'The JSON document is OpenVEX, not an SBOM.'
  if (isObject(value['document']) && 'csaf_version' in value['document'])
    return 'The JSON document is a CSAF advisory, not an SBOM.'
  if ('Document' in value)
    return 'The JSON document is SPDX wrapped in "Document", a form of SPDX 2.1 that is not read.'
  return 'The JSON document is not an SBOM: it has no "bomFormat" (CycloneDX), no "spdxVersion" (SPDX 2) and no SPDX 3 "@context".'
}
