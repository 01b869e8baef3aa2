/** SBOMs: through the parser process's own entry, and some of what it reads through the API into the database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cpuUsage } from 'node:process'
import { tmpdir } from 'node:os'
import { zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { parse } from '../../src/features/sboms/parsing/parser-process.ts'
import { DEFAULT_SBOM_LIMITS } from '../../src/formats/sboms/limits.ts'
import { tarOf } from '../tar-of.ts'
import { closeAtEndOfFile } from '../end-of-file.ts'
import { parsedSboms, upload } from '../given.ts'
import { bytesOf, type StoredBytes } from './bytes.ts'
import { type Door, Fault, openDoor } from './door.ts'
import { jsonBytes, mutated, spoiled } from './mutations.ts'
import { cycloneDx, spdx2, spdx3, tagValue, xmlDocuments } from './sbom-documents.ts'
import type { World } from './world.ts'

interface SbomCase {
  files: StoredBytes[]
}

const documents: fc.Arbitrary<Buffer> = fc.oneof(
  mutated(cycloneDx).map(jsonBytes),
  xmlDocuments(mutated(cycloneDx)).map((text) => Buffer.from(text)),
  mutated(spdx2).map(jsonBytes),
  mutated(spdx3).map(jsonBytes),
  tagValue.map((text) => Buffer.from(text)),
)

const packed = fc
  .tuple(documents, fc.constantFrom('plain', 'plain', 'plain', 'plain', 'tar', 'zstd', 'tar.zst'))
  .map(([bytes, how]) => {
    const tar = how.startsWith('tar')
      ? tarOf({ 'a.spdx.json': bytes.toString(), index: '{}' })
      : bytes
    return how.endsWith('zst') || how === 'zstd' ? zstdCompressSync(tar) : tar
  })

const cases: fc.Arbitrary<SbomCase> = fc
  .array(spoiled(packed, 6), { minLength: 1, maxLength: 2 })
  .map((files) => ({ files }))

const MEBIBYTE = 1024 * 1024
/** Smaller than those of the service, so that a case that reaches them is cheap. */
const LIMITS = {
  ...DEFAULT_SBOM_LIMITS,
  decompressedBytes: 16 * MEBIBYTE,
  values: 300_000,
  components: 5_000,
}
/** Of processor time: other programs may slow a machine down. */
const SLOW_MICROSECONDS = 5_000_000
/** Stored of each round. */
const STORED = 6

export function sbomDoor(world: World): Door {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fuzz-'))
  closeAtEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  const read: SbomCase[] = []
  let count = 0
  return openDoor({
    cases,
    run: async (one) => {
      count += 1
      const paths = one.files.map((file, index) => {
        const path = join(folder, String(index))
        // A file that is written over waits for the disk when it is closed (ext4), and all doors with it.
        rmSync(path, { force: true })
        writeFileSync(path, bytesOf(file))
        return path
      })
      const begun = cpuUsage()
      const isRead = await parsed(paths)
      if (cpuUsage(begun).user > SLOW_MICROSECONDS)
        throw new Fault('slow: a small SBOM takes seconds')
      if (isRead && count % 7 === 0 && read.length < STORED) read.push(one)
    },
    check: () => storeSboms(world, read.splice(0)),
  })
}

/** Whether it is an SBOM. Every row has to be one that the database takes. */
async function parsed(paths: string[]): Promise<boolean> {
  for await (const message of parse({ paths, limits: LIMITS, overrides: [] })) {
    if (message.type === 'failed') {
      refuseVague(message.message)
      return false
    }
    if (message.type === 'summary')
      message.sboms.flatMap(({ warnings }) => warnings).forEach(refuseVague)
    else refuseUnstorable(message.rows)
  }
  return true
}

const VAGUE = /undefined(?! values)|\[object |\n\s+at |Cannot read|is not a function/

export function refuseVague(text: string): void {
  if (text.length < 8 || (VAGUE.test(text) && !/["“‘'`]/.test(text)))
    throw new Fault(`does not say what is wrong: ${text}`)
}

/** PostgreSQL stores neither U+0000 nor half a surrogate pair. */
export function refuseUnstorable(value: unknown): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000') || !value.isWellFormed())
      throw new Fault(`a text that the database refuses: ${JSON.stringify(value.slice(0, 80))}`)
  } else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      refuseUnstorable(name)
      refuseUnstorable(inner)
    }
}

async function storeSboms({ test, helper: { client } }: World, read: SbomCase[]): Promise<void> {
  const firmware = await client.post('/firmwares', { slug: `fz-${crypto.randomUUID()}` })
  const { id } = firmware.json<{ id: string }>()
  for (const [index, one] of read.entries()) {
    const version = await client.post(`/firmwares/${id}/versions`, { name: `${index}` })
    const { id: firmwareVersionId } = version.json<{ id: string }>()
    const files = one.files.map((file, at) => ({ name: `${at}.json`, bytes: bytesOf(file) }))
    const answer = await upload(test, client, { firmwareVersionId, files })
    if (answer.statusCode !== 202) continue
    const sboms = await parsedSboms(client, firmwareVersionId)
    const bad = sboms.find(({ parsingError }) => /internal error|too long/.test(parsingError ?? ''))
    if (bad) throw new Fault(`${bad.parsingError}`, one)
  }
  await client.delete(`/firmwares/${id}`)
}
