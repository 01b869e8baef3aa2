/** The model of every feed's records: one advisory as published. */
import type { VersionScheme } from '../versions/schemes.ts'

/** Raise it with every change that lets a parser read the same record differently. */
export const ADVISORY_PARSER_VERSION = 12

/** A source describes a vulnerability before those behind it: see `comparePreference`. */
export const ADVISORY_SOURCES = ['cvelist', 'nvd', 'osv', 'csaf'] as const
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
  exploitation?: string | undefined
  automatable?: string | undefined
  technicalImpact?: string | undefined
  decidedAt?: string | undefined
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
  /** Other ids of the same vulnerability. `upstream` and `related` are not aliases. */
  aliases: string[]
  /** Vulnerabilities that this one derives from: a distribution's record (`UBUNTU-CVE-…`, `USN-…`) lists its CVEs here. */
  upstream?: string[]
  /** ISO 8601 with offset, as are all times here. */
  publishedAt: string | undefined
  modifiedAt: string | undefined
  /** Set when the record was withdrawn or rejected; it then affects no package. */
  withdrawnAt: string | undefined
  /** The source's own word for the state of the record: `PUBLISHED`, `Analyzed`, `REJECTED`. */
  status: string | undefined
  /** Whether it says that somebody disputes the vulnerability. */
  isDisputed?: true
  title: string | undefined
  description: string | undefined
  sourceUrl: string
  scores: CvssScore[]
  /** A severity in words (GHSA's `database_specific.severity`), used where there is no score. */
  statedSeverity: Severity | undefined
  /** The urgency by publishers and CISA (SSVC, github.com/CERTCC/SSVC); not part of the severity. */
  ssvc?: SsvcDecision[]
  references: Reference[]
  /** `CWE-79`; names come from the CWE table. */
  cweIds: string[]
  affected: AffectedPackage[]
}

/** A record that cannot be used. It is skipped and counted; the reason names the place as a JSON pointer. */
export interface SkippedRecord {
  ok: false
  /** The record's id where it could be read. */
  id: string | undefined
  reason: string
}

export type ParseOutcome<T> = { ok: true; value: T } | SkippedRecord
export type ParsedRecord = ParseOutcome<Advisory>

/**
 * `fuzzing`: a crash that OSS-Fuzz found, which nobody has judged: it has neither CVE nor score. `informational`: no
 * vulnerability, such as RustSec's notice that a crate is unmaintained.
 */
export type RecordKind = 'fuzzing' | 'informational'

/** Everything one advisory says about one key. */
export interface AffectedPackage {
  /** `purl:type/namespace/name`, `cpe:vendor:product`, `repo:host/path` or `name:vendor/product`. */
  key: string
  statements: AffectedStatement[]
}

/** One `affected[]` element of a CVE or OSV record, or the criteria of one NVD configuration node. */
export interface AffectedStatement {
  /** In `git` only equality with an exact version gives a verdict, since the order of commits is unknown. */
  scheme: VersionScheme
  /** The status of versions that no entry of `versions` covers. */
  defaultStatus: 'affected' | 'unaffected' | 'unknown'
  versions: VersionStatement[]
  /** As published, for people: shown in a finding's `affectedPackages`. */
  purl?: string
  vendor?: string
  packageName?: string
  /** The distribution release an OSV ecosystem names: `Debian:12`, `Alpine:v3.19`. */
  distro?: string
  /** The module stream that a fix of Red Hat or its rebuilds is built for: `nodejs:12`. */
  module?: string
  /**
   * CPE criteria with `vulnerable: false` that must hold too, and the operating systems that a record names: one name of every
   * inner list.
   */
  platforms?: string[][]
  /** Source files with the vulnerability, relative to the product's source tree (CVE `programFiles`). */
  programFiles?: string[]
  /**
   * At the first statement of a key: files, and folders that end in `/`. The product is vulnerable only if at least one of
   * them is compiled. Absent where that is unknown.
   */
  vulnerableCode?: string[]
  /** Whether it is of an ADP container of a CVE record, whose author is not the maker of the product nor its CNA. */
  isOfAdp?: true
  /** What kind of record it is, where that makes its verdict uncertain. */
  kind?: RecordKind
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
  /**
   * Set where the range has no lower bound because the record does not say where the flaw began (`before 2.0`), rather
   * than that it was there from the first version.
   */
  startIsUnstated?: boolean
  /** Set where the record names only a version that is not affected, and this range is of the ones before it. */
  isImplied?: true
  fixed?: string
  /** Whether `fixed` only bounds the range (derived from `5.10.*`) and does not name a fixing release. */
  fixedIsDerived?: boolean
  lastAffected?: string
  /** The CPE 2.3 criterion of the statement; its other attributes must match too. */
  cpe?: string
  /** The range as published, for the evidence. */
  text: string
}

/** A public list that names a vulnerability as exploited, and the day on which it added it. */
export interface ExploitedSource {
  source: 'cisa' | 'enisa'
  /** `2026-08-21` */
  dateAdded: string
}

/** What an advisory says, without what is affected, as one source of a vulnerability. */
export interface AdvisoryRecord {
  source: AdvisorySource
  id: string
  record: Omit<Advisory, 'affected'>
  isWithdrawn: boolean
}
