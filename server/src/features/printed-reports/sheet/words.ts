/** What printed reports call things: the words that the portal has for them. */
import type { Assessment, DecisionSource } from '../../../formats/assessments.ts'
import { formatCountOf } from '../../../formats/counts.ts'
import { SECOND_MS } from '../../../formats/instants.ts'
import type { SbomFormat } from '../../../formats/sboms/model.ts'
import { formatWords } from '../../../formats/words.ts'

const MINUTES = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const DAYS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })

/** Readers of a paper may sit anywhere, so that its times name their zone: "28 Nov 2026, 12:52 UTC". */
export const formatTime = (at: Date): string => `${MINUTES.format(at)} UTC`
export const formatDay = (at: Date): string => DAYS.format(at)

const UNITS = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
] as const

/** "3 hours", in the largest unit of which there are two: an age tells more than a date. */
export function formatAge(from: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - from.getTime()) / SECOND_MS)
  const unit = UNITS.find((one) => seconds >= 2 * one.seconds)
  return unit ? formatCountOf(Math.floor(seconds / unit.seconds), unit.name) : 'some minutes'
}

export function describeAssessment(assessment: Assessment, ignored = false): string {
  const words = formatWords(assessment)
  if (!ignored) return words
  return assessment === 'NotAssessed' ? 'Ignored' : `${words}, ignored`
}

/** An entry of the timeline. */
interface Act {
  type: 'Assessment' | 'Ignored' | 'Unignored'
  assessment: Assessment
  isUndo: boolean
}

const ACT_WORDS = { Ignored: 'ignored', Unignored: 'no longer ignored' } as const

export function describeAct({ type, assessment, isUndo }: Act): string {
  if (type === 'Assessment') {
    const state = describeAssessment(assessment)
    return isUndo ? `Taken back: ${state} again` : state
  }
  const state = ACT_WORDS[type]
  return isUndo ? `Taken back: ${state}` : state.charAt(0).toUpperCase() + state.slice(1)
}

const DECIDERS: Record<DecisionSource, string> = {
  User: 'a person whose address was not kept',
  ApiKey: 'an API key',
  Vex: 'a VEX document',
  Build: 'the build of the firmware',
  CarriedOver: 'carried over from another version',
  System: 'the service',
}

/** A key decides in the name of whoever made it. */
export function describeDecider(source: DecisionSource, email: string | null): string {
  if (email === null) return DECIDERS[source]
  if (source === 'User') return email
  if (source === 'ApiKey') return `an API key of ${email}`
  return `${DECIDERS[source]}, after ${email}`
}

const JUSTIFICATION_WORDS: Readonly<Record<string, string>> = {
  component_not_present: 'Component is not present',
  vulnerable_code_not_present: 'Vulnerable code is not built in',
  vulnerable_code_not_in_execute_path: 'Vulnerable code is never executed',
  vulnerable_code_cannot_be_controlled_by_adversary: 'An attacker cannot control it',
  inline_mitigations_already_exist: 'Mitigations are built in',
  code_not_present: 'Vulnerable code is not built in',
  code_not_reachable: 'Vulnerable code is never executed',
  requires_configuration: 'Needs another configuration',
  requires_dependency: 'Needs a dependency that is missing',
  requires_environment: 'Needs another environment',
  protected_by_compiler: 'Protected by the compiler',
  protected_at_runtime: 'Protected at run time',
  protected_at_perimeter: 'Protected at the perimeter',
  protected_by_mitigating_control: 'Protected by another control',
}

const RESPONSE_WORDS: Readonly<Record<string, string>> = {
  update: 'Update',
  workaround_available: 'Workaround available',
  rollback: 'Roll back',
  will_not_fix: 'Will not fix',
  can_not_fix: 'Cannot fix',
}

interface Reasons {
  justification: string | null
  responses: readonly string[]
  detail: string | null
}

/** What somebody gave as the reason, one thing each. */
export function listReasons({ justification, responses, detail }: Reasons): string[] {
  const said = [
    justification === null ? null : (JUSTIFICATION_WORDS[justification] ?? justification),
    ...responses.map((one) => RESPONSE_WORDS[one] ?? one),
    detail,
  ]
  return said.filter((one) => one !== null && one.trim() !== '') as string[]
}

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  cvelist: 'CVE List',
  nvd: 'NVD',
  osv: 'OSV',
  kev: 'CISA KEV',
  epss: 'EPSS',
  csaf: 'CSAF',
  euvd: 'EUVD',
  endoflife: 'endoflife.date',
  cisa: 'CISA',
  enisa: 'ENISA',
}

export const nameSource = (source: string): string => SOURCE_WORDS[source] ?? source

const PERCENTS = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })

export const formatEpss = (score: number | null): string =>
  score === null ? 'no EPSS' : `EPSS ${PERCENTS.format(score)}`

export const formatCvss = (score: number | null): string =>
  score === null ? 'no CVSS' : `CVSS ${score.toFixed(1)}`

const FORMAT_WORDS: Record<SbomFormat, string> = {
  CycloneDxJson: 'CycloneDX (JSON)',
  CycloneDxXml: 'CycloneDX (XML)',
  Spdx2Json: 'SPDX (JSON)',
  Spdx2TagValue: 'SPDX (tag-value)',
  Spdx3JsonLd: 'SPDX (JSON-LD)',
  YoctoCveCheck: 'cve-check of Yocto',
  BuildrootShowInfo: 'show-info of Buildroot',
  BuildrootPkgStats: 'pkg-stats of Buildroot',
}

export const nameFormat = (format: SbomFormat | null, version: string | null): string =>
  format === null ? 'not known' : [FORMAT_WORDS[format], version].join(' ').trim()
