/** What a decision consists of: an assessment, what it rests on, and a note. */
import { Input } from '@mantine/core'
import type { ChangeEvent } from 'react'
import { Choice } from '../choice.tsx'
import { type KeyAct, useKeys } from '../keyboard.ts'
import {
  type Assess,
  type Assessment,
  ASSESSMENTS,
  JUSTIFICATIONS,
  RESPONSES,
  takesJustification,
} from './assessments.ts'
import css from './decision-fields.module.css'

export interface Draft {
  assessment: Assessment | undefined
  justification: string | null
  response: string | null
  detail: string
}

/** Where nobody has assessed anything, there is no assessment to take away. */
function listChoices(isUndecided: boolean) {
  return ASSESSMENTS.filter(({ value }) => !isUndecided || value !== 'NotAssessed')
}

const keyOf = (value: Assessment, index: number) =>
  value === 'NotAssessed' ? '0' : String(index + 1)

/** What is sent: without a justification where the assessment takes none. */
export function readDecision({
  assessment,
  justification,
  response,
  detail,
}: Draft): Assess | undefined {
  if (!assessment) return undefined
  return {
    assessment,
    ...(takesJustification(assessment) && justification !== null && { justification }),
    ...(response !== null && { response }),
    ...(detail.trim() !== '' && { detail: detail.trim() }),
  } as Assess
}

/** `1` to `5` choose the assessment, `0` takes it away, `n` leads to the note. */
export function useDecisionKeys(
  form: { current: HTMLElement | null },
  onChange: (changes: Partial<Draft>) => void,
  { isOff, isUndecided = false }: { isOff: boolean; isUndecided?: boolean },
): void {
  const choices = listChoices(isUndecided).map(({ value }, index): KeyAct => [
    keyOf(value, index),
    () => onChange({ assessment: value }),
  ])
  const toNote = () => form.current?.querySelector<HTMLElement>('[data-note]')?.focus()
  useKeys(isOff ? [] : [...choices, ['n', toNote]], form)
}

export interface DecisionFieldsProps {
  draft: Draft
  onChange: (changes: Partial<Draft>) => void
  /** Nobody has assessed it. */
  isUndecided?: boolean
  /** The service refused the note, as the form says. */
  isNoteWrong?: boolean
  /** Puts the fields under each other, where there is room for it. */
  isTall?: boolean
  /** Puts the fields at the foot of a narrow screen, in at most a quarter of it. */
  isAtFoot?: boolean
}

export function DecisionFields(props: DecisionFieldsProps) {
  const { draft, onChange, isUndecided = false, isTall = false, isAtFoot = false } = props
  const { isNoteWrong = false } = props
  const place = isTall ? css['tall'] : isAtFoot ? css['foot'] : ''
  return (
    <div className={`${css['decision']} ${place}`}>
      <Choices
        chosen={draft.assessment}
        isUndecided={isUndecided}
        onChoose={(assessment) => onChange({ assessment })}
      />
      <Fields {...{ draft, onChange, isTall, isNoteWrong }} />
    </div>
  )
}

function Choices({
  chosen,
  isUndecided,
  onChoose,
}: {
  chosen: Assessment | undefined
  isUndecided: boolean
  onChoose: (value: Assessment) => void
}) {
  return (
    <div className={css['choices']} role="group" aria-label="Assessment">
      {listChoices(isUndecided).map(({ value, text }, index) => (
        <button
          key={value}
          type="button"
          className={`${css['choice']} ${chosen === value ? css['chosen'] : ''}`}
          aria-pressed={chosen === value}
          data-autofocus={index === 0 ? '' : undefined}
          onClick={() => onChoose(value)}
        >
          {text}
          <kbd aria-hidden="true">{keyOf(value, index)}</kbd>
        </button>
      ))}
    </div>
  )
}

interface NoteProps {
  isTall: boolean
  'data-note': ''
  'aria-label': string
  placeholder: string
  error: boolean
  value: string
  onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => void
}

/** Mantine's own text area brings along what lets it grow: more than all else of a decision. */
function Note({ isTall, ...note }: NoteProps) {
  return isTall ? <Input component="textarea" rows={3} multiline {...note} /> : <Input {...note} />
}

/** The interface knows more justifications and responses than it offers here. */
const justificationOf = ({ justification }: Draft) =>
  JUSTIFICATIONS.find(({ value }) => value === justification)?.value ?? null
const responseOf = ({ response }: Draft) =>
  RESPONSES.find(({ value }) => value === response)?.value ?? null

function Fields({ draft, onChange, isTall = false, isNoteWrong = false }: DecisionFieldsProps) {
  return (
    <div className={css['fields']}>
      {takesJustification(draft.assessment) && (
        <Choice
          label="Justification"
          none="Because…"
          options={JUSTIFICATIONS}
          value={justificationOf(draft)}
          onChange={(justification) => onChange({ justification })}
        />
      )}
      <Choice
        label="Response"
        none="Response"
        options={RESPONSES}
        value={responseOf(draft)}
        onChange={(response) => onChange({ response })}
      />
      <Note
        isTall={isTall}
        data-note=""
        aria-label="Note, kept in history and VEX"
        placeholder="Note for the record"
        error={isNoteWrong}
        value={draft.detail}
        onChange={(event) => onChange({ detail: event.currentTarget.value })}
      />
    </div>
  )
}
