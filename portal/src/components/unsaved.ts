/**
 * Forms with text that was typed and not saved: whoever leaves one is asked first. It listens to all forms of the page, so a form
 * is guarded without saying so. A form with `data-kept` is not: its text is kept, or only looks something up.
 */
import { useSyncExternalStore } from 'react'
import { hasDrafts } from './draft.ts'

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement
type Values = ReadonlyMap<Field, string>

interface Writing {
  /** What the fields had before somebody typed, or when they were saved last. */
  saved: Values
  isTyped: boolean
  /** What they had when the form was sent: saved, unless a fault shows. */
  sent?: Values | undefined
}

const writings = new WeakMap<HTMLFormElement, Writing>()

/** Which form an event is about, if it is one with text to lose. */
const findForm = ({ target }: Event) =>
  target instanceof Element ? target.closest<HTMLFormElement>('form:not([data-kept])') : null

const listFields = (form: HTMLFormElement) =>
  [...form.elements].filter(
    (one) =>
      one instanceof HTMLInputElement ||
      one instanceof HTMLTextAreaElement ||
      one instanceof HTMLSelectElement,
  )

const readValues = (form: HTMLFormElement): Values =>
  new Map(listFields(form).map((field) => [field, field.value]))

const hasFault = (form: HTMLFormElement) =>
  form.querySelector('[role="alert"], [aria-invalid="true"]') !== null

document.addEventListener('focusin', (event) => {
  const form = findForm(event)
  if (form && !writings.has(form)) writings.set(form, { saved: readValues(form), isTyped: false })
})

// These two come before the form's own listeners, which may change or close it.
const isFirst = { capture: true }
document.addEventListener(
  'input',
  (event) => {
    const form = findForm(event)
    const writing = form && writings.get(form)
    if (!writing) return
    writing.isTyped = true
    if (writing.sent && !hasFault(form)) writing.saved = writing.sent
    writing.sent = undefined
  },
  isFirst,
)
document.addEventListener(
  'submit',
  (event) => {
    const form = findForm(event)
    const writing = form && writings.get(form)
    if (writing) writing.sent = readValues(form)
  },
  isFirst,
)

function isUnsaved(form: HTMLFormElement): boolean {
  const writing = writings.get(form)
  if (!writing?.isTyped || (writing.sent && !hasFault(form))) return false
  return listFields(form).some((field) => field.value !== (writing.saved.get(field) ?? ''))
}

const listUnsaved = (within: ParentNode) => [...within.querySelectorAll('form')].filter(isUnsaved)

/** Closing the tab also loses the texts that are kept for the session. */
export const hasUnsaved = () => hasDrafts() || listUnsaved(document).length > 0

type Answer = (isLeft: boolean) => void

let question: Answer | undefined
const readers = new Set<() => void>()

function show(next: Answer | undefined): void {
  question = next
  for (const read of readers) read()
}

/** Answers whether what is typed there may go; asks if there is such text. */
export async function mayLeave(
  within: ParentNode = document,
  losesDrafts = false,
): Promise<boolean> {
  const forms = listUnsaved(within)
  if (forms.length === 0 && !(losesDrafts && hasDrafts())) return true
  if (question) return false
  const isLeft = await new Promise<boolean>(show)
  show(undefined)
  if (isLeft) for (const form of forms) writings.delete(form)
  return isLeft
}

function subscribe(read: () => void) {
  readers.add(read)
  return () => void readers.delete(read)
}

/** What the open question wants to hear. */
export function useQuestion(): Answer | undefined {
  return useSyncExternalStore(subscribe, () => question)
}
