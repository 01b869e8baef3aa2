/** Stages of a case, as people say them. */
import type { CLOCK_STAGES } from '../../formats/law/clocks.ts'

export const STAGE_WORDS: Readonly<Record<(typeof CLOCK_STAGES)[number], string>> = {
  EarlyWarning: 'early warning',
  Notification: 'notification',
  IntermediateReport: 'intermediate report',
  FinalReport: 'final report',
  UsersInformed: 'informing users',
}
