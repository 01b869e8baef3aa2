/**
 * What SPDX 2 documents say about vulnerabilities of packages: Yocto's recipes in `sourceInfo`, ESP-IDF's components in the
 * comment, and patches by the names of their files.
 */
import { noteBuildFact, quoteWords } from './build-facts.ts'
import type { Draft } from './draft.ts'
import { readExcludedCves } from './excluded-cves.ts'
import { EDGE } from './document.ts'
import { findCveIds, findCveIdsInFileName } from './vulnerability-ids.ts'

export interface PackageTexts {
  packageName: string
  /** SPDX 2.3, section 7.12. */
  sourceInfo: string | undefined
  /** SPDX 2.3, section 7.20. */
  comment: string | undefined
}

/**
 * OpenEmbedded's create-spdx-2.2.bbclass: `"CVEs fixed: " + " ".join(patched_cves)`, of patches and of `CVE_STATUS` that is
 * mapped to `Patched`. https://git.openembedded.org/openembedded-core/tree/meta/classes/create-spdx-2.2.bbclass
 */
const FIXED = /\bCVEs?[ \t]+fixed[ \t]*:((?:[\s,;]*cve-\d{4}-\d{4,19})+)/gi

export function readFixedCves(sourceInfo: string): string[] {
  return findCveIds([...sourceInfo.matchAll(FIXED)].map(([, ids = '']) => ids).join(' '))
}

export function notePackageTexts(
  draft: Draft,
  { packageName, sourceInfo, comment }: PackageTexts,
  { element, where }: { element: number; where: () => string },
): void {
  const name = quoteWords(packageName)
  for (const id of readFixedCves(sourceInfo ?? ''))
    noteBuildFact(draft, element, {
      vulnerability: id,
      assessment: 'Resolved',
      detail: `The build of ${name} lists ${id} as fixed, by a patch or a backport (sourceInfo: “CVEs fixed”).`,
      pointer: where(),
      original: { name: packageName, sourceInfo: `CVEs fixed: ${id}` },
    })
  for (const { id, reason, justification } of readExcludedCves(comment ?? ''))
    noteBuildFact(draft, element, {
      vulnerability: id,
      assessment: 'NotAffected',
      justification,
      detail: `${reason === undefined ? 'No reason is stated' : quoteWords(reason)} (cve-exclude-list of ${name}).`,
      pointer: where(),
      original: {
        name: packageName,
        'cve-exclude-list': [{ cve: id, reason: reason ?? null, justification }],
      },
    })
}

/** Whether the file is a patch that is called after a CVE. */
export function isPatchOfCve(path: string): boolean {
  return /\.(?:patch|diff)(?:\.[a-z0-9]+)?$/i.test(path) && findCveIdsInFileName(path).length > 0
}

/** Notes the CVEs that the name of an applied patch tells. */
export function noteNamedPatch(draft: Draft, element: number, path: string): void {
  for (const id of findCveIdsInFileName(path))
    noteBuildFact(draft, element, {
      vulnerability: id,
      assessment: 'Resolved',
      detail: `The build applies a patch that is called ${quoteWords(path)}; the name alone says that it is for ${id}.`,
      pointer: path,
      original: { patch: path, cve: id },
    })
}

/** Debian's source packages apply the patches in this folder (dpkg-source, format 3.0 (quilt)). */
const APPLIED = /(?:^|\/)debian\/patches\//

/** Patches among the files of packages. */
export function noteContainedPatches(
  draft: Draft,
  firstEdge: number,
  patches: ReadonlyMap<number, string>,
): void {
  const { from, to, kind, count } = draft.edges
  for (let i = firstEdge; i < count; i++) {
    const path = kind[i] === EDGE.contains ? patches.get(to[i] ?? -1) : undefined
    const element = from[i]
    if (path !== undefined && element !== undefined && APPLIED.test(path))
      noteNamedPatch(draft, element, path)
  }
}
