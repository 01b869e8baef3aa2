/** What stages, states and kinds of cases are called. */
import type { Case, CaseClock, CaseSummary, ReportStage } from '@plimsoll/api-client'

export const STAGE_WORDS: Record<CaseClock['stage'], string> = {
  EarlyWarning: 'Early warning',
  Notification: 'Notification',
  IntermediateReport: 'Intermediate report',
  FinalReport: 'Final report',
  UsersInformed: 'Users informed',
}

export const lowerStage = (stage: ReportStage | CaseClock['stage']) =>
  STAGE_WORDS[stage].toLowerCase()

export const STATE_WORDS: Record<CaseSummary['state'], string> = {
  Proposed: 'Proposed',
  Watching: 'Watching',
  Open: 'Open',
  Closed: 'Closed',
  Dismissed: 'Dismissed',
}

export const TYPE_WORDS: Record<CaseSummary['type'], string> = {
  Vulnerability: 'Exploited vulnerability',
  Incident: 'Severe incident',
}

/** Why a clock runs from when it does, or has no due time yet. */
export const BASIS_WORDS: Record<CaseClock['basis'], string> = {
  AwareAt: 'counted from the instant of awareness',
  MeasureAvailableAt: 'counted from when a measure was available, 14 days',
  NotificationDue: 'a measure is older than awareness: not before the notification is due',
  NotificationSubmitted: 'one month after the notification was submitted',
  RequestedByCsirt: 'as the CSIRT asked',
  NoHours: 'no number of hours; it stays open until it is recorded',
  WaitsForMeasure: 'no due date yet: nobody has said since when a measure is available',
  WaitsForNotification: 'no due date yet: it counts from the submitted notification',
}

export const nameCase = ({ title, cveId }: Pick<Case, 'title' | 'cveId'>) =>
  cveId === null || title.includes(cveId) ? title : `${cveId}: ${title}`
