/** Builds all parts of a release into a folder. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packFolder } from './archive.ts'
import { buildExecutable, bundleCli, packCli } from './cli.ts'
import { writeCycloneDx } from './cyclonedx.ts'
import { buildDebianPackage } from './debian.ts'
import { copyEmbeddedDatabase } from './embedded-database.ts'
import type { ReleaseFacts } from './facts.ts'
import { buildImage } from './image.ts'
import { takeInventory } from './inventory.ts'
import { REPOSITORY } from './paths.ts'
import { describeProvenance, hashFile } from './provenance.ts'
import { buildServer } from './server.ts'
import { SUMS } from './sign.ts'
import { writeSpdx } from './spdx.ts'
import { readDecisions, writeCycloneDxVex, writeOpenVex } from './vex.ts'

export const PARTS = [
  'documents',
  'chart',
  'cli',
  'executable',
  'server',
  'postgres',
  'debian',
  'image',
] as const
export type Part = (typeof PARTS)[number]
const BUILT_OF_SERVER: readonly Part[] = ['server', 'debian', 'image']

export interface ReleaseOptions {
  facts: ReleaseFacts
  dist: string
  parts: ReadonlySet<Part>
  say: (text: string) => void
}

/** The folder is made anew. The names of the files are those that the guide lists. */
export async function buildRelease({ facts, dist, parts, say }: ReleaseOptions): Promise<void> {
  const work = join(dist, 'work')
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const documents = writeDocuments(facts, dist)
  if (parts.has('chart')) say(await packChart(facts, dist))
  const bundle = join(work, 'client')
  await bundleCli(bundle)
  if (parts.has('cli')) say(basename(await packCli(facts, { bundle, work, dist })))
  if (parts.has('executable')) say(basename(await buildExecutable(facts, { work, dist })))
  const name = `plimsoll-server-${facts.version}`
  const server = join(work, name)
  if (BUILT_OF_SERVER.some((part) => parts.has(part))) await buildServer(facts, server)
  if (parts.has('server')) {
    const file = join(dist, `${name}.tar.gz`)
    await packFolder(facts, { folder: work, name, file })
    say(basename(file))
  }
  if (parts.has('postgres')) await packPostgres({ facts, dist, work, say })
  if (parts.has('debian') && facts.platform.os === 'linux')
    say(basename(await buildDebianPackage(facts, { server, bundle, documents, work, dist })))
  if (parts.has('image')) say(await buildImage(facts, { server, work, dist }))
  rmSync(work, { recursive: true })
  if (!parts.has('documents')) for (const path of documents) rmSync(path)
  await writeChecksums(facts, dist)
}

/** `helm package` would call it plimsoll-VERSION.tgz, as npm calls the client. */
async function packChart(facts: ReleaseFacts, dist: string): Promise<string> {
  const name = `plimsoll-chart-${facts.version}.tgz`
  const folder = join(REPOSITORY, 'deploy/helm')
  await packFolder(facts, { folder, name: 'plimsoll', file: join(dist, name) })
  return name
}

/** The release's SBOMs and its VEX. */
export function writeDocuments(facts: ReleaseFacts, folder: string): string[] {
  const inventory = takeInventory(facts)
  const decisions = readDecisions(inventory)
  const documents: Record<string, object> = {
    'cdx.json': writeCycloneDx(inventory),
    'spdx.json': writeSpdx(inventory),
    'vex.cdx.json': writeCycloneDxVex(inventory, decisions),
    'openvex.json': writeOpenVex(inventory, decisions),
  }
  return Object.entries(documents).map(([suffix, document]) => {
    const path = join(folder, `plimsoll-${facts.version}.${suffix}`)
    writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)
    return path
  })
}

/** To be unpacked into the server's folder, where no PostgreSQL is given to it. */
async function packPostgres({
  facts,
  dist,
  work,
  say,
}: Omit<ReleaseOptions, 'parts'> & { work: string }) {
  const { os, arch } = facts.platform
  const name = `plimsoll-server-${facts.version}`
  const folder = join(work, 'postgres')
  if (!copyEmbeddedDatabase(facts, join(folder, name))) {
    say('no embedded PostgreSQL: npm installed none')
    return
  }
  const file = join(dist, `plimsoll-postgres-${facts.version}-${os}-${arch}.tar.gz`)
  await packFolder(facts, { folder, name, file })
  say(basename(file))
}

/** From what each file was made, and for `sha256sum --check SHA256SUMS`. */
export async function writeChecksums(facts: ReleaseFacts, dist: string): Promise<void> {
  const files = readdirSync(dist).toSorted()
  const provenance = `plimsoll-${facts.version}.provenance.json`
  const statement = await describeProvenance(facts, { dist, files })
  writeFileSync(join(dist, provenance), `${JSON.stringify(statement, null, 2)}\n`)
  const lines = [...files, provenance]
    .toSorted()
    .map((name) => `${hashFile(join(dist, name))}  ${name}\n`)
  writeFileSync(join(dist, SUMS), lines.join(''))
}
