/** What stops clocks or takes something back, and reopening. */
import type { Case, CaseFact } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { lowerStage } from '../../components/cases/words.ts'
import { formatForField } from '../../format/dates.ts'
import {
  type ActOn,
  CASE,
  type CaseAct,
  readInstant,
  readParams,
  readReason,
  buildReason,
  tellNow,
} from './act.ts'

export function recordUsersNotInformed(on: ActOn): CaseAct {
  return withReason(on, {
    title: 'Users are not informed',
    what: 'Answers the clock of users with a reason instead. The CSIRT may inform them itself.',
    verb: 'Record the reason',
    told: 'users are not informed',
    path: 'users-not-informed',
    scope: 'Cases: decide',
  })
}

export function dismiss(on: ActOn): CaseAct {
  return withReason(on, {
    title: 'Dismiss the case',
    what: 'Nothing is to be reported, and here is why. It can be reopened.',
    verb: 'Dismiss case',
    told: 'dismissed',
    path: 'dismiss',
    scope: 'Cases: decide',
  })
}

export function reopen(on: ActOn): CaseAct {
  return {
    ...withReason(on, {
      title: 'Reopen the case',
      what: 'Its facts hold on: clocks that ran run again, from where they counted.',
      verb: 'Reopen case',
      told: 'reopened',
      path: 'reopen',
      scope: 'Cases: write',
    }),
    isEnding: false,
  }
}

interface WithReason {
  title: string
  what: string
  verb: string
  told: string
  path: 'dismiss' | 'reopen' | 'users-not-informed'
  scope: CaseAct['scope']
}

function withReason(on: ActOn, { path, told, ...words }: WithReason): CaseAct {
  return {
    ...words,
    told: `${on.one.title}: ${told}`,
    isEnding: true,
    fields: [buildReason('Because', true)],
    send: (values) =>
      api.post(`${CASE}/${path}`, {
        params: readParams(on),
        body: { reason: readReason(values) ?? '' },
      }),
  }
}

export function close(on: ActOn & { one: Case }): CaseAct {
  const open = on.one.clocks.filter(({ doneAt }) => doneAt === null).map(({ stage }) => stage)
  const left = open.filter((stage) => stage !== 'UsersInformed').map(lowerStage)
  return {
    title: 'Close the case',
    what:
      left.length === 0
        ? 'All reports are submitted. It can be reopened.'
        : `Not submitted: ${left.join(', ')}. Closing it so needs a reason. It can be reopened.`,
    verb: 'Close case',
    told: `${on.one.title}: closed`,
    scope: 'Cases: decide',
    isEnding: true,
    fields: [buildReason('Because', left.length > 0)],
    send: (values) =>
      api.post(`${CASE}/close`, { params: readParams(on), body: { reason: readReason(values) } }),
  }
}

export function correct(on: ActOn, fact: CaseFact, told: string): CaseAct {
  return {
    title: 'Correct a fact',
    what: `“${told}”. What was recorded stays in the list; the correction stands beside it, with your name. Due times follow from the corrected instant.`,
    verb: 'Record the correction',
    told: `${on.one.title}: corrected`,
    scope: 'Cases: decide',
    isEnding: true,
    fields: [
      {
        name: 'instant',
        label: 'Right instant',
        kind: 'instant',
        isRequired: true,
        first: fact.instant === null ? tellNow() : formatForField(new Date(fact.instant)),
      },
      { name: 'isEstimate', label: 'This is an estimate', kind: 'check' },
      { name: 'isWithdrawn', label: 'It never was: withdraw it', kind: 'check' },
      buildReason('Because', true),
    ],
    send: (values) =>
      api.post(`${CASE}/corrections`, {
        params: readParams(on),
        body: {
          factId: fact.id,
          instant: values['isWithdrawn'] === 'yes' ? null : readInstant(values['instant']),
          isEstimate: values['isEstimate'] === 'yes',
          reason: readReason(values) ?? '',
        },
      }),
  }
}
