/** What a form of the public page says. Its texts are of strangers: they are kept as text, and shown as text. */
import { cleanName } from '../../formats/one-line-name.ts'

/** As `maxlength` of HTML counts: UTF-16 code units, a line break as one. */
export const MOST = { title: 200, text: 20_000, contact: 500, credit: 200 } as const

export interface Submission {
  title: string
  text: string
  contact: string
  credit: string
  productLineId: string
}

type SubmissionField = keyof Submission
export type Faults = Partial<Record<SubmissionField | 'form', string>>

/** A browser sends line breaks as CR LF. PostgreSQL stores no U+0000. Other controls would act on terminals. */
export const readLines = (text: string | null) =>
  (text ?? '')
    .replaceAll(/\r\n?/g, '\n')
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\uFFFD')
    .toWellFormed()

const readLine = (text: string | null) => {
  const line = readLines(text).replaceAll(/\s+/g, ' ').trim()
  return line === '' ? '' : cleanName(line)
}

export const readSubmission = (form: URLSearchParams): Submission => ({
  title: readLine(form.get('title')),
  text: readLines(form.get('text')),
  contact: readLine(form.get('contact')),
  credit: readLine(form.get('credit')),
  productLineId: form.get('product-line') ?? '',
})

const NAMES: Readonly<Record<keyof typeof MOST, string>> = {
  title: 'The subject',
  text: 'The description',
  contact: 'The contact',
  credit: 'The name',
}

export function findFaults(submission: Submission): Faults {
  const faults: Faults = {}
  for (const field of ['title', 'text', 'contact', 'credit'] as const) {
    const fault = findTextFault(field, submission[field])
    if (fault !== undefined) faults[field] = fault
  }
  return faults
}

export function findTextFault(field: keyof typeof MOST, text: string): string | undefined {
  if (text.length > MOST[field])
    return `${NAMES[field]} has ${text.length} characters; at most ${MOST[field]} can be taken.`
  if ((field === 'title' || field === 'text') && text.trim() === '')
    return `${NAMES[field]} is missing.`
  return undefined
}
