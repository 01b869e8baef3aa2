/** What one is about to say. It is kept while one looks elsewhere, until it is sent. */
import { type KeyboardEvent, useRef } from 'react'
import { Button } from '../button.tsx'
import { Choice } from '../choice.tsx'
import { readDraft, useDraft } from '../draft.ts'
import { useColleagues } from './assignee.tsx'
import css from './discussion.module.css'

interface CommentFormProps {
  /** Drafts are kept by it. */
  about: string
  /** What stands there at first. */
  text?: string
  verb: string
  /** Answers whether it was taken. */
  onSend: (text: string) => Promise<boolean>
  onCancel?: () => void
}

export function CommentForm({ about, text = '', verb, onSend, onCancel }: CommentFormProps) {
  const key = `comment.${about}`
  const [kept, keep] = useDraft(key)
  const draft = kept ?? text
  const setDraft = (next: string) => keep(next === text ? undefined : next)
  const field = useRef<HTMLTextAreaElement>(null)
  const others = useColleagues().filter(({ isMe }) => !isMe)
  const isEmpty = draft.trim() === ''
  const send = async () => {
    const said = draft
    keep(undefined)
    if (!(await onSend(said)) && readDraft(key) === undefined) keep(said)
  }
  const mention = (email: string) => {
    const at = field.current?.selectionStart ?? draft.length
    const before = draft.slice(0, at)
    const gap = before === '' || /\s$/.test(before) ? '' : ' '
    setDraft(`${before}${gap}@${email} ${draft.slice(at)}`)
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || isEmpty) return
    event.preventDefault()
    void send()
  }
  return (
    <form
      className={css['form']}
      data-paper="none"
      data-kept
      onSubmit={(event) => {
        event.preventDefault()
        if (!isEmpty) void send()
      }}
    >
      <textarea
        ref={field}
        aria-label={verb === 'Say' ? 'Say something to colleagues' : 'Change the comment'}
        placeholder="To colleagues only: no VEX document has it"
        rows={3}
        maxLength={10_000}
        value={draft}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={css['acts']}>
        {others.length > 0 && (
          <Choice
            label="Mention a colleague, who then gets a mail"
            none="Mention…"
            options={others.map(({ email, name }) => ({ value: email, text: name }))}
            value={null}
            onChange={(email) => email !== null && mention(email)}
          />
        )}
        <span className={css['grow']} />
        {onCancel && (
          <Button size="small" onClick={onCancel}>
            Go back
          </Button>
        )}
        <Button size="small" type="submit" disabled={isEmpty}>
          {verb} <kbd>Ctrl ↵</kbd>
        </Button>
      </div>
    </form>
  )
}
