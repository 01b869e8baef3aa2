/** One decision for many findings: says before how many they are, and what they are assessed as. */
import { Radio } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { useFormAct } from '../form-act.ts'
import { Form, FormActs, FormFault } from '../form.tsx'
import { describeFailure } from '../states.tsx'
import { type Assess, describeAssessment } from './assessments.ts'
import { type BulkDecision, type BulkPreview, type BulkReach, readPreview } from './bulk.ts'
import css from './bulk-form.module.css'
import { DecisionFields, readDecision, type Draft, useDecisionKeys } from './decision-fields.tsx'
import { isWhole, TermsFields, type TermsState, useTerms } from './terms-fields.tsx'
import type { Terms } from './terms.ts'
import { useDecide } from './use-decide.ts'

export type BulkAct = 'assess' | 'ignore' | 'unignore'

export interface BulkFormProps {
  act: BulkAct
  /** The first is the usual. */
  reaches: readonly BulkReach[]
  /** Whose findings they are, if of one: "CVE-2024-3094". */
  subject?: string | undefined
  /** It is done, or takes long: a notice tells how it goes. */
  onSent: () => void
  isWithoutKeys?: boolean
  /** Further buttons. */
  children?: ReactNode
}

const EMPTY: Draft = { assessment: undefined, justification: null, response: null, detail: '' }
const VERBS = { assess: 'Decide', ignore: 'Ignore', unignore: 'Stop ignoring' }

export function BulkForm(props: BulkFormProps) {
  const { act, reaches, subject, onSent, isWithoutKeys, children } = props
  const [draft, setDraft] = useState(EMPTY)
  const [place, setPlace] = useState(0)
  const form = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const reach = reaches[place] ?? reaches[0]
  const terms = useTerms(act === 'ignore')
  const preview = usePreview(reach, isWhole(terms) ? terms.terms : undefined)
  const decide = useDecide()
  const sending = useFormAct(onSent)
  const set = (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes }))
  useDecisionKeys(form, set, { isOff: act !== 'assess' || isWithoutKeys === true })
  const decision = decisionFor(act, readDecision(draft), terms)
  const count = preview.data?.matched
  useFocusOnce(submit, act !== 'assess' && !terms.isSaid && (count ?? 0) > 0)
  const send = () => {
    if (!decision || !reach || count === undefined || count === 0 || sending.isPending) return
    const { targets } = reach
    sending.send((sent) =>
      decide({ form: sent, targets, decision, count, isCountRead: true, subject }),
    )
  }
  return (
    <div ref={form}>
      <Form onSubmit={send} label="Decision for all">
        {act === 'assess' && (
          <DecisionFields
            draft={draft}
            isNoteWrong={sending.findFault('detail') !== undefined}
            onChange={set}
          />
        )}
        {act === 'ignore' && <TermsFields of={terms} findFault={sending.findFault} form={form} />}
        <Reaches reaches={reaches} place={place} onChoose={setPlace} />
        <Preview {...preview} />
        <FormFault error={sending.error} said="Not done." />
        <FormActs>
          {children}
          <Send
            {...{ act, count, submit }}
            isReady={decision !== undefined}
            isBusy={sending.isPending}
          />
        </FormActs>
      </Form>
    </div>
  )
}

interface SendProps {
  act: BulkAct
  count: number | undefined
  submit: { current: HTMLButtonElement | null }
  isReady: boolean
  isBusy: boolean
}

function Send({ act, count = 0, submit, isReady, isBusy }: SendProps) {
  return (
    <Button
      type="submit"
      kind="primary"
      ref={submit}
      isBusy={isBusy}
      disabled={!isReady || count === 0}
    >
      {VERBS[act]} {count === 0 ? '…' : formatCountOf(count, 'finding')}
    </Button>
  )
}

/** Nothing is to choose: Enter does it, once the number is there to be read. */
function useFocusOnce(button: { current: HTMLElement | null }, isMeant: boolean): void {
  useEffect(() => {
    if (isMeant) button.current?.focus()
  }, [button, isMeant])
}

function Preview({ isPending, data, error }: ReturnType<typeof usePreview>) {
  return (
    <p role="status" className={css['preview']}>
      {isPending && 'Counting…'}
      {data && previewText(data)}
      {error && describeFailure(error)}
    </p>
  )
}

function decisionFor(
  act: BulkAct,
  assess: Assess | undefined,
  state: TermsState,
): BulkDecision | undefined {
  if (act === 'assess') return assess && { assess }
  if (!isWhole(state)) return undefined
  return { ignored: act === 'ignore', ...(state.terms && { acceptance: state.terms }) }
}

function usePreview(reach: BulkReach | undefined, said: Terms | undefined) {
  const workspaceId = useWorkspaceId()
  const counted = reach?.counted ?? reach?.targets ?? []
  // What the reason says changes no count.
  const terms = said && { ...said, ...(said.reason !== undefined && { reason: '…' }) }
  return useQuery({
    queryKey: ['findings', workspaceId, 'preview', counted, terms],
    queryFn: () => readPreview(workspaceId, counted, terms),
    // Of the same findings: the count must not go while somebody types.
    placeholderData: (last, query) =>
      JSON.stringify(query?.queryKey[3]) === JSON.stringify(counted) ? last : undefined,
  })
}

function Reaches({
  reaches,
  place,
  onChoose,
}: {
  reaches: readonly BulkReach[]
  place: number
  onChoose: (place: number) => void
}) {
  if (reaches.length < 2) return null
  return (
    <Radio.Group
      label="Holds for"
      value={String(place)}
      onChange={(value) => onChoose(Number(value))}
    >
      {reaches.map(({ text }, index) => (
        <Radio key={text} value={String(index)} label={text} className={css['reach']} />
      ))}
    </Radio.Group>
  )
}

/** "37 findings now: 30 not assessed, 7 in triage." */
function previewText({ matched, assessments, endedAtOnce }: BulkPreview): string {
  if (matched === 0) return 'No finding is selected: they were decided or ended meanwhile.'
  const parts = assessments.map(
    ({ assessment, count }) =>
      `${formatCount(count)} ${describeAssessment(assessment).toLowerCase()}`,
  )
  const met =
    endedAtOnce === 0
      ? ''
      : endedAtOnce === matched
        ? ' A condition is met already: nothing is ignored.'
        : ` A condition is met already for ${formatCount(endedAtOnce)} of them: those stay open.`
  return `${formatCountOf(matched, 'finding')} now: ${parts.join(', ')}.${met}`
}
