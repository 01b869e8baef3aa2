/** Splits declared identifiers into parts and repairs those that known tools write wrong. */
import { type Cpe, parseCpe } from '../cpe.ts'
import { parsePurl } from '../purl.ts'
import type { PairOrigin } from './canonical.ts'
import { repairPurlParts } from './purl-repairs.ts'

export interface Name {
  key: string
  version: string | undefined
  /** The CPE of the name: its update and further attributes are part of the package. */
  cpe?: Cpe
  origin?: PairOrigin
}

export interface DeclaredPurl {
  type: string
  namespace: string | undefined
  name: string
  version: string | undefined
  qualifiers: Readonly<Record<string, string>>
  /** The address of the repository, if the purl names its host in place of a type. */
  repository: string | undefined
}

/**
 * Other spellings of types: Syft's former `alpine` and `dotnet`, `dpkg` of several tools, Dependency-Check's `javascript` of
 * libraries that it finds by their content; and a part of a pod of CocoaPods as if it were one (`AFNetworking/Core`).
 */
const OLD_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^pkg:\/{0,2}dotnet\//i, 'pkg:nuget/'],
  [/^pkg:\/{0,2}javascript\//i, 'pkg:npm/'],
  [/^(pkg:\/{0,2}cocoapods\/[^/@?#]+)(?:\/|%2F)[^@?#]+/i, '$1'],
  [/^pkg:\/{0,2}alpine\/(?:alpine\/)?/i, 'pkg:apk/alpine/'],
  [/^pkg:\/{0,2}dpkg\/(?:debian\/)?/i, 'pkg:deb/debian/'],
]

const HOSTS = new Map([
  ['github.com', 'github'],
  ['gitlab.com', 'gitlab'],
  ['bitbucket.org', 'bitbucket'],
])

const MAX_LENGTH = 4096

export function readPurl(text: string | undefined): DeclaredPurl | undefined {
  const trimmed = text?.trim()
  if (trimmed === undefined || trimmed.length > MAX_LENGTH) return undefined
  const { purl: repaired, repository } = repair(trimmed)
  const purl = parsePurl(repaired)
  if (!purl) return undefined
  const { type, qualifiers } = purl
  return { type, ...repairPurlParts(purl), qualifiers, repository }
}

/**
 * west builds purls from remote addresses: `pkg:git@github/zephyrproject-rtos/zephyr@v3.6.0`,
 * `pkg:github.com/…`, `pkg:git.trustedfirmware.org/TF-M/trusted-firmware-m@…` (zspdx/walker.py, `_build_purl`).
 */
function repair(text: string): { purl: string; repository: string | undefined } {
  const old = OLD_TYPES.find(([pattern]) => pattern.test(text))
  if (old) return { purl: text.replace(old[0], old[1]), repository: undefined }
  const found = /^pkg:\/{0,2}(?:git@)?([\w-]+(?:\.[\w-]+)*)\/([^?#]+)(.*)$/i.exec(text)
  const [, host = '', path = '', rest = ''] = found ?? []
  const type = HOSTS.get(host.toLowerCase())
  if (type !== undefined) return { purl: `pkg:${type}/${path}${rest}`, repository: undefined }
  if (/^pkg:git@/i.test(text)) return { purl: `pkg:${host}/${path}${rest}`, repository: undefined }
  if (!/\.[a-z]{2,}$/i.test(host)) return { purl: text, repository: undefined }
  return {
    purl: `pkg:generic/${path}${rest}`,
    repository: `https://${host}/${path.replace(/@[^@/]*$/, '')}`,
  }
}

export function readCpe(text: string): Cpe | undefined {
  return text.length > MAX_LENGTH ? undefined : parseCpe(text)
}
