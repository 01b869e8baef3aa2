import type { ProblemPages } from '../../platform/errors.ts'

export const caseProblems: ProblemPages = {
  'case-not-found': { title: 'No such case', advice: 'GET …/cases lists them.' },
  'case-exists': {
    title: 'The vulnerability has a case',
    advice:
      'There is one case for each vulnerability and manufacturer. Use that one; it can be reopened. A drill may be beside it.',
  },
  'case-ended': {
    title: 'The case is closed or dismissed',
    advice: 'Reopen it first. Everybody who may write may do so.',
  },
  'case-not-ended': {
    title: 'The case is neither closed nor dismissed',
    advice: 'There is nothing to reopen.',
  },
  'case-is-open': {
    title: 'The clocks of the case run',
    advice:
      'Close it when all is done. If the instant of awareness is wrong, an admin withdraws it by a correction.',
  },
  'case-not-open': {
    title: 'No clock of the case runs',
    advice: 'Set the instant of awareness first: everything else counts from it.',
  },
  'case-not-done': {
    title: 'The case cannot be closed yet',
    advice: 'Record that users were informed, or why not. Say why where reports are not submitted.',
  },
  'fact-recorded': {
    title: 'That has been recorded',
    advice: 'Read what is there. An admin can correct it, with a reason.',
  },
  'field-changed': {
    title: 'Somebody wrote the field meanwhile',
    advice: 'Read the draft again, and write over what is there or keep it.',
  },
  'too-many-texts': {
    title: 'The drafts of the case were written too often',
    advice: 'What was submitted can still be recorded, with its exact text.',
  },
  'report-out-of-order': {
    title: 'An earlier report is missing',
    advice: 'The platform takes reports in their order. Record the earlier one first.',
  },
  'other-manufacturer': {
    title: 'The product line is of another manufacturer',
    advice: 'A case is about products of one manufacturer. Make a case of its own.',
  },
  'fact-not-found': {
    title: 'The case has no such fact',
    advice: 'GET …/cases/{id} answers the facts of a case with their ids.',
  },
  'report-request-not-found': {
    title: 'The CSIRT asked for no such report',
    advice: 'GET …/cases/{id} answers the clocks of a case with the ids of requests.',
  },
  'report-not-found': {
    title: 'The case has no such report',
    advice: 'GET …/cases/{id} answers the reports of a case with their ids.',
  },
  'not-correctable': {
    title: 'The fact cannot be corrected',
    advice: 'Only facts that hold, and that state an instant, can be. Name the last of them.',
  },
}
