import facts from './advisories.json' with { type: 'json' }

/**
 * Single facts about real vulnerabilities: id, day of publication, affected range, severity and source. The titles are ours.
 * Ranges are those of the CNA's record, or of NVD where that has none. The makers of BusyBox publish none: NVD's texts say
 * "through 1.37.0". That 1.38.0 ends them is stated for CVE-2026-26157 only; for the others, and for the days on which their
 * ranges become known, it is the story's. EPSS values are those of 2026-08-16. Decisions of SSVC are those of CISA's Vulnrichment
 * (github.com/cisagov/vulnrichment, one file a CVE), with the day of their time stamp.
 */
export interface AdvisoryFact {
  id: string
  published: string
  /** The day on which a range became known, where the CNA's record has none. */
  rangeKnown?: string
  /** Part, vendor and product of the CPE. */
  cpe: string
  /** `from <fixed` or `from =last`, parted by commas; `*` is any version. */
  affected: string
  /** A CVSS vector, or the word of the publisher; left out: none was published. */
  severity?: string
  cwe: string
  title: string
  source: string
  /** Score and percentile. */
  epss?: readonly number[]
  /** What CISA's Vulnrichment decided, and on which day. */
  ssvc?: { exploitation: string; automatable: string; technicalImpact: string; decided: string }
  /** When CISA listed it as exploited, and until when agencies had to act. */
  exploited?: { name: string; added: string; due: string }
}

export const ADVISORIES = facts as readonly AdvisoryFact[]
