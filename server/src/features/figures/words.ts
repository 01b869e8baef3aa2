/** What each figure is called, what it means, and where the list behind it is. */
import type { FigureId, GroupKind, Measure, Value } from './figure.ts'

export interface Definition {
  title: string
  definition: string
  measures: readonly Measure[]
  by: readonly GroupKind[]
  /** What a group is called whose cases name no person. */
  noPerson: string
}

/** Said once, above all figures. */
export const CASE_DEFINITION =
  'A case is a vulnerability in a firmware, in however many of its versions. It is detected when the first version that has it is known to have it. Matches of low confidence are no cases. A case counts in the period in which it is decided, fixed or published. All is as it was known at the end of the period: decisions that were taken back before are left out, and severities are those that were known last. Owners are those whom assignments and owner rules gave a case to on the day on which it counts; a case of several owners counts for each.'

const median = (of: string): Measure => ({
  name: 'median',
  title: 'Median',
  of,
  how: 'Median',
})
const p90 = (of: string): Measure => ({
  name: 'p90',
  title: '90 % took at most',
  of,
  how: 'P90',
})

export const DEFINITIONS: Readonly<Record<FigureId, Definition>> = {
  timeToTriage: {
    title: 'Time to triage',
    definition:
      'From the detection of a case to the first decision of a person or an API key about it in any version: exploitable, not affected, false positive, resolved, or ignored. In triage is no decision.',
    measures: [median('Decided'), p90('Decided')],
    by: ['Severity', 'Month', 'Firmware', 'Owner', 'Person'],
    noPerson: 'An address that was not kept',
  },
  timeToFix: {
    title: 'Time to fix in a version',
    definition:
      'From the detection of a case to the inventory of the first later version of the firmware that does not have it, or to the day on which a version that has it was assessed as resolved. What was judged not to matter in every version needs no fix and is left out.',
    measures: [median('Fixed'), p90('Fixed')],
    by: ['Severity', 'Month', 'Firmware', 'Owner'],
    noPerson: '',
  },
  timeToFleet: {
    title: 'Time from disclosure to the fleet',
    definition:
      'From the day on which a vulnerability became public to the first day at whose end only a half, a tenth or a hundredth of the most devices that ran it until then still ran it: 50, 90 and 99 % of the fleet have something else. Devices count at the end of each day (UTC) by what they report. A finding that was judged not affected or a false positive counts nowhere, and an ignored one counts as run. The values are medians over vulnerabilities.',
    measures: [
      { name: 'half', title: '50 % of the fleet', of: 'Half', how: 'Median' },
      { name: 'ninety', title: '90 % of the fleet', of: 'Ninety', how: 'Median' },
      { name: 'ninetyNine', title: '99 % of the fleet', of: 'NinetyNine', how: 'Median' },
    ],
    by: ['Severity', 'Month', 'Owner'],
    noPerson: '',
  },
  openCritical: {
    title: 'Open critical findings',
    definition:
      'Findings of critical severity that count (not ignored, not closed), summed over all versions of a firmware, at the end of the day before the period and at the end of its last day, as the counters of these days say; and the cases of critical severity that are open at its end.',
    measures: [],
    by: ['Month', 'Firmware', 'Owner'],
    noPerson: '',
  },
  decidedWithinTarget: {
    title: 'Decided within target',
    definition:
      'Of the cases whose target ended in the period, the share that a person or an API key had decided by then. The target is the earlier one of two: the days that the workspace had set for the severity when the case was detected, and those that it had set for the SSVC outcome that the case had day by day, both from the detection on. A case that becomes urgent late is due on that day.',
    measures: [{ name: 'share', title: 'Share', of: 'Within', how: 'Share' }],
    by: ['Severity', 'Outcome', 'Month', 'Firmware', 'Owner'],
    noPerson: '',
  },
  timeToVex: {
    title: 'Time from decision to published VEX',
    definition:
      'From the first decision of a person or an API key about a case to the first VEX document that anybody fetched of that version afterwards. Nothing tells whether it went to customers.',
    measures: [median('Published'), p90('Published')],
    by: ['Month', 'Firmware', 'Owner'],
    noPerson: '',
  },
  acceptances: {
    title: 'Accepted risks',
    definition:
      'Risks that somebody accepted with a reason, an owner, an end or conditions: those that held as the period began and as it ended, and those that ended within it. One that covers several versions of a firmware counts once.',
    measures: [
      { name: 'openThen', title: 'Held before the period', of: 'OpenThen', how: 'Count' },
      { name: 'openNow', title: 'Hold at its end', of: 'OpenNow', how: 'Count' },
      { name: 'ended', title: 'Ended in it', of: 'Ended', how: 'Count' },
    ],
    by: ['Firmware', 'Owner', 'Person'],
    noPerson: 'Nobody was named',
  },
  reopened: {
    title: 'Reopened',
    definition:
      'Cases that a version had again after it had them no more, because records or the inventory changed, and cases whose decision had closed them or ignored them and was replaced by one that does not. A decision that was taken back at once is none.',
    measures: [
      { name: 'returned', title: 'Had it again', of: 'Returned', how: 'Count' },
      { name: 'reopened', title: 'Decided anew', of: 'Reopened', how: 'Count' },
    ],
    by: ['Severity', 'Month', 'Firmware', 'Owner'],
    noPerson: '',
  },
  falsePositives: {
    title: 'False positives',
    definition:
      'Cases that a person or an API key first assessed as a false positive in the period, and their share of all that was first decided in it.',
    measures: [
      { name: 'count', title: 'Cases', of: 'FalsePositive', how: 'Count' },
      { name: 'share', title: 'Share', of: 'FalsePositive', how: 'Share' },
    ],
    by: ['Severity', 'Month', 'Firmware', 'Owner'],
    noPerson: '',
  },
}

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** "3.5 days", "50 %", "12"; a short time as "less than an hour". */
export function describeValue({ value, unit }: Pick<Value, 'value' | 'unit'>): string {
  if (value === null) return 'no case'
  if (unit === 'Percent') return `${NUMBERS.format(value)} %`
  if (unit === 'Count') return NUMBERS.format(value)
  if (value < HOUR) return 'less than an hour'
  return `${NUMBERS.format(value)} ${value === 1 ? 'day' : 'days'}`
}

/** In days. */
const HOUR = 0.05
