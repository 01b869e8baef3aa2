/** Files → SBOMs: unpack, detect, parse, link. Pure: no I/O, no clock, no network. */
import { hashJsonContent } from '../content-digest.ts'
import { readBuildReport } from './build-reports.ts'
import { readCycloneDxJson } from './cyclonedx-json.ts'
import { readCycloneDxXml } from './cyclonedx-xml.ts'
import { detectJsonFormat, detectSyntax, type JsonFormat, type Syntax } from './detect.ts'
import { createDraft, finish } from './document.ts'
import type { Draft, ParsedDocument } from './draft.ts'
import type { Budget } from './json-scan.ts'
import { isObject, type JsonObject } from './json-values.ts'
import { DEFAULT_SBOM_LIMITS, type SbomLimits } from './limits.ts'
import { linkSboms } from './link.ts'
import type { BuildReportFormat, LinkedSbom, SbomFormat } from './model.ts'
import { parseJson, type ParsedJson } from './parse-json.ts'
import { SbomError } from './sbom-error.ts'
import { readSpdx2Json } from './spdx2-json.ts'
import { readSpdx2TagValue } from './spdx2-tag-value.ts'
import { readSpdx3 } from './spdx3.ts'
import type { ArchiveMember } from '../tar.ts'
import { decodeUtf8, toUtf8, makeStorable } from './text.ts'
import { unpack } from './unpack.ts'
import { quote } from './warnings.ts'

/**
 * One SBOM for each file, linked with each other.
 * @throws SbomError with the position of the file that cannot be read.
 */
export function parseSboms(
  files: readonly Uint8Array[],
  limits: SbomLimits = DEFAULT_SBOM_LIMITS,
): LinkedSbom[] {
  const documents = files.map((file, position) => {
    try {
      return parseSbom(file, limits)
    } catch (error) {
      if (!(error instanceof SbomError)) throw error
      throw new SbomError(error.code, error.message, position)
    }
  })
  return linkSboms(documents)
}

/** Parses one file without resolving its references. @throws SbomError */
export function parseSbom(
  file: Uint8Array,
  limits: SbomLimits = DEFAULT_SBOM_LIMITS,
): ParsedDocument {
  const unpacked = unpack(file, limits)
  const budget: Budget = {
    depth: limits.depth,
    values: limits.values,
    valuesLimit: limits.values,
  }
  if (unpacked.kind === 'archive') return parseArchive(unpacked.members, budget, limits)
  const document = openDocument(unpacked.bytes, budget)
  const draft = createDraft(document.format, limits.components)
  document.read(draft)
  return finish(draft)
}

interface OpenDocument {
  format: SbomFormat
  read: (draft: Draft) => void
}

function openDocument(bytes: Uint8Array, budget: Budget): OpenDocument {
  const utf8 = toUtf8(bytes)
  return openSyntax(utf8, detectSyntax(utf8), budget)
}

function openSyntax(utf8: Uint8Array, syntax: Syntax, budget: Budget): OpenDocument {
  if (syntax === 'json') return openJson(parseJson(utf8, budget), utf8.length)
  const text = decodeUtf8(utf8)
  if (syntax === 'xml')
    return {
      format: 'CycloneDxXml',
      read: (draft) => {
        readCycloneDxXml(text, draft, budget)
      },
    }
  return {
    format: 'Spdx2TagValue',
    read: (draft) => {
      if (text.includes('\0')) draft.faults.add(UNSTORABLE_FAULT)
      readSpdx2TagValue(makeStorable(text), draft, budget)
      if (text.length <= MOST_COMPARED_BYTES) draft.contentDigest = hashJsonContent(text)
    },
  }
}

const UNSTORABLE_FAULT = 'The document holds U+0000 or half a surrogate pair, read as U+FFFD'

const report = (format: BuildReportFormat) => (value: JsonObject, draft: Draft) => {
  readBuildReport(value, format, draft)
}

const JSON_READERS: Readonly<Record<JsonFormat, (value: JsonObject, draft: Draft) => void>> = {
  CycloneDxJson: readCycloneDxJson,
  Spdx2Json: readSpdx2Json,
  Spdx3JsonLd: readSpdx3,
  YoctoCveCheck: report('YoctoCveCheck'),
  BuildrootShowInfo: report('BuildrootShowInfo'),
  BuildrootPkgStats: report('BuildrootPkgStats'),
}

const DUPLICATE_FAULT =
  'An object has two members of one name, of which the last counts; the first of them is'

/** A statement that is uploaded beside has 8 MiB at most; written for people, its SBOM may have been several times as large. */
const MOST_COMPARED_BYTES = 64 * 1024 * 1024

function openJson(
  { value, hadUnstorable, duplicate }: ParsedJson,
  sizeBytes: number,
): OpenDocument {
  const format = detectJsonFormat(value)
  const read = JSON_READERS[format]
  return {
    format,
    read: (draft) => {
      if (hadUnstorable) draft.faults.add(UNSTORABLE_FAULT)
      if (duplicate !== undefined) draft.faults.add(DUPLICATE_FAULT, quote(duplicate))
      if (isObject(value)) read(value, draft)
      if (sizeBytes <= MOST_COMPARED_BYTES) draft.contentDigest = hashJsonContent(value)
    },
  }
}

/** The documents of an archive form one SBOM. Members that are not SBOMs, such as Yocto's index.json, are skipped. */
function parseArchive(
  members: readonly ArchiveMember[],
  budget: Budget,
  limits: SbomLimits,
): ParsedDocument {
  let draft: Draft | undefined
  const passedOver: string[] = []
  for (const { name, bytes } of members) {
    const document = openMember(name, bytes, budget)
    if (document === undefined) passedOver.push(name)
    else {
      draft ??= createDraft(document.format, limits.components)
      if (document.format !== draft.format)
        throw new SbomError(
          'unsupported',
          `The archive mixes formats: ${quote(name)} is ${document.format}, the documents before it are ${draft.format}.`,
        )
      inMember(name, () => {
        if (draft) document.read(draft)
      })
    }
  }
  if (draft === undefined) throw new SbomError('not-an-sbom', 'The tar archive holds no SBOM.')
  // That of one document is not that of the archive.
  draft.contentDigest = undefined
  for (const name of passedOver)
    if (!/(?:^|\/)index\.json$/.test(name))
      draft.faults.add('File in the archive that is not an SBOM, passed over', quote(name))
  return finish(draft)
}

/** undefined: the member is not an SBOM. */
function openMember(name: string, bytes: Uint8Array, budget: Budget): OpenDocument | undefined {
  try {
    return openDocument(bytes, budget)
  } catch (error) {
    if (!(error instanceof SbomError)) throw error
    if (error.code === 'not-an-sbom' || error.code === 'empty') return undefined
    throw inFile(name, error)
  }
}

function inMember(name: string, read: () => void): void {
  try {
    read()
  } catch (error) {
    throw error instanceof SbomError ? inFile(name, error) : error
  }
}

function inFile(name: string, { code, message }: SbomError): SbomError {
  return new SbomError(code, `In the archive's file ${quote(name)}: ${message}`)
}
