/** A command that says before what it will do, with true counts. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useWorkspaceId } from '../session.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import type { FormAct } from './form-act.ts'
import { Form, FormActs, FormFault } from './form.tsx'
import css from './form.module.css'
import { useReturnedFocus } from './return-focus.ts'
import { describeFailure } from './states.tsx'

interface CommandDialogProps {
  title: string
  onClose: () => void
  children: ReactNode
}

/** It is there only while it is open. */
export function CommandDialog({ title, onClose, children }: CommandDialogProps) {
  useReturnedFocus()
  return (
    <Dialog opened onClose={onClose} title={title}>
      {children}
    </Dialog>
  )
}

/** Asks for the preview of a command. `ask` undefined: it is not whole yet. */
export function usePreview<Answer>(
  key: readonly unknown[],
  ask: ((dryRun: boolean) => Promise<Answer>) | undefined,
) {
  const workspaceId = useWorkspaceId()
  const preview = useQuery({
    queryKey: ['preview', workspaceId, ...key],
    queryFn: () => ask?.(true) ?? Promise.reject(new Error('nothing to ask')),
    enabled: ask !== undefined,
    staleTime: 0,
    retry: false,
  })
  return { preview, data: ask && preview.data }
}

interface CommandProps {
  preview: { isFetching: boolean; error: unknown }
  act: Pick<FormAct, 'isPending' | 'error'>
  onSubmit: () => void
  /** What will happen; undefined: not known yet. */
  outcome: ReactNode
  button: string
  kind?: 'primary' | 'danger'
  isReady: boolean
  children?: ReactNode
}

export function Command(props: CommandProps) {
  const { preview, act, onSubmit, outcome, button, kind = 'primary', isReady, children } = props
  return (
    <Form onSubmit={() => isReady && !act.isPending && onSubmit()}>
      {children}
      <div role="status" className={css['outcome']}>
        {preview.isFetching ? 'Counting…' : outcome}
        {preview.error !== null && !preview.isFetching && describeFailure(preview.error)}
      </div>
      <FormFault error={act.error} said="Not done." />
      <FormActs>
        <Button type="submit" kind={kind} disabled={!isReady} isBusy={act.isPending}>
          {button}
        </Button>
      </FormActs>
    </Form>
  )
}
