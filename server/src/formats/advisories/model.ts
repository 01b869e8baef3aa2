/** What every feed's records become before they are stored: one advisory as published, in one shape. */
import type { VersionScheme } from '../versions/schemes.ts'

/** Raised with every change of the parsers that may read something else from the same record. */
export const ADVISORY_PARSER_VERSION = 1

export const ADVISORY_SOURCES = ['cvelist', 'nvd', 'osv'] as const
export type AdvisorySource = (typeof ADVISORY_SOURCES)[number]

export const SEVERITIES = ['Critical', 'High', 'Medium', 'Low', 'None', 'Unknown'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface CvssScore {
  /** `2.0`, `3.0`, `3.1` or `4.0`. */
  version: string
  vectorString: string
  baseScore: number
  /** Upper case: `CRITICAL`, `HIGH`, `MEDIUM`, `LOW`, `NONE`. */
  baseSeverity: string
  /** Who scored it: `nvd@nist.gov`, a CNA's or ADP's short name, an OSV database. */
  source: string
}

/** Decision points as published: `poc`, `yes`, `total`. */
export interface SsvcDecision {
  source: string
  exploitation: string | undefined
  automatable: string | undefined
  technicalImpact: string | undefined
  decidedAt: string | undefined
}

export interface Reference {
  url: string
  source: string
  tags: string[]
}

export interface Advisory {
  source: AdvisorySource
  /** The record's own id: `CVE-2021-44228`, `GHSA-…`, `DSA-…`. */
  id: string
  /** Ids of the same vulnerability, without the own id; `upstream` and `related` are no aliases. */
  aliases: string[]
  /** Vulnerabilities this record's are derived from: a distribution's record (`UBUNTU-CVE-…`, `USN-…`) names its CVEs so. */
  upstream?: string[]
  /** ISO 8601 with offset, as are all times here. */
  publishedAt: string | undefined
  modifiedAt: string | undefined
  /** Set when the record was withdrawn or rejected: it then says nothing about any package. */
  withdrawnAt: string | undefined
  /** The source's own word for the state of the record: `PUBLISHED`, `Analyzed`, `REJECTED`. */
  status: string | undefined
  title: string | undefined
  description: string | undefined
  sourceUrl: string
  scores: CvssScore[]
  /** A severity stated in words only (GHSA's `database_specific.severity`), where no score is given. */
  statedSeverity: Severity | undefined
  /** How urgent the record's publishers and CISA think it is (SSVC, github.com/CERTCC/SSVC); no part of the severity. */
  ssvc?: SsvcDecision[]
  references: Reference[]
  /** `CWE-79`; names come from the CWE table. */
  cweIds: string[]
  affected: AffectedPackage[]
}

/** A record that cannot be used: skipped and counted, its reason names the place as a JSON pointer. */
export interface SkippedRecord {
  ok: false
  /** The record's id where it could be read. */
  id: string | undefined
  reason: string
}

export type Parsed<T> = { ok: true; value: T } | SkippedRecord
export type ParsedRecord = Parsed<Advisory>

/** Everything one advisory says about one key. */
export interface AffectedPackage {
  /** `purl:type/namespace/name`, `cpe:vendor:product`, `repo:host/path` or `name:vendor/product`. */
  key: string
  statements: AffectedStatement[]
}

/** One `affected[]` element of a CVE or OSV record, or the criteria of one NVD configuration node. */
export interface AffectedStatement {
  /** In `git` only equality with an exact version decides, as no order of commits is known; the rest has no verdict. */
  scheme: VersionScheme
  /** What holds for a version no entry of `versions` speaks of. */
  defaultStatus: 'affected' | 'unaffected' | 'unknown'
  versions: VersionStatement[]
  /** As published, for people: shown in a finding's `affectedPackages`. */
  purl?: string
  vendor?: string
  packageName?: string
  /** The distribution release an OSV ecosystem names: `Debian:12`, `Alpine:v3.19`. */
  distro?: string
  /** CPE criteria with `vulnerable: false` that must hold too: one name of every inner list. */
  platforms?: string[][]
  /** Source files the vulnerability is in, relative to the product's source tree (CVE `programFiles`). */
  programFiles?: string[]
  /**
   * At the first statement of a key: files, and folders that end in `/`, of which at least one has to be compiled for
   * anything to be vulnerable. Absent where that cannot be told.
   */
  vulnerableCode?: string[]
  /** Why nothing can be compared (commit ranges, free text); such a statement gives no verdict. */
  undecidable?: string
}

/** Bounds are half-open unless named otherwise; no bound at all means every version. */
export interface VersionStatement {
  status: 'affected' | 'unaffected' | 'unknown'
  /** Exactly these versions; `-` is CPE's "has no version". */
  versions?: string[]
  introduced?: string
  introducedAfter?: string
  fixed?: string
  /** `fixed` only bounds the range (made from `5.10.*`): it names no release that fixes anything. */
  fixedIsDerived?: boolean
  lastAffected?: string
  /** The CPE 2.3 criterion this came from; its attributes besides part, vendor and version must match too. */
  cpe?: string
  /** The range as published, for the evidence. */
  text: string
}
