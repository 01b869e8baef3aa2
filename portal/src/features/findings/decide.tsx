/** The decision: assessment, what it rests on, and how far it holds. */
import type { FindingDetail } from '@plimsoll/api-client'
import { type FormEvent, lazy, Suspense, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Choice } from '../../components/choice.tsx'
import {
  DecisionFields,
  readDecision,
  type Draft,
  useDecisionKeys,
} from '../../components/decision/decision-fields.tsx'
import { useDecide } from '../../components/decision/use-decide.ts'
import { useDraft } from '../../components/draft.ts'
import { HeldKeys, useKeys } from '../../components/keyboard.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './decide.module.css'
import { readTarget, type ScopeChoice } from './decision-scope.ts'

const BulkDialog = lazy(() => import('../../components/decision/bulk-dialog.tsx'))

const NOT_READY = 'Not decided: the finding is still loading. What you chose stays.'
const NOW_READY = 'Not decided yet. It is here now: press Enter again.'

/** What was decided about a finding, or about all that the decision is for. */
export interface SharedDecision extends Pick<
  FindingDetail,
  'justification' | 'response' | 'detail' | 'ignored'
> {
  /** undefined: the findings differ. */
  assessment: FindingDetail['assessment'] | undefined
}

export interface DecideProps {
  cveId: string
  /** Its note is kept by it; else by the vulnerability. */
  about?: string
  /** Undefined while it is on its way: what is chosen and typed meanwhile stays. */
  finding: SharedDecision | undefined
  /** How far the decision can hold; the last but one is the usual, for a single finding the last of its component alone. */
  reaches: readonly ScopeChoice[]
  isSingle?: boolean
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

function DecideForm(props: DecideProps) {
  const { cveId, finding, reaches, onDecided } = props
  const { isSingle = false, isTall = false, isWithoutKeys = false } = props
  const { draft, isUndecided, set, reset } = useChoices(props)
  const [reachIndex, setReachIndex] = useState<number>()
  const [isSending, setSending] = useState(false)
  const [refused, setRefused] = useState<string>()
  const form = useRef<HTMLFormElement>(null)
  const decide = useDecide()
  const usual = isSingle
    ? reaches.findLastIndex(({ isOfOneComponent }) => isOfOneComponent)
    : reaches.length - 2
  const place = Math.min(reachIndex ?? Math.max(0, usual), reaches.length - 1)
  const chosen = reaches[place]
  useDecisionKeys(form, set, { isOff: isWithoutKeys, isUndecided })
  useKeys(isWithoutKeys ? [] : [['a', () => form.current?.querySelector('button')?.focus()]])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const assess = readDecision(draft)
    if (!assess || !finding || !chosen || isSending) {
      setRefused(!assess ? 'Choose an assessment first.' : NOT_READY)
      return
    }
    setRefused(undefined)
    const { count, reach } = chosen
    const sent = { targets: [readTarget(reach)], decision: { assess }, count, subject: cveId }
    setSending(true)
    const sending = decide(sent)
    onDecided()
    // Where no other finding follows, the next keys are for the page, not for the note: `z` takes back.
    if (form.current?.contains(document.activeElement)) form.current.focus()
    // What was typed stays until it is saved.
    if (await sending) reset()
    setSending(false)
  }
  const count = chosen?.count ?? 1
  const isReady = draft.assessment !== undefined && finding !== undefined
  return (
    <form
      ref={form}
      tabIndex={-1}
      data-kept
      className={`${css['decide']} ${isTall ? css['tall'] : ''}`}
      onSubmit={(event) => void submit(event)}
      aria-label="Decision"
    >
      <DecisionFields {...{ draft, isTall, isUndecided }} isAtFoot={!isTall} onChange={set} />
      <Refused isReady={isReady}>{refused}</Refused>
      <div className={css['acts']}>
        <HoldsFor reaches={reaches} place={place} onChoose={setReachIndex} isTall={isTall} />
        <Button type="submit" kind="primary" aria-disabled={!isReady} isBusy={isSending}>
          {count === 1 ? 'Decide' : `Decide ${formatCountOf(count, 'finding')}`}
        </Button>
        <Ignore {...{ cveId, finding, reaches, place, onDecided, isWithoutKeys }} />
      </div>
    </form>
  )
}

/** Tells why Enter decided nothing. It tells, too, once Enter would decide. */
function Refused({ isReady, children }: { isReady: boolean; children: string | undefined }) {
  const text = isReady && children === NOT_READY ? NOW_READY : !isReady && children
  return (
    <p role="status" className={css['refused']}>
      {text}
    </p>
  )
}

/** What the finding says, and over it what was chosen and typed here, perhaps before it came. The note outlives the form. */
function useChoices({ cveId, finding, about = cveId }: DecideProps) {
  const workspaceId = useWorkspaceId()
  const [changes, setChanges] = useState<Partial<Draft>>({})
  const [detail, keepDetail] = useDraft(`decision.${workspaceId}.${about}`)
  const draft: Draft = {
    ...(finding ? draftOf(finding) : EMPTY),
    ...changes,
    ...(detail !== undefined && { detail }),
  }
  return {
    draft,
    isUndecided: finding === undefined || finding.assessment === 'NotAssessed',
    set: ({ detail: typed, ...more }: Partial<Draft>) => {
      if (typed !== undefined) keepDetail(typed === (finding?.detail ?? '') ? undefined : typed)
      setChanges((old) => ({ ...old, ...more }))
    },
    reset: () => {
      keepDetail(undefined)
      setChanges({})
    },
  }
}

interface IgnoreProps extends Omit<DecideProps, 'isSingle' | 'isTall'> {
  /** The place of the reach that is chosen in the form; the question shows it first. */
  place: number
}

/** Asks before it ignores, as every act on many findings does. */
function Ignore({ cveId, finding, reaches, place, onDecided, isWithoutKeys }: IgnoreProps) {
  const [isAsking, setAsking] = useState(false)
  const ask = () => finding !== undefined && setAsking(true)
  useKeys(isWithoutKeys === true ? [] : [['i', ask]])
  const verb = finding?.ignored === true ? 'Stop ignoring' : 'Ignore'
  const ordered = [...reaches.slice(place), ...reaches.slice(0, place)]
  return (
    <>
      <Button disabled={finding === undefined} aria-haspopup="dialog" onClick={ask}>
        {verb}…
      </Button>
      {isAsking && (
        <Suspense fallback={<HeldKeys />}>
          <BulkDialog
            act={finding?.ignored === true ? 'unignore' : 'ignore'}
            subject={cveId}
            reaches={ordered.map(({ text, reach }) => ({ text, targets: [readTarget(reach)] }))}
            onClose={() => setAsking(false)}
            onSent={() => {
              setAsking(false)
              onDecided()
            }}
          />
        </Suspense>
      )}
    </>
  )
}

function HoldsFor({
  reaches,
  place,
  onChoose,
  isTall,
}: {
  reaches: readonly ScopeChoice[]
  place: number
  onChoose: (place: number) => void
  isTall: boolean
}) {
  const name = useId()
  if (reaches.length < 2) return null
  if (isTall)
    return (
      <fieldset className={css['reaches']}>
        <legend>Holds for</legend>
        {reaches.map(({ text, count }, index) => (
          <label key={text}>
            <input
              type="radio"
              name={name}
              checked={index === place}
              onChange={() => onChoose(index)}
            />
            <span>{text}</span>
            <span className="numbers">{formatCountOf(count, 'finding')}</span>
          </label>
        ))}
      </fieldset>
    )
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

const EMPTY: Draft = { assessment: undefined, justification: null, response: null, detail: '' }

function draftOf({ assessment, justification, response, detail }: SharedDecision): Draft {
  return {
    assessment: assessment === 'NotAssessed' ? undefined : assessment,
    justification,
    response,
    detail: detail ?? '',
  }
}
