/** The fields of an accepted risk. Without them a finding is ignored until somebody changes it. */
import { Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { settingsQuery } from '../../workspace-queries.ts'
import { Button } from '../button.tsx'
import { useColleagues } from '../discussion/assignee.tsx'
import { useKeys } from '../keyboard.ts'
import { describeEnds } from './acceptance-words.ts'
import css from './terms-fields.module.css'
import { findLaterDay, NO_TERMS, readTerms, type Terms, type TermsDraft } from './terms.ts'

type Requirement = 'Reason' | 'Owner' | 'End'

export interface TermsState {
  draft: TermsDraft
  set: (changes: Partial<TermsDraft>) => void
  /** What the command says; undefined: nothing. */
  terms: Terms | undefined
  /** What the workspace demands of whoever ignores. */
  demanded: readonly Requirement[]
  isSaid: boolean
  say: (isSaid: boolean) => void
}

export function useTerms(isAsked: boolean): TermsState {
  const workspaceId = useWorkspaceId()
  // Whoever may not read the settings is told by the service what is missing.
  const { data } = useQuery({ ...settingsQuery(workspaceId), enabled: isAsked })
  const demanded = isAsked ? (data?.acceptanceRequirements ?? []) : []
  const [draft, setDraft] = useState(NO_TERMS)
  const [isOpened, setOpened] = useState(false)
  const isSaid = isAsked && (isOpened || demanded.length > 0)
  return {
    draft,
    set: (changes) => setDraft((old) => ({ ...old, ...changes })),
    terms: isSaid ? readTerms(draft) : undefined,
    demanded,
    isSaid,
    say: setOpened,
  }
}

/** Whether all is said that the workspace demands. */
export function isWhole({ terms, demanded }: Pick<TermsState, 'terms' | 'demanded'>): boolean {
  const said: Record<Requirement, unknown> = {
    Reason: terms?.reason,
    Owner: terms?.ownerId,
    End: terms?.until,
  }
  return demanded.every((one) => said[one] !== undefined && said[one] !== null)
}

const NAMES: Record<Requirement, string> = {
  Reason: 'a reason',
  Owner: 'an owner',
  End: 'an end',
}

interface FieldsProps {
  of: TermsState
  /** What the service said of a field. */
  findFault: (name: string) => string | undefined
  /** The form that its keys are for. */
  form: { current: HTMLElement | null }
}

export function TermsFields({ of, findFault, form }: FieldsProps) {
  const { terms, demanded, isSaid, say } = of
  const reason = useRef<HTMLTextAreaElement>(null)
  const isDemanded = demanded.length > 0
  useEffect(() => {
    if (isSaid) reason.current?.focus()
  }, [isSaid])
  useKeys([['n', () => (isSaid ? reason.current?.focus() : say(true))]], form)
  return (
    <fieldset className={css['terms']}>
      <legend>Accept the risk</legend>
      {!isDemanded && (
        <Checkbox
          label={
            <>
              With a reason, an owner or an end <kbd>n</kbd>
            </>
          }
          checked={isSaid}
          onChange={({ currentTarget }) => say(currentTarget.checked)}
        />
      )}
      {isSaid && <Said {...{ of, findFault, reason }} />}
      {!isWhole(of) && (
        <p className={css['ends']}>
          The workspace demands {demanded.map((one) => NAMES[one]).join(', ')}.
        </p>
      )}
      <p className={css['ends']}>
        {terms
          ? describeEnds(terms.until, terms.conditions)
          : 'It stays ignored until somebody changes it.'}
      </p>
    </fieldset>
  )
}

function Said({
  of: { draft, set, demanded },
  findFault,
  reason,
}: Pick<FieldsProps, 'of' | 'findFault'> & {
  reason: { current: HTMLTextAreaElement | null }
}) {
  const colleagues = useColleagues()
  const isDemanded = (one: Requirement) => demanded.includes(one)
  return (
    <>
      <Textarea
        ref={reason}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={10_000}
        label="Reason"
        required={isDemanded('Reason')}
        value={draft.reason}
        error={findFault('reason')}
        onChange={({ currentTarget }) => set({ reason: currentTarget.value })}
      />
      <div className={css['row']}>
        <Select
          label="Owner"
          placeholder="Nobody"
          description="gets a mail some days before it ends, and when it has ended"
          searchable
          clearable
          required={isDemanded('Owner')}
          data={colleagues.map(({ value, name, isMe }) => ({
            value,
            label: isMe ? `${name} (you)` : name,
          }))}
          value={draft.ownerId}
          error={findFault('ownerId')}
          onChange={(ownerId) => set({ ownerId })}
        />
        <Until {...{ draft, set }} isDemanded={isDemanded('End')} fault={findFault('until')} />
      </div>
      <Sooner {...{ draft, set, findFault }} />
    </>
  )
}

type DraftProps = Pick<TermsState, 'draft' | 'set'>

const LENGTHS = [30, 90, 180]

function Until({
  draft,
  set,
  isDemanded,
  fault,
}: DraftProps & { isDemanded: boolean; fault: string | undefined }) {
  return (
    <div>
      <TextInput
        type="date"
        label="Until the end of"
        required={isDemanded}
        min={findLaterDay(0)}
        value={draft.day}
        error={fault}
        onChange={({ currentTarget }) => set({ day: currentTarget.value })}
      />
      <div className={css['lengths']} role="group" aria-label="Until">
        {LENGTHS.map((days) => (
          <Button key={days} size="small" onClick={() => set({ day: findLaterDay(days) })}>
            {formatCountOf(days, 'day')}
          </Button>
        ))}
      </div>
    </div>
  )
}

/** What ends it before its time. */
export function Sooner({ draft, set, findFault }: DraftProps & Pick<FieldsProps, 'findFault'>) {
  return (
    <div className={css['sooner']} role="group" aria-label="Ends sooner if">
      <span className={css['label']}>Ends sooner if</span>
      <Checkbox
        label="it becomes known to be exploited"
        checked={draft.knownExploited}
        onChange={({ currentTarget }) => set({ knownExploited: currentTarget.checked })}
      />
      <Checkbox
        label="a fix appears"
        checked={draft.fixAvailable}
        onChange={({ currentTarget }) => set({ fixAvailable: currentTarget.checked })}
      />
      <div className={css['row']}>
        <NumberInput
          label="its EPSS score is above, in %"
          placeholder="any score"
          min={0}
          max={100}
          decimalScale={3}
          value={draft.epssAbove}
          error={findFault('epssAbove')}
          onChange={(epssAbove) => set({ epssAbove })}
        />
        <NumberInput
          label="more devices run it than"
          placeholder="any number"
          min={0}
          max={2_000_000_000}
          allowDecimal={false}
          thousandSeparator=","
          value={draft.devicesAbove}
          error={findFault('devicesAbove')}
          onChange={(devicesAbove) => set({ devicesAbove })}
        />
      </div>
    </div>
  )
}
