/** One field of a draft: its text to copy or to write over, its length, and where it comes from. */
import { Textarea } from '@mantine/core'
import type { CaseDraft, DraftField } from '@plimsoll/api-client'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { Tag } from '../../components/tag.tsx'
import { formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './cases.module.css'
import { CopyText } from '../../components/copy-text.tsx'
import { countCharacters } from './count-characters.ts'

const RULES: Record<DraftField['rule'], string> = {
  Required: 'required',
  IfAvailable: 'if available',
  Optional: 'optional',
  CarriedOn: 'carried on',
  Absent: 'not asked',
}

interface FieldProps {
  field: DraftField
  draft: CaseDraft
}

export function DraftFieldRow({ field, draft }: FieldProps) {
  const { key, number, label, rule, wantedBy, isMissing, source } = field
  return (
    <li id={`field-${key}`}>
      <div className={css['fieldHead']}>
        <strong>
          {number} {label}
        </strong>
        <span className={css['note']}>{RULES[rule]}</span>
        {wantedBy === 'Law' && <Tag tone="accent">law</Tag>}
        {isMissing && <Tag tone="danger">missing</Tag>}
      </div>
      {/* What somebody else wrote meanwhile is shown; what is typed here stays until it is saved. */}
      <Written key={field.written?.factId ?? 'proposed'} field={field} draft={draft} />
      <p className={css['note']}>{source}</p>
    </li>
  )
}

function Written({ field, draft }: FieldProps) {
  const { label, text, most, written, proposedText } = field
  const [typed, setTyped] = useState<string>()
  const mayWrite = useMay('Cases: write')
  const shown = typed ?? text
  const isChanged = typed !== undefined && typed !== text
  const length = countCharacters(shown)
  const { write, act } = useWriting({ field, draft }, () => setTyped(undefined))
  return (
    <form
      aria-label={label}
      // The platform takes English, word for word.
      translate="no"
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) write(shown)
      }}
    >
      <Textarea
        aria-label={label}
        autosize
        minRows={1}
        maxRows={14}
        readOnly={!mayWrite}
        value={shown}
        error={act.findFault('text')}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <FormFault error={act.error} />
      <div className={css['fieldActs']}>
        {/* Nothing to copy would empty the clipboard. */}
        {shown !== '' && <CopyText text={shown} label={label} />}
        <span className={most !== null && length > most ? css['late'] : css['note']}>
          {formatCount(length)}
          {most === null ? ' characters' : ` of ${formatCount(most)} characters`}
        </span>
        {isChanged && (
          <Button size="small" type="submit" aria-label={`Save ${label}`} isBusy={act.isPending}>
            Save
          </Button>
        )}
        {written && proposedText !== null && mayWrite && (
          <Button
            size="small"
            aria-label={`Take what is proposed for ${label}`}
            title={proposedText}
            onClick={() => write(null)}
          >
            Take what is proposed
          </Button>
        )}
      </div>
    </form>
  )
}

/** Refused where somebody else wrote meanwhile: what was typed stays. */
function useWriting({ field, draft }: FieldProps, onDone: () => void) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('cases')
  const act = useFormAct(onDone)
  const params = { workspaceId, caseId: draft.caseId, stage: draft.stage }
  const write = (text: string | null) =>
    act.send((form) =>
      perform({
        text: `${field.label}: ${text === null ? 'as proposed again' : 'written'}`,
        form,
        send: async () => {
          await api.post('/workspaces/{workspaceId}/cases/{caseId}/drafts/{stage}/fields', {
            params,
            body: {
              key: field.key,
              text,
              fieldSet: draft.fieldSet,
              insteadOf: field.written?.factId ?? null,
            },
          })
          return undefined
        },
      }),
    )
  return { write, act }
}
