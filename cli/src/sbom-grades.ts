/** Grades an SBOM on this machine: no service is asked, and nothing leaves. */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import * as zlib from 'node:zlib'
import { gradeSbom, type SbomGrade } from '../../server/src/formats/sbom-profiles/grade.ts'
import type { GradedDocument } from '../../server/src/formats/sbom-profiles/grade-page.ts'
import { PROFILE_IDS, type ProfileId } from '../../server/src/formats/sbom-profiles/profile.ts'
import { SBOM_PROFILES } from '../../server/src/formats/sbom-profiles/profiles.ts'
import { describeFormat } from '../../server/src/formats/sbom-profiles/sayable.ts'
import { isBuildReport } from '../../server/src/formats/sboms/model.ts'
import { parseSbom } from '../../server/src/formats/sboms/parse.ts'
import { SbomError } from '../../server/src/formats/sboms/sbom-error.ts'
import { EXIT } from './exit-codes.ts'
import { CliError, usageError } from './failure.ts'
import { explainFileFault } from './file-faults.ts'

/** The profiles that a value of --profile names; undefined: it is the name of a login. */
export function findProfiles(value: string | undefined): ProfileId[] | undefined {
  const names = value?.split(',').map((name) => name.trim().toLowerCase()) ?? []
  const found = names.flatMap((name) => PROFILE_IDS.filter((id) => id === name))
  if (found.length === 0) return undefined
  const wrong = names.find((name) => !found.some((id) => id === name))
  if (wrong !== undefined)
    throw usageError(`There is no profile ${JSON.stringify(wrong)}. Use ${PROFILE_IDS.join(', ')}.`)
  return found
}

export async function gradeFile(
  path: string,
  profiles: readonly ProfileId[],
): Promise<GradedDocument & { warnings: string[] }> {
  const { fileName, document } = await readDocument(path)
  const grades = profiles.flatMap((id): SbomGrade[] => {
    const profile = SBOM_PROFILES.find((one) => one.id === id)
    return profile ? [gradeSbom(document, profile)] : []
  })
  return {
    fileName,
    format: describeFormat(document.format, document.specVersion),
    componentCount: document.components.length,
    grades,
    warnings: document.warnings,
  }
}

/** The document of a file, read as the service reads it. */
export async function readDocument(path: string) {
  const document = parse(path, await readBytes(path))
  if (isBuildReport(document.format))
    throw new CliError(EXIT.sbomFailed, `${path} is a report of a build, not an SBOM.`)
  return { fileName: basename(path), document }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (error) {
    throw usageError(`Cannot read ${path}: ${explainFileFault(error)}.`)
  }
}

const ZSTD = '28b52ffd'

function parse(path: string, bytes: Uint8Array) {
  const isZstd = Buffer.from(bytes.subarray(0, 4)).toString('hex') === ZSTD
  if (isZstd && !('zstdDecompressSync' in zlib))
    throw usageError(`${path} is compressed by zstd, which needs Node 22.15 or newer here.`)
  try {
    return parseSbom(bytes)
  } catch (error) {
    if (!(error instanceof SbomError)) throw error
    throw new CliError(EXIT.sbomFailed, `${path}: ${error.message}`)
  }
}
