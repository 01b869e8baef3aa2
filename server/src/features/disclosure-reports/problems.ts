import type { ProblemPages } from '../../platform/errors.ts'

export const disclosureReportProblems: ProblemPages = {
  'disclosure-report-not-found': {
    title: 'No such disclosure report',
    advice:
      'GET …/disclosure-reports lists them. Whoever reported needs the whole link that was shown after sending.',
  },
  'disclosure-policy-not-found': {
    title: 'No reports are taken here',
    advice:
      'Check the address, and ask the manufacturer. Owners and admins switch the page on: PATCH …/disclosure-policy.',
  },
  'report-ended': {
    title: 'The report is dismissed or disclosed',
    advice: 'Reopen it first.',
  },
  'report-not-ended': {
    title: 'The report is neither dismissed nor disclosed',
    advice: 'There is nothing to reopen.',
  },
  'report-without-contact': {
    title: 'The report has no contact',
    advice: 'It was sent without one, or it was erased. There is nothing to erase.',
  },
  'report-in-case': {
    title: 'The report is in that case',
    advice: 'Read what is there. It can join another case.',
  },
}
