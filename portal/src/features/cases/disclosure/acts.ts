/** What people do with a report from outside. */
import type { CaseSummary, DisclosureReport, ProductLine } from '@plimsoll/api-client'
import { DISCLOSURE_REPORT_DISMISSAL } from '@plimsoll/api-client'
import { api } from '../../../api.ts'
import { formatForField } from '../../../format/dates.ts'
import { type CaseAct, buildReason, readInstant, readReason, tellNow } from '../act.ts'
import { DISMISSAL_WORDS } from './words.ts'

const REPORT = '/workspaces/{workspaceId}/disclosure-reports/{reportId}'

export interface ActOnReport {
  workspaceId: string
  one: DisclosureReport
}

const readParams = ({ workspaceId, one }: ActOnReport) => ({ workspaceId, reportId: one.id })
const MOST_TEXT = 20_000

export const answer = (on: ActOnReport): CaseAct => ({
  title: 'Answer',
  what: 'Whoever reported reads it on the page of their link. No mail is sent.',
  verb: 'Send the answer',
  told: `${on.one.title}: answered`,
  scope: 'Cases: write',
  fields: [{ name: 'text', label: 'Answer', kind: 'text', isRequired: true, most: MOST_TEXT }],
  send: ({ text = '' }) =>
    api.post(`${REPORT}/answers`, { params: readParams(on), body: { text } }),
})

export const note = (on: ActOnReport): CaseAct => ({
  title: 'Write a note',
  what: 'For the team. Whoever reported never sees it.',
  verb: 'Keep the note',
  told: `${on.one.title}: noted`,
  scope: 'Cases: write',
  fields: [{ name: 'text', label: 'Note', kind: 'text', isRequired: true, most: MOST_TEXT }],
  send: ({ text = '' }) => api.post(`${REPORT}/notes`, { params: readParams(on), body: { text } }),
})

export const propose = (on: ActOnReport, lines: readonly ProductLine[]): CaseAct => ({
  title: 'Propose a case',
  what: 'Makes a case that waits for an assessment. No clock of the law starts. Its first hint is when the report was received.',
  verb: 'Propose case',
  told: `${on.one.title}: a case is proposed`,
  scope: 'Cases: write',
  fields: [
    {
      name: 'title',
      label: 'Title',
      kind: 'line',
      isRequired: true,
      first: on.one.title,
      most: 200,
    },
    { name: 'cveId', label: 'CVE id, where there is one', kind: 'line', most: 30 },
    {
      name: 'productLineIds',
      label: 'Product lines',
      kind: 'many',
      description: 'Of one manufacturer; none: not known yet',
      options: lines.map(({ id, name }) => ({ value: id, label: name })),
      ...(lines.some(({ id }) => id === on.one.productLineId) && {
        first: on.one.productLineId ?? '',
      }),
    },
  ],
  send: ({ title = '', cveId = '', productLineIds = '' }) =>
    api.post(`${REPORT}/propose`, {
      params: readParams(on),
      body: {
        title,
        cveId: cveId.trim() === '' ? null : cveId.trim().toUpperCase(),
        productLineIds: productLineIds === '' ? [] : productLineIds.split(' '),
      },
    }),
})

export const join = (on: ActOnReport, cases: readonly CaseSummary[]): CaseAct => ({
  title: 'Join a case',
  what: 'The report becomes a hint of the case. No clock of the law starts, and the case stays as it is.',
  verb: 'Join the case',
  told: `${on.one.title}: joined a case`,
  scope: 'Cases: write',
  fields: [
    {
      name: 'caseId',
      label: 'Case',
      kind: 'choice',
      isRequired: true,
      ...(cases.length === 0 && { description: 'There is no open case' }),
      options: cases
        .filter(({ id }) => id !== on.one.caseId)
        .map(({ id, title }) => ({ value: id, label: title })),
    },
  ],
  send: ({ caseId = '' }) =>
    api.post(`${REPORT}/join`, { params: readParams(on), body: { caseId } }),
})

export const dismiss = (on: ActOnReport): CaseAct => ({
  title: 'Dismiss the report',
  what: 'Whoever reported sees that it is closed, and not why. It can be reopened.',
  verb: 'Dismiss report',
  told: `${on.one.title}: dismissed`,
  scope: 'Cases: decide',
  isEnding: true,
  fields: [
    {
      name: 'as',
      label: 'As',
      kind: 'choice',
      isRequired: true,
      options: DISCLOSURE_REPORT_DISMISSAL.map((value) => ({
        value,
        label: DISMISSAL_WORDS[value],
      })),
    },
    buildReason('Because', true),
  ],
  send: (values) =>
    api.post(`${REPORT}/dismiss`, {
      params: readParams(on),
      body: {
        as: DISCLOSURE_REPORT_DISMISSAL.find((kind) => kind === values['as']) ?? 'Spam',
        reason: readReason(values) ?? '',
      },
    }),
})

export const reopen = (on: ActOnReport): CaseAct => ({
  title: 'Reopen the report',
  what: 'It waits again, and its times count from where they began.',
  verb: 'Reopen report',
  told: `${on.one.title}: reopened`,
  scope: 'Cases: write',
  fields: [buildReason('Because', true)],
  send: (values) =>
    api.post(`${REPORT}/reopen`, {
      params: readParams(on),
      body: { reason: readReason(values) ?? '' },
    }),
})

export const setEmbargo = (on: ActOnReport): CaseAct => ({
  title: 'Set an embargo',
  what: 'Until then nothing is to be published. Plimsoll reminds of it, and publishes nothing by itself.',
  verb: 'Set embargo',
  told: `${on.one.title}: embargo set`,
  scope: 'Cases: write',
  fields: [
    {
      name: 'until',
      label: 'Until',
      kind: 'instant',
      isRequired: true,
      first: formatForField(
        new Date(
          on.one.embargoUntil ??
            on.one.clocks.find(({ step }) => step === 'Disclosure')?.dueAt ??
            Date.now(),
        ),
      ),
    },
    buildReason('Because', true),
  ],
  send: (values) =>
    api.post(`${REPORT}/embargo`, {
      params: readParams(on),
      body: { until: readInstant(values['until']), reason: readReason(values) ?? '' },
    }),
})

export const setCredit = (on: ActOnReport): CaseAct => ({
  title: 'Who is to be thanked',
  what: 'The name that an advisory can give. Whoever reported sees it.',
  verb: 'Keep the name',
  told: `${on.one.title}: credit kept`,
  scope: 'Cases: write',
  fields: [
    {
      name: 'credit',
      label: 'Name; empty: nobody',
      kind: 'line',
      first: on.one.credit ?? '',
      most: 200,
    },
  ],
  send: ({ credit = '' }) =>
    api.post(`${REPORT}/credit`, {
      params: readParams(on),
      body: { credit: credit.trim() === '' ? null : credit.trim() },
    }),
})

export const eraseContact = (on: ActOnReport): CaseAct => ({
  title: 'Erase the contact',
  what: 'Deletes how whoever reported can be reached. It cannot be undone. The report stays as it was sent; backups keep the contact until they are deleted.',
  verb: 'Erase contact',
  told: `${on.one.title}: the contact is erased`,
  scope: 'Cases: decide',
  isEnding: true,
  fields: [buildReason('Because', true)],
  send: (values) =>
    api.post(`${REPORT}/erase-contact`, {
      params: readParams(on),
      body: { reason: readReason(values) ?? '' },
    }),
})

export const recordDisclosure = (on: ActOnReport): CaseAct => ({
  title: 'It was disclosed',
  what: 'Records that it was published, and ends its times. Nothing is published by that.',
  verb: 'Record the disclosure',
  told: `${on.one.title}: disclosed`,
  scope: 'Cases: decide',
  isEnding: true,
  fields: [
    {
      name: 'disclosedAt',
      label: 'Disclosed',
      kind: 'instant',
      isRequired: true,
      first: tellNow(),
    },
    { name: 'text', label: 'Where', kind: 'line', most: 4000 },
  ],
  send: ({ disclosedAt, text = '' }) =>
    api.post(`${REPORT}/disclose`, {
      params: readParams(on),
      body: {
        disclosedAt: readInstant(disclosedAt),
        text: text.trim() === '' ? null : text.trim(),
      },
    }),
})
