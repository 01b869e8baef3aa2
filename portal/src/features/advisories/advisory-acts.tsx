/** Publishing, withdrawing, deleting: each asks first, and says what everybody will be able to read. */
import type { SecurityAdvisory, WithEntityTag } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { api } from '../../api.ts'
import { isWaiting } from '../../components/advisories/words.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './advisories.module.css'
import { PublishForm, WithdrawForm } from './publish-form.tsx'

interface AdvisoryActsProps {
  one: WithEntityTag<SecurityAdvisory>
  /** The form holds what nobody has saved. */
  isTouched: boolean
}

type Asked = 'publish' | 'withdraw'

export function AdvisoryActs({ one, isTouched }: AdvisoryActsProps) {
  const id = useId()
  const [asked, setAsked] = useState<Asked>()
  const mayDecide = useMay('Cases: decide')
  const mayWrite = useMay('Cases: write')
  const blocked = mayDecide
    ? findBlock(one, isTouched)
    : 'Admins and owners publish: what leaves the house cannot be called back.'
  const isPublished = one.revisions.length > 0
  return (
    <>
      <div className={css['acts']}>
        <Button
          kind="primary"
          aria-haspopup="dialog"
          disabled={blocked !== undefined}
          {...(blocked !== undefined && { 'aria-describedby': id, title: blocked })}
          onClick={() => setAsked('publish')}
        >
          {isPublished ? 'Publish a revision…' : 'Publish…'}
        </Button>
        {isPublished && mayDecide && one.state !== 'Withdrawn' && (
          <Button kind="danger" aria-haspopup="dialog" onClick={() => setAsked('withdraw')}>
            Withdraw…
          </Button>
        )}
        {!isPublished && mayWrite && <DeleteDraft one={one} />}
      </div>
      {blocked !== undefined && (
        <p id={id} className={css['note']}>
          {blocked}
        </p>
      )}
      {asked && <Asking one={one} asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}

/** Why it cannot be published now. */
function findBlock(one: SecurityAdvisory, isTouched: boolean): string | undefined {
  if (isTouched) return 'Save your changes first: what is published is what was saved.'
  if (one.state === 'Published') return 'It is published as it is here.'
  if (one.missing.length > 0) return 'Something is missing, which this page lists.'
  if (isWaiting(one))
    return 'Somebody wrote that publishing waits. Clear both fields if it holds no more.'
  return undefined
}

interface AskingProps {
  one: WithEntityTag<SecurityAdvisory>
  asked: Asked
  onClose: () => void
}

function Asking({ one, asked, onClose }: AskingProps) {
  useReturnedFocus()
  const name = one.trackingId ?? one.title
  return (
    <Dialog
      opened
      onClose={onClose}
      size="lg"
      title={asked === 'publish' ? `Publish ${name}?` : `Withdraw ${name}?`}
    >
      {asked === 'publish' ? (
        <PublishForm one={one} onDone={onClose} />
      ) : (
        <WithdrawForm one={one} onDone={onClose} />
      )}
    </Dialog>
  )
}

function DeleteDraft({ one }: { one: SecurityAdvisory }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const act = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/security-advisories/{advisoryId}', {
        params: { workspaceId, advisoryId: one.id },
      }),
    onSuccess: async () => {
      await navigate({ to: '/w/$workspaceId/advisories', params: { workspaceId } })
      await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
    },
  })
  return (
    <ConfirmedButton
      title={`Delete ${one.title}?`}
      what={<p>Its texts are deleted; the audit log keeps them. Nobody outside has seen it.</p>}
      verb="Delete draft"
      act={act}
    >
      Delete draft…
    </ConfirmedButton>
  )
}
