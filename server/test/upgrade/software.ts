/** Firmware with its SBOMs, files, findings and decisions. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Caller, made } from './caller.ts'
import {
  BEACOND,
  cycloneDx,
  firstNews,
  laterNews,
  OPENFOG,
  openVex,
  SEABIRD,
  spdx,
  TIDE,
  VENDORED,
} from './documents.ts'
import { type Installation, until } from './installation.ts'

export interface Software {
  firmwareId: string
  /** 1.0.0, 1.1.0 and 1.2.0. */
  versions: [string, string, string]
  /** The images of the modem. */
  modem: { firmwareId: string; versionId: string }
}

async function importNews(installation: Installation, name: string, files: Record<string, string>) {
  const folder = join(installation.folder, name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const answer = await installation.admin('feeds', 'import', folder)
  const skipped = JSON.stringify(answer).match(/"skipped":[1-9]/)
  if (skipped) throw new Error(`Advisories were skipped: ${JSON.stringify(answer)}`)
}

export const importFirstNews = (installation: Installation) =>
  importNews(installation, 'first', firstNews())
const importLaterNews = (installation: Installation) =>
  importNews(installation, 'later', laterNews())

const upload = (caller: Caller, versionId: string, fileName: string, document: string) =>
  made(caller, `{ws}/firmware-versions/${versionId}/sboms?fileName=${fileName}`, document)

const putArtifact = (
  caller: Caller,
  versionId: string,
  fileName: string,
  headers: Record<string, string> = {},
) => {
  const body = `image ${fileName}\n`.repeat(8)
  const path = `{ws}/firmware-versions/${versionId}/artifact?fileName=${fileName}`
  return made(caller, path, body, { method: 'PUT', headers })
}

interface ListedSbom {
  id: string
  fileName: string
  parsingState: string
  vulnerabilitiesParsedAt: string | null
}

const isSettled = ({ parsingState, vulnerabilitiesParsedAt }: ListedSbom) =>
  parsingState === 'Failed' || (parsingState === 'Succeeded' && vulnerabilitiesParsedAt !== null)

/** The SBOMs of the versions, when none has anything left to be done. */
export async function settled(
  caller: Caller,
  versionIds: readonly string[],
): Promise<ListedSbom[]> {
  const settledSboms: ListedSbom[] = []
  for (const id of versionIds) {
    let sboms: ListedSbom[] = []
    await until(`the SBOMs of ${id}`, async () => {
      sboms = await listSboms(caller, id)
      return sboms.every(isSettled)
    })
    settledSboms.push(...sboms)
  }
  return settledSboms
}

const listSboms = async (caller: Caller, versionId: string) =>
  (await made<{ sboms: ListedSbom[] }>(caller, `{ws}/firmware-versions/${versionId}/sboms`)).sboms

interface ListedFinding {
  id: string
  cveId: string
}

async function listFindings(caller: Caller, versionId: string): Promise<Map<string, string>> {
  const path = `{ws}/firmware-versions/${versionId}/vulnerability-findings/list`
  const { findings } = await made<{ findings: ListedFinding[] }>(caller, path, { limit: 100 })
  return new Map(findings.map(({ cveId, id }) => [cveId, id]))
}

export async function findFinding(
  caller: Caller,
  versionId: string,
  cveId: string,
): Promise<string> {
  let found: string | undefined
  await until(`the finding ${cveId}`, async () => {
    found = (await listFindings(caller, versionId)).get(cveId)
    return found !== undefined
  })
  return found ?? ''
}

/** Two firmwares; the first version of the first has SBOMs of two tools, one that is none, and images. */
export async function makeFirmware(caller: Caller): Promise<Software> {
  const { id: firmwareId } = await made(caller, '{ws}/firmwares', {
    slug: 'beacon',
    name: 'Beacon',
    description: 'Turns the lamp',
  })
  const { id: modemId } = await made(caller, '{ws}/firmwares', { slug: 'modem', name: 'Modem' })
  const version = async (firmware: string, body: object) =>
    (await made(caller, `{ws}/firmwares/${firmware}/versions`, body)).id
  const first = await version(firmwareId, {
    name: '1.0.0',
    buildId: 'b-1000',
    purl: 'pkg:generic/beacon@1.0.0',
    cpe: 'cpe:2.3:o:lighthouses:beacon:1.0.0:*:*:*:*:*:*:*',
  })
  await upload(
    caller,
    first,
    'beacon.cdx.json',
    cycloneDx('1.0.0', [TIDE('1.3.0'), SEABIRD, BEACOND]),
  )
  await upload(caller, first, 'rootfs.spdx.json', spdx('1.0.0', [OPENFOG, VENDORED]))
  await upload(caller, first, 'notes.txt', 'This is no SBOM.')
  const second = await version(firmwareId, { name: '1.1.0', predecessorId: first })
  const third = await version(firmwareId, { name: '1.2.0', buildId: 'b-1200' })
  const modem = await version(modemId, { name: '7' })
  for (const [id, name] of [
    [first, 'beacon-1.0.0.bin'],
    [second, 'beacon-1.1.0.bin'],
    [third, 'beacon-1.2.0.bin'],
  ] as const)
    await putArtifact(caller, id, name)
  await beginUpload(caller, modem)
  await settled(caller, [first])
  return {
    firmwareId,
    versions: [first, second, third],
    modem: { firmwareId: modemId, versionId: modem },
  }
}

/** An upload whose second part never comes. */
async function beginUpload(caller: Caller, versionId: string): Promise<void> {
  const path = `{ws}/firmware-versions/${versionId}/artifact?fileName=modem-7.bin`
  const headers = { 'content-range': 'bytes 0-9/20' }
  await made(caller, path, '0123456789', { method: 'PUT', headers })
}

/** Decisions of all kinds; then versions that take them over, and news that change what holds. */
export async function decide(
  installation: Installation,
  caller: Caller,
  { versions: [first, second, third] }: Software,
): Promise<void> {
  const finding = (cveId: string) => findFinding(caller, first, cveId)
  await made(caller, `{ws}/vulnerability-findings/${await finding('CVE-2026-90001')}/assessments`, {
    assessment: 'InTriage',
    detail: 'Somebody looks at it:\ttabs, \\N, "quotes" and\nlines.',
  })
  await made(caller, `{ws}/vulnerability-findings/${await finding('CVE-2026-90001')}/assessments`, {
    assessment: 'Exploitable',
    response: 'update',
    detail: 'The port is open.',
  })
  await made(
    caller,
    `{ws}/vulnerability-findings/${await finding('CVE-2026-90006')}/ignore`,
    { ignored: true },
    { method: 'PUT' },
  )
  await decideManyAtOnce(caller)
  await made(caller, `{ws}/firmware-versions/${first}/vex`, openVex('1.0.0'))
  await override(caller, first)
  await upload(
    caller,
    second,
    'beacon.cdx.json',
    cycloneDx('1.1.0', [TIDE('1.3.0'), SEABIRD, BEACOND]),
  )
  await settled(caller, [first, second])
  await made(
    caller,
    `{ws}/firmware-versions/${third}`,
    { predecessorId: second },
    { method: 'PATCH' },
  )
  const repaired = {
    ...BEACOND,
    version: '2.3.0',
    cpe: BEACOND.cpe?.replace('2.1.0', '2.3.0') ?? '',
  }
  await upload(
    caller,
    third,
    'beacon.cdx.json',
    cycloneDx('1.2.0', [TIDE('1.4.2'), SEABIRD, repaired]),
  )
  await settled(caller, [third])
  await importLaterNews(installation)
  await findFinding(caller, third, 'CVE-2026-90007')
  await until('the end of what is repaired', async () => {
    const findings = await listFindings(caller, third)
    return !findings.has('CVE-2026-90002')
  })
}

async function decideManyAtOnce(caller: Caller): Promise<void> {
  const filter = { cveIds: ['CVE-2026-90002'], components: [{ packageName: 'seabird' }] }
  await made(caller, '{ws}/vulnerability-findings/bulk-assess', {
    assessment: 'NotAffected',
    justification: 'vulnerable_code_not_present',
    detail: 'Patched by our own build.',
    filter,
    alsoFuture: true,
  })
}

/** What nothing identifies is said to be beacond; a second statement replaces the first. */
async function override(caller: Caller, versionId: string): Promise<void> {
  const selector = { name: 'vendored-beacon' }
  const stated = { selector, cpes: ['cpe:2.3:a:lumenworks:beacond:*:*:*:*:*:*:*:*'] }
  const { id } = await made(caller, '{ws}/package-overrides', { ...stated, version: '2.0.0' })
  await made(
    caller,
    `{ws}/package-overrides/${id}`,
    { ...stated, version: '2.3.1', reason: 'The submodule says so.' },
    { method: 'PUT' },
  )
  await settled(caller, [versionId])
}

/** Another SBOM, which is parsed when a worker runs again. */
export const uploadLast = (caller: Caller, { modem }: Software) =>
  upload(caller, modem.versionId, 'modem.cdx.json', cycloneDx('7', [TIDE('1.3.9'), SEABIRD]))

/** The other workspace has a firmware of the same name, with packages of the same kind. */
export async function makeOtherFirmware(caller: Caller): Promise<string> {
  const { id } = await made(caller, '{ws}/firmwares', { slug: 'beacon', name: 'Buoy' })
  const version = await made(caller, `{ws}/firmwares/${id}/versions`, { name: '1.0.0' })
  await upload(caller, version.id, 'buoy.cdx.json', cycloneDx('1.0.0', [TIDE('1.3.0'), BEACOND]))
  await settled(caller, [version.id])
  await findFinding(caller, version.id, 'CVE-2026-90001')
  return version.id
}

/** The files of a component that are compiled. */
export async function listSourceFiles(caller: Caller, { versions: [first] }: Software) {
  const sboms = await listSboms(caller, first)
  const sbom = sboms.find(({ fileName }) => fileName === 'beacon.cdx.json')?.id ?? ''
  const { components } = await made<{ components: { id: string; name: string }[] }>(
    caller,
    `{ws}/sboms/${sbom}/components/list`,
    {},
  )
  await made(
    caller,
    `{ws}/sboms/${sbom}/components/${components[0]?.id ?? ''}/source-files`,
    'src/decode.c\nsrc/lamp.c\n',
    { method: 'PUT', headers: { 'content-type': 'text/plain' } },
  )
}
