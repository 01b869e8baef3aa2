/** The decision: assessment, what it rests on, and how far it holds. */
import type { FindingDetail } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Choice } from '../../components/choice.tsx'
import { usePageKeys } from '../../components/page-keys.ts'
import { describeFailure } from '../../components/states.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import type { Assess } from '../../components/decision/assessments.ts'
import {
  DecisionFields,
  readDecision,
  type Draft,
  useDecisionKeys,
} from '../../components/decision/decision-fields.tsx'
import css from './decide.module.css'
import type { ScopeChoice } from './decision-scope.ts'
import { assess, ignore, type Reach } from './queries.ts'

export interface DecideProps {
  finding: FindingDetail
  /** How far the decision can hold; the last but one is the usual. */
  reaches: readonly ScopeChoice[]
  onDecided: () => void
  /** Under each other, as the finding's own page has room for it. */
  isTall?: boolean
  /** Its keys do nothing: they belong to a selection of the list. */
  isWithoutKeys?: boolean
}

export function Decide(props: DecideProps) {
  const mayDecide = useMay('Vulnerabilities: write')
  if (!mayDecide)
    return <p className={css['note']}>Your role reads findings; it does not assess them.</p>
  return <DecideForm {...props} />
}

function DecideForm({
  finding,
  reaches,
  onDecided,
  isTall = false,
  isWithoutKeys = false,
}: DecideProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(finding))
  const [reachIndex, setReachIndex] = useState(Math.max(0, reaches.length - 2))
  const form = useRef<HTMLFormElement>(null)
  const chosen = reaches[Math.min(reachIndex, reaches.length - 1)]
  const { decide, ignoreAll } = useDecisions(
    chosen?.reach ?? { findingIds: [finding.id] },
    onDecided,
  )
  const set = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }))
  useDecisionKeys(form, set, isWithoutKeys)
  usePageKeys(
    isWithoutKeys
      ? []
      : [
          ['a', () => form.current?.querySelector('button')?.focus()],
          ['i', () => ignoreAll.mutate(!finding.ignored)],
        ],
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const decision = readDecision(draft)
    if (decision) decide.mutate(decision)
  }
  const count = chosen?.count ?? 1
  return (
    <form
      ref={form}
      className={`${css['decide']} ${isTall ? css['tall'] : ''}`}
      onSubmit={submit}
      aria-label="Decision"
    >
      <DecisionFields draft={draft} onChange={set} isTall={isTall} />
      <div className={css['acts']}>
        <HoldsFor reaches={reaches} place={reachIndex} onChoose={setReachIndex} />
        <Button type="submit" kind="primary" disabled={!draft.assessment} isBusy={decide.isPending}>
          {count === 1 ? 'Decide' : `Decide ${formatCountOf(count, 'finding')}`}
        </Button>
        <Button isBusy={ignoreAll.isPending} onClick={() => ignoreAll.mutate(!finding.ignored)}>
          {finding.ignored ? 'Stop ignoring' : 'Ignore'}
        </Button>
      </div>
      <NotSaved error={decide.error ?? ignoreAll.error} />
    </form>
  )
}

function HoldsFor({
  reaches,
  place,
  onChoose,
}: {
  reaches: readonly ScopeChoice[]
  place: number
  onChoose: (place: number) => void
}) {
  if (reaches.length < 2) return null
  return (
    <Choice
      label="Holds for"
      options={reaches.map(({ text, count }, index) => ({
        value: String(index),
        text: `${text} (${formatCountOf(count, 'finding')})`,
      }))}
      value={String(place)}
      onChange={(value) => onChoose(Number(value))}
    />
  )
}

function NotSaved({ error }: { error: Error | null }) {
  if (!error) return null
  return (
    <p className={css['fault']} role="alert">
      Not saved. {describeFailure(error)}
    </p>
  )
}

function draftOf({ assessment, justification, response, detail }: FindingDetail): Draft {
  return {
    assessment: assessment === 'NotAssessed' ? undefined : assessment,
    justification,
    response,
    detail: detail ?? '',
  }
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
