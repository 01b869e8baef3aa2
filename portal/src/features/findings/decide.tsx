/** The decision: assessment, what it rests on, and how far it holds. */
import { Select, Textarea, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { failureText } from '../../components/states.tsx'
import { countOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import {
  type Assessment,
  ASSESSMENTS,
  JUSTIFICATIONS,
  RESPONSES,
  takesJustification,
} from './assessments.ts'
import css from './decide.module.css'
import type { ReachChoice } from './reaches.ts'
import { assess, type Assess, type Finding, ignore, type Reach } from './queries.ts'

export interface DecideProps {
  finding: Finding
  /** How far the decision can hold; the last but one is the usual. */
  reaches: readonly ReachChoice[]
  onDecided: () => void
  /** Under each other, as the finding's own page has room for it. */
  isTall?: boolean
}

const CHOICES = ASSESSMENTS.filter(({ value }) => value !== 'NotAssessed')

interface Draft {
  assessment: Assessment | undefined
  justification: string | null
  response: string | null
  detail: string
}

export function Decide(props: DecideProps) {
  const mayDecide = useMay('Vulnerabilities: write')
  if (!mayDecide)
    return <p className={css['note']}>Your role reads findings; it does not assess them.</p>
  return <DecideForm {...props} />
}

function DecideForm({ finding, reaches, onDecided, isTall = false }: DecideProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(finding))
  const [reachIndex, setReachIndex] = useState(Math.max(0, reaches.length - 2))
  const form = useRef<HTMLFormElement>(null)
  const chosen = reaches[Math.min(reachIndex, reaches.length - 1)]
  const { decide, ignoreAll } = useDecisions(
    chosen?.reach ?? { findingIds: [finding.id] },
    onDecided,
  )
  const set = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }))
  const focus = (selector: string) => form.current?.querySelector<HTMLElement>(selector)?.focus()
  useHotkeys([
    ...CHOICES.map(({ value }, index): [string, () => void] => [
      String(index + 1),
      () => set({ assessment: value }),
    ]),
    ['a', () => focus('button')],
    ['i', () => ignoreAll.mutate(!finding.ignored)],
    ['n', () => focus('[data-note]')],
  ])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const decision = decisionOf(draft)
    if (decision) decide.mutate(decision)
  }
  const count = chosen?.count ?? 1
  const error = decide.error ?? ignoreAll.error
  return (
    <form
      ref={form}
      className={`${css['decide']} ${isTall ? css['tall'] : ''}`}
      onSubmit={submit}
      aria-label="Decision"
    >
      <Choices chosen={draft.assessment} onChoose={(assessment) => set({ assessment })} />
      <Fields draft={draft} onChange={set} isTall={isTall} />
      <div className={css['acts']}>
        {reaches.length > 1 && (
          <Select
            aria-label="Holds for"
            data={reaches.map(({ text, count: reached }, index) => ({
              value: String(index),
              label: `${text} (${countOf(reached, 'finding')})`,
            }))}
            value={String(reachIndex)}
            onChange={(value) => setReachIndex(Number(value))}
          />
        )}
        <Button type="submit" kind="primary" disabled={!draft.assessment} isBusy={decide.isPending}>
          {count === 1 ? 'Decide' : `Decide ${countOf(count, 'finding')}`}
        </Button>
        <Button isBusy={ignoreAll.isPending} onClick={() => ignoreAll.mutate(!finding.ignored)}>
          {finding.ignored ? 'Stop ignoring' : 'Ignore'}
        </Button>
      </div>
      {error && (
        <p className={css['fault']} role="alert">
          Not saved. {failureText(error)}
        </p>
      )}
    </form>
  )
}

function draftOf({ assessment, justification, response, detail }: Finding): Draft {
  return {
    assessment: assessment === 'NotAssessed' ? undefined : assessment,
    justification,
    response,
    detail: detail ?? '',
  }
}

/** What is sent: without a justification where the assessment takes none. */
function decisionOf({ assessment, justification, response, detail }: Draft): Assess | undefined {
  if (!assessment) return undefined
  return {
    assessment,
    ...(takesJustification(assessment) && justification !== null && { justification }),
    ...(response !== null && { response }),
    ...(detail.trim() !== '' && { detail: detail.trim() }),
  } as Assess
}

function Choices({
  chosen,
  onChoose,
}: {
  chosen: Assessment | undefined
  onChoose: (value: Assessment) => void
}) {
  return (
    <div className={css['choices']} role="group" aria-label="Assessment">
      {CHOICES.map(({ value, text }, index) => (
        <button
          key={value}
          type="button"
          className={`${css['choice']} ${chosen === value ? css['chosen'] : ''}`}
          aria-pressed={chosen === value}
          onClick={() => onChoose(value)}
        >
          {text}
          <kbd aria-hidden="true">{index + 1}</kbd>
        </button>
      ))}
    </div>
  )
}

interface FieldsProps {
  draft: Draft
  onChange: (changes: Partial<Draft>) => void
  isTall: boolean
}

function Fields({ draft, onChange, isTall }: FieldsProps) {
  const Note = isTall ? Textarea : TextInput
  return (
    <div className={css['fields']}>
      {takesJustification(draft.assessment) && (
        <Select
          aria-label="Justification"
          placeholder="Because…"
          data={JUSTIFICATIONS.map(({ value, text }) => ({ value, label: text }))}
          value={draft.justification}
          onChange={(justification) => onChange({ justification })}
          clearable
        />
      )}
      <Select
        aria-label="Response"
        placeholder="Response"
        data={RESPONSES.map(({ value, text }) => ({ value, label: text }))}
        value={draft.response}
        onChange={(response) => onChange({ response })}
        clearable
      />
      <Note
        data-note=""
        aria-label="Note, kept in history and VEX"
        placeholder="Note for the record"
        value={draft.detail}
        onChange={(event) => onChange({ detail: event.currentTarget.value })}
      />
    </div>
  )
}

function useDecisions(reach: Reach, onDecided: () => void) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const onSuccess = async () => {
    onDecided()
    await queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] })
  }
  const decide = useMutation<unknown, Error, Assess>({
    mutationFn: (decision) => assess(workspaceId, reach, decision),
    onSuccess,
  })
  const ignoreAll = useMutation<unknown, Error, boolean>({
    mutationFn: (ignored) => ignore(workspaceId, reach, ignored),
    onSuccess,
  })
  return { decide, ignoreAll }
}
