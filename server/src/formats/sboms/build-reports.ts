/** Files that builds write beside an SBOM and that say what they know about CVEs of their packages → statements, no components. */
import { type BuildFact, noteFactAbout, quoteWords } from './build-facts.ts'
import { readCveStatus } from './cve-status.ts'
import type { Draft } from './draft.ts'
import { isObject, isText, listObjects, readText, type JsonObject } from './json-values.ts'
import type { BuildReportFormat } from './model.ts'
import type { VexProduct } from '../vex/model.ts'
import { createThing, listTexts } from '../vex/reading.ts'
import { findCveIds, findCveIdsInFileName } from './vulnerability-ids.ts'
import { quote } from './warnings.ts'

/** Which report a JSON document is; undefined: none. */
export function detectBuildReport(value: JsonObject): BuildReportFormat | undefined {
  if (isCveCheck(value)) return 'YoctoCveCheck'
  if (isPkgStats(value)) return 'BuildrootPkgStats'
  return isShowInfo(value) ? 'BuildrootShowInfo' : undefined
}

/** OpenEmbedded's cve-check.bbclass and vex.bbclass, and bootlin's sbom-cve-check in that form. */
function isCveCheck({ package: packages, version }: JsonObject): boolean {
  if (!Array.isArray(packages) || (packages.length === 0 && version !== '1')) return false
  return packages.every(
    (one) => isObject(one) && isText(one['name']) && Array.isArray(one['issue']),
  )
}

/** Buildroot's support/scripts/pkg-stats --json. */
function isPkgStats({ packages, package_status_checks: checks }: JsonObject): boolean {
  if (!isObject(packages)) return false
  return checks !== undefined || hasMember(packages, ['pkg_path', 'ignored_cves', 'patch_files'])
}

/** Buildroot's `make show-info`: an object for each package, also for the file systems of the image. */
function isShowInfo(value: JsonObject): boolean {
  return (
    Object.values(value).every(isObject) &&
    hasMember(value, ['ignore_cves', 'virtual', 'reverse_dependencies'])
  )
}

function hasMember(entries: JsonObject, names: readonly string[]): boolean {
  return Object.values(entries).some((one) => isObject(one) && names.some((name) => name in one))
}

const READERS: Readonly<Record<BuildReportFormat, (value: JsonObject, draft: Draft) => void>> = {
  YoctoCveCheck: readCveCheck,
  BuildrootPkgStats: ({ packages }, draft) => {
    readBuildroot(isObject(packages) ? packages : {}, '/packages', draft)
  },
  BuildrootShowInfo: (value, draft) => {
    readBuildroot(value, '', draft)
  },
}

export function readBuildReport(value: JsonObject, format: BuildReportFormat, draft: Draft): void {
  READERS[format](value, draft)
  if (draft.statements.length === 0)
    draft.faults.add('The report says of no CVE that it is patched or does not apply')
}

function readCveCheck({ package: packages }: JsonObject, draft: Draft): void {
  listObjects(packages).forEach((one, p) => {
    const name = readText(one['name']) ?? ''
    const products = listProducts(name, readText(one['version']), listTexts(one['cpes']))
    listObjects(one['issue']).forEach((issue, i) => {
      const pointer = `/package/${p}/issue/${i}`
      const [id] = findCveIds(readText(issue['id']) ?? '')
      if (id === undefined) {
        draft.faults.add('Issue of the report without a CVE id, left out', pointer)
        return
      }
      const status = readCveStatus(issue)
      if (status === 'unknown')
        draft.faults.add('Status of the report that is not known, left out', quote(issue['status']))
      else if (status !== undefined) {
        const { words, ...verdict } = status
        noteFactAbout(draft, products, {
          vulnerability: id,
          ...verdict,
          detail: `${words} (recipe ${quoteWords(name)}).`,
          pointer,
          original: pickOriginal(name, issue),
        })
      }
    })
  })
}

const KEPT = ['id', 'status', 'detail', 'description', 'patch-file']

/** Without what the report repeats of the CVE's record. */
function pickOriginal(name: string, issue: JsonObject): JsonObject {
  const members = KEPT.flatMap((key) => (key in issue ? [[key, issue[key]] as const] : []))
  return { package: name, issue: Object.fromEntries(members) }
}

function readBuildroot(packages: JsonObject, place: string, draft: Draft): void {
  for (const [key, entry] of Object.entries(packages)) {
    // Programs for the machine that builds are not in the firmware.
    if (!isObject(entry) || entry['type'] === 'host') continue
    const name = readText(entry['name']) ?? key
    const version = readText(entry['version']) ?? readText(entry['current_version'])
    const cpe = readText(entry['cpe-id']) ?? readText(entry['cpeid'])
    const products = listProducts(name, version, cpe === undefined ? [] : [cpe])
    const pointer = `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    for (const fact of factsOfBuildroot(name, entry))
      noteFactAbout(draft, products, { ...fact, pointer })
  }
}

/**
 * `LIBFOO_IGNORE_CVES` lists CVEs that are "fixed by a patch in the package, or … for some reason" do not affect it (Buildroot
 * manual, "generic-package reference"). The name of a patch tells which.
 */
function factsOfBuildroot(name: string, entry: JsonObject): Omit<BuildFact, 'pointer'>[] {
  const files = [...listTexts(entry['patches']), ...listTexts(entry['patch_files'])]
  const patches = new Map(
    files.flatMap((file) => findCveIdsInFileName(file).map((id) => [id, file])),
  )
  const lists = [...listTexts(entry['ignore_cves']), ...listTexts(entry['ignored_cves'])]
  const ignored = new Set(findCveIds(lists.join(' ')))
  const patched = [...patches].map(([id, file]) => ({
    vulnerability: id,
    assessment: 'Resolved' as const,
    detail: `The build applies a patch that is called ${quoteWords(file)}; the name alone says that it is for ${id}.`,
    original: { package: name, patch: file },
  }))
  const others = [...ignored].filter((id) => !patches.has(id))
  return [
    ...patched,
    ...others.map((id) => ({
      vulnerability: id,
      assessment: 'NotAffected' as const,
      detail: `Buildroot ignores ${id} for ${quoteWords(name)}: a patch fixes it, or it does not apply (${nameVariable(name)}_IGNORE_CVES).`,
      original: { package: name, ignore_cves: [id] },
    })),
  ]
}

const nameVariable = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')

/** The recipe by its name and version; its CPEs where the firmware version calls it otherwise. */
function listProducts(name: string, stated: string | undefined, cpes: string[]): VexProduct[] {
  // `EXTENDPE`: the epoch of the recipe.
  const version = stated?.replace(/^\d+_/, '')
  const named: VexProduct[] =
    version === undefined ? [] : [{ ...createThing(), name, version, subcomponents: [] }]
  const byCpe = cpes.length === 0 ? [] : [{ ...createThing(), cpes, subcomponents: [] }]
  return [...named, ...byCpe]
}
