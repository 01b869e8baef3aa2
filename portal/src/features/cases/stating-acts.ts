/** What people state of a case: awareness, answers, the next look, a measure, its product lines. */
import type { Case, ProductLine } from '@plimsoll/api-client'
import { api } from '../../api.ts'
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

const HOUR = 3_600_000

export function setAwareness(on: ActOn): CaseAct {
  return {
    title: 'Set the instant of awareness',
    what: 'From when a prompt first look made you reasonably certain. The clocks count from it: 24 hours to the early warning, 72 to the notification. It may be before the case. Setting it is safe; an admin or owner can correct it.',
    verb: 'Start the clocks',
    told: `${on.one.title}: the clocks run`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'awareAt',
        label: 'Aware since',
        kind: 'instant',
        isRequired: true,
        first: tellNow(),
      },
      { name: 'isEstimate', label: 'This is an estimate', kind: 'check' },
      buildReason('How it became known'),
    ],
    send: (values) =>
      api.post(`${CASE}/awareness`, {
        params: readParams(on),
        body: {
          awareAt: readInstant(values['awareAt']),
          isEstimate: values['isEstimate'] === 'yes',
          reason: readReason(values),
        },
      }),
  }
}

const QUESTIONS = [
  { value: 'CanBeExploited', label: 'Can it be exploited in the product?' },
  { value: 'WasExploited', label: 'Was it exploited in the product?' },
] as const

export function answer(
  on: ActOn,
  question: (typeof QUESTIONS)[number]['value'],
  first?: string,
): CaseAct {
  const label = QUESTIONS.find(({ value }) => value === question)?.label ?? ''
  return {
    title: label,
    what: 'A component on a list of exploited vulnerabilities is a hint. Reporting is for what can be exploited, and was exploited, in this product. A no suggests to dismiss the case; it dismisses nothing.',
    verb: 'Record the answer',
    told: `${on.one.title}: answered`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'answer',
        label: 'Answer',
        kind: 'choice',
        isRequired: true,
        first: first ?? 'Unknown',
        options: [
          { value: 'Yes', label: 'Yes' },
          { value: 'No', label: 'No' },
          { value: 'Unknown', label: 'Not known' },
        ],
      },
      buildReason('Because'),
    ],
    send: ({ answer: given, ...values }) =>
      api.post(`${CASE}/answers`, {
        params: readParams(on),
        body: {
          question,
          answer: given === 'Yes' || given === 'No' ? given : 'Unknown',
          reason: readReason(values),
        },
      }),
  }
}

export function watch(on: ActOn): CaseAct {
  return {
    title: 'Watch the case',
    what: 'No clock runs. The case waits for the next look, and is told of when that is due.',
    verb: 'Watch',
    told: `${on.one.title}: watched`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'nextLookAt',
        label: 'Next look',
        kind: 'instant',
        isRequired: true,
        first: formatForField(new Date(Date.now() + 24 * HOUR)),
      },
      buildReason('What it waits for'),
    ],
    send: (values) =>
      api.post(`${CASE}/watch`, {
        params: readParams(on),
        body: { nextLookAt: readInstant(values['nextLookAt']), reason: readReason(values) },
      }),
  }
}

export function setMeasure(on: ActOn, proposed: Case['proposedMeasure']): CaseAct {
  const hint = proposed
    ? ` ${proposed.version}, without the finding, was first deployed then; say so only if that is right.`
    : ''
  return {
    title: 'A measure is available',
    what: `A corrective or a mitigating measure: a workaround counts, too. The final report is due 14 days after it.${hint}`,
    verb: 'Record the measure',
    told: `${on.one.title}: a measure is available`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'availableAt',
        label: 'Available since',
        kind: 'instant',
        isRequired: true,
        first: proposed ? formatForField(new Date(proposed.at)) : tellNow(),
      },
      {
        name: 'measure',
        label: 'Measure',
        kind: 'choice',
        isRequired: true,
        first: 'Corrective',
        options: [
          { value: 'Corrective', label: 'Corrective: an update' },
          { value: 'Mitigating', label: 'Mitigating: a workaround' },
        ],
      },
      { name: 'detail', label: 'What it is', kind: 'text', most: 4000 },
    ],
    send: (values) =>
      api.post(`${CASE}/measure`, {
        params: readParams(on),
        body: {
          availableAt: readInstant(values['availableAt']),
          measure: values['measure'] === 'Mitigating' ? 'Mitigating' : 'Corrective',
          detail: values['detail']?.trim() === '' ? null : (values['detail']?.trim() ?? null),
        },
      }),
  }
}

export function addLines(on: ActOn & { one: Case }, lines: readonly ProductLine[]): CaseAct {
  const { productLines, manufacturer } = on.one
  const same = manufacturer.toLowerCase()
  const offered = lines.filter(
    (line) =>
      productLines.every(({ id }) => id !== line.id) &&
      (same === '' || line.manufacturer.toLowerCase() === same),
  )
  return {
    title: 'Add product lines',
    what: 'Lines of one manufacturer. A line that is added stays.',
    verb: 'Add product lines',
    told: `${on.one.title}: product lines added`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'productLineIds',
        label: 'Product lines',
        kind: 'many',
        isRequired: true,
        ...(offered.length === 0 && { description: 'There is no other line of this manufacturer' }),
        options: offered.map(({ id, name }) => ({ value: id, label: name })),
      },
    ],
    send: (values) =>
      api.post(`${CASE}/product-lines`, {
        params: readParams(on),
        body: { productLineIds: (values['productLineIds'] ?? '').split(' ') },
      }),
  }
}

/** It stays out, also where the case has its firmware. */
export function removeLine(on: ActOn & { one: Case }): CaseAct {
  return {
    title: 'Remove a product line',
    what: 'The case is no longer about it, and it stays out until somebody adds it again. Versions that were found stay.',
    verb: 'Remove product line',
    told: `${on.one.title}: product line removed`,
    scope: 'Cases: decide',
    isEnding: true,
    fields: [
      {
        name: 'productLineId',
        label: 'Product line',
        kind: 'choice',
        isRequired: true,
        options: on.one.productLines.map(({ id, name }) => ({ value: id, label: name })),
      },
      buildReason('Because', true),
    ],
    send: (values) =>
      api.post(`${CASE}/product-lines/remove`, {
        params: readParams(on),
        body: {
          productLineId: values['productLineId'] ?? '',
          reason: readReason(values) ?? '',
        },
      }),
  }
}

interface OfferedVersion {
  id: string
  firmware: string
  name: string
}

/** Versions without a finding, such as those of an incident. */
export function addVersions(
  on: ActOn & { one: Case },
  versions: readonly OfferedVersion[],
): CaseAct {
  const known = new Set(on.one.versions.map(({ firmwareVersionId }) => firmwareVersionId))
  const offered = versions.filter(({ id }) => !known.has(id))
  return {
    title: 'Add versions',
    what: 'Names versions that the case is about, also without a finding. They stay in the case.',
    verb: 'Add versions',
    told: `${on.one.title}: versions added`,
    scope: 'Cases: write',
    fields: [
      {
        name: 'firmwareVersionIds',
        label: 'Versions',
        kind: 'many',
        isRequired: true,
        ...(offered.length === 0 && { description: 'There is no other version to offer' }),
        options: offered.map(({ id, firmware, name }) => ({
          value: id,
          label: `${firmware} ${name}`,
        })),
      },
    ],
    send: (values) =>
      api.post(`${CASE}/versions`, {
        params: readParams(on),
        body: { firmwareVersionIds: (values['firmwareVersionIds'] ?? '').split(' ') },
      }),
  }
}
