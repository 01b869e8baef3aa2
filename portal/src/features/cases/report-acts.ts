/** Reports as they were submitted, what the CSIRT asked, and whether users were informed. */
import type { CaseDraft, CaseReport } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { lowerStage, STAGE_WORDS } from '../../components/cases/words.ts'
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

export interface StageOf {
  stage: CaseReport['stage']
  requestId: string | null
}

export function recordReport(on: ActOn, { stage, requestId }: StageOf, text = ''): CaseAct {
  return {
    title: `Record the submission of the ${lowerStage(stage)}`,
    what: 'What was really submitted on the platform, word for word, also when fields were missing. Nothing is sent from here.',
    verb: 'Record submission',
    told: `${STAGE_WORDS[stage]} of ${on.one.title}: recorded`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'submittedAt',
        label: 'Submitted',
        kind: 'instant',
        isRequired: true,
        first: tellNow(),
        description: 'As the platform says it',
      },
      {
        name: 'reference',
        label: 'Reference',
        kind: 'line',
        most: 255,
        description: 'What the platform calls it',
      },
      {
        name: 'text',
        label: 'Exact text',
        kind: 'text',
        isRequired: true,
        first: text,
        most: 100_000,
      },
    ],
    send: (values) =>
      api.post(`${CASE}/reports`, {
        params: readParams(on),
        body: {
          stage,
          requestId,
          submittedAt: readInstant(values['submittedAt']),
          reference: values['reference']?.trim() === '' ? null : (values['reference'] ?? null),
          text: values['text'] ?? '',
        },
      }),
  }
}

/** Of a report that was not written from its draft. */
export const recordOtherText = (on: ActOn, stage: CaseReport['stage']): CaseAct => ({
  ...recordReport(on, { stage, requestId: null }),
  what: 'For a report that was not copied from its draft: word for word, also when fields were missing. Of one that was copied, record the submission on the page of the draft: it keeps each field, and later reports carry them on. Nothing is sent from here.',
})

/** The fields of a draft as they were submitted: later reports carry them on. */
export function recordDraft(on: ActOn, { stage, fields, fieldSet, missing }: CaseDraft): CaseAct {
  const { send: _whole, fields: asked, ...act } = recordReport(on, { stage, requestId: null })
  const filled = fields.flatMap(({ key, text }) => (text === '' ? [] : [{ key, text }]))
  const empty =
    missing.length === 0 ? '' : ` ${missing.length} wanted ones are empty, which blocks nothing.`
  return {
    ...act,
    what: `Keeps ${filled.length} fields word for word as they stand in this draft.${empty} If you wrote something else on the platform, change it here first. Nothing is sent from here.`,
    fields: asked.filter(({ name }) => name !== 'text'),
    send: ({ submittedAt, reference = '' }) =>
      api.post(`${CASE}/reports`, {
        params: readParams(on),
        body: {
          stage,
          submittedAt: readInstant(submittedAt),
          reference: reference.trim() === '' ? null : reference.trim(),
          fields: filled,
          fieldSet,
        },
      }),
  }
}

export function invalidateReport(on: ActOn, { id, stage }: CaseReport): CaseAct {
  return {
    title: `The CSIRT did not accept the ${lowerStage(stage)}`,
    what: 'The stage is due again at its old time. The text stays.',
    verb: 'Record it',
    told: `${STAGE_WORDS[stage]} of ${on.one.title}: not accepted`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'invalidatedAt',
        label: 'Since',
        kind: 'instant',
        isRequired: true,
        first: tellNow(),
      },
      buildReason('What the CSIRT said', true),
    ],
    send: (values) =>
      api.post(`${CASE}/reports/{reportId}/invalidation`, {
        params: { ...readParams(on), reportId: id },
        body: {
          invalidatedAt: readInstant(values['invalidatedAt']),
          reason: readReason(values) ?? '',
        },
      }),
  }
}

export function requestReport(on: ActOn): CaseAct {
  return {
    title: 'The CSIRT asks for an intermediate report',
    what: 'Adds a clock until the instant that it named.',
    verb: 'Add the clock',
    told: `${on.one.title}: an intermediate report is asked for`,
    scope: 'Cases: write',
    fields: [
      { name: 'dueAt', label: 'Due', kind: 'instant', isRequired: true, first: tellNow() },
      { name: 'text', label: 'What it asks', kind: 'text', isRequired: true, most: 4000 },
    ],
    send: (values) =>
      api.post(`${CASE}/report-requests`, {
        params: readParams(on),
        body: { dueAt: readInstant(values['dueAt']), text: values['text'] ?? '' },
      }),
  }
}

export function recordUsersInformed(on: ActOn): CaseAct {
  return {
    title: 'Users were informed',
    what: 'Impacted users, and where appropriate all. Say how, and of what they were told.',
    verb: 'Record it',
    told: `${on.one.title}: users were informed`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'informedAt',
        label: 'Informed',
        kind: 'instant',
        isRequired: true,
        first: tellNow(),
      },
      { name: 'text', label: 'How', kind: 'text', isRequired: true, most: 4000 },
    ],
    send: (values) =>
      api.post(`${CASE}/users-informed`, {
        params: readParams(on),
        body: { informedAt: readInstant(values['informedAt']), text: values['text'] ?? '' },
      }),
  }
}
