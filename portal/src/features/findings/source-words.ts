/** What each source says of a vulnerability, also where it says nothing. */
import type { WorkspaceVulnerabilityDetail } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'

type Detail = WorkspaceVulnerabilityDetail
export type LineSource = NonNullable<Detail['versionLine']>['lanes'][number]['source']

/** Those that state which versions are affected. */
export const LINE_SOURCES: readonly LineSource[] = ['nvd', 'cvelist', 'osv', 'csaf']

/** Why a source has no range on the line; undefined: it has one. */
export function describeSilence(detail: Detail, source: LineSource): string | undefined {
  const { versionLine, records, lookedAt } = detail
  if (versionLine?.lanes.some((lane) => lane.source === source)) return undefined
  const own = records.filter((record) => record.source === source)
  const read = lookedAt.sources.find((one) => one.source === source)
  if (own.length > 0 && own.every(({ isWithdrawn }) => isWithdrawn)) return 'withdrew its record'
  if (own.length > 0) return 'its record has no range for these versions'
  if (read === undefined) return 'is not loaded: what it says is not known'
  if (read.lastCompleteAt === null) return 'was never read: what it says is not known'
  return 'has no record of it'
}

/** "two sources agree, one is silent". */
export function summariseSources(detail: Detail): string {
  const says = (source: LineSource, verdict: 'affected' | 'unaffected') =>
    detail.evidence.some(
      (one) => one.source === source && one.verdict === verdict && one.outrankedBy === null,
    )
  const agree = LINE_SOURCES.filter((source) => says(source, 'affected'))
  const differ = LINE_SOURCES.filter((one) => !agree.includes(one) && says(one, 'unaffected'))
  const silent = LINE_SOURCES.length - agree.length - differ.length
  const parts = [
    agree.length === 1 ? '1 source says so' : `${formatCountOf(agree.length, 'source')} agree`,
    differ.length > 0 && `${differ.length} ${differ.length === 1 ? 'disagrees' : 'disagree'}`,
    silent > 0 && `${silent} ${silent === 1 ? 'is' : 'are'} silent`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}
