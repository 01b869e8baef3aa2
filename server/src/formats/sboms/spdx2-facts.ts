/** What SPDX 2 packages say in texts about vulnerabilities: Yocto's recipes in `sourceInfo`, ESP-IDF's components in the comment. */
import { noteBuildFact, wordsIn } from './build-facts.ts'
import type { Draft } from './draft.ts'
import { readExcludedCves } from './excluded-cves.ts'
import { cveIdsIn } from './vulnerability-ids.ts'

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

export function fixedCvesIn(sourceInfo: string): string[] {
  return cveIdsIn([...sourceInfo.matchAll(FIXED)].map(([, ids = '']) => ids).join(' '))
}

export function notePackageTexts(
  draft: Draft,
  { packageName, sourceInfo, comment }: PackageTexts,
  { element, where }: { element: number; where: () => string },
): void {
  const name = wordsIn(packageName)
  for (const id of fixedCvesIn(sourceInfo ?? ''))
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
      detail: `${reason === undefined ? 'No reason is stated' : wordsIn(reason)} (cve-exclude-list of ${name}).`,
      pointer: where(),
      original: {
        name: packageName,
        'cve-exclude-list': [{ cve: id, reason: reason ?? null, justification }],
      },
    })
}
