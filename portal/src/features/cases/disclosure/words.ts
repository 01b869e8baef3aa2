/** What states, steps and events of reports from outside are called. */
import type { DisclosureReport, DisclosureReportSummary } from '@plimsoll/api-client'

type Event = DisclosureReport['events'][number]

export const REPORT_STATE_WORDS: Record<DisclosureReportSummary['state'], string> = {
  New: 'New',
  Answered: 'To assess',
  Accepted: 'In a case',
  Dismissed: 'Dismissed',
  Disclosed: 'Disclosed',
}

export const STEP_WORDS: Record<DisclosureReport['clocks'][number]['step'], string> = {
  Answer: 'First answer by a person',
  Assessment: 'Assessment',
  Disclosure: 'Disclosure',
}

export const DISMISSAL_WORDS: Record<NonNullable<Event['dismissal']>, string> = {
  Spam: 'Spam',
  Duplicate: 'Duplicate of another report',
  NotAVulnerability: 'No vulnerability',
  OutOfScope: 'About nothing of ours',
}

export const EVENT_WORDS: Record<Event['kind'], string> = {
  Answer: 'Answered; whoever reported reads this',
  Addition: 'Added by whoever reported',
  Note: 'Note for the team',
  Joined: 'Joined a case',
  Dismissed: 'Dismissed',
  Reopened: 'Reopened',
  Embargo: 'Nothing is published until',
  Credit: 'To be thanked',
  ContactErased: 'The contact was erased',
  Disclosed: 'Disclosed',
}
