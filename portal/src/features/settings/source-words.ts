import type { VulnerabilitySource } from '@plimsoll/api-client'
/** What a source holds, and what its age means for the answers. */

export const HOLDS: Record<VulnerabilitySource['source'], string> = {
  cvelist: 'Every CVE as its maker published it: what is affected, from which version on.',
  nvd: 'Ranges, CPE names and scores that NVD adds to CVEs.',
  osv: 'Open-source packages and distributions, by purl.',
  kev: 'What CISA knows to be exploited.',
  epss: 'How probable it is that a CVE is exploited within 30 days.',
  csaf: 'What vendors and distributions say about their own products.',
  euvd: 'What ENISA knows to be exploited.',
  endoflife: 'Until when release cycles of products get fixes.',
}

const STALE: Record<VulnerabilitySource['source'], string> = {
  cvelist:
    'A CVE that was published since is not found here by its maker’s own statement, and corrections of ranges are not known: a component may look clean and not be.',
  nvd: 'What NVD analysed since is missing: components that only a CPE names may look clean, and new CVEs have no score yet.',
  osv: 'New records of packages and distributions are missing: a component that only a purl names may look clean.',
  kev: 'What began to be exploited since is not marked: “not exploited” means “not known to be” here. No finding is missing.',
  epss: 'Probabilities are old, so the order of risk may be another. No finding is missing.',
  csaf: 'What distributions fixed or ruled out since is not known: findings may be listed that they have settled.',
  euvd: 'What ENISA lists since is not marked as exploited. No finding is missing.',
  endoflife:
    'Dates that were moved since, and release cycles that are new, are not known. No finding is missing.',
}

export const describeStale = (source: VulnerabilitySource['source']) =>
  `What this means: ${STALE[source]}`
