/** Drafts an advisory of what a page shows, and leads to it. Nothing is published by that. */
import type { BodyOf } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId } from 'react'
import { api } from '../../api.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { describeFailure } from '../states.tsx'
import css from './advisories.module.css'

interface DraftAdvisoryProps {
  source: BodyOf<'createSecurityAdvisory'>
  size?: 'small'
}

export function DraftAdvisory({ source, size }: DraftAdvisoryProps) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Cases: write')
  const faultId = useId()
  const { mutate, isPending, error } = useCreateAdvisory()
  if (!mayWrite) return null
  return (
    <span className={css['draft']}>
      <Button
        {...(size && { size })}
        isBusy={isPending}
        {...(error && { 'aria-describedby': faultId })}
        onClick={() => mutate({ workspaceId, source })}
      >
        Draft an advisory
      </Button>
      {error && (
        <span id={faultId} role="alert" className={css['fault']}>
          {describeFailure(error)}
        </span>
      )}
    </span>
  )
}

interface Draft {
  workspaceId: string
  source: BodyOf<'createSecurityAdvisory'>
}

export function useCreateAdvisory() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: ({ workspaceId, source }: Draft) =>
      api.post('/workspaces/{workspaceId}/security-advisories', {
        params: { workspaceId },
        body: source,
      }),
    onSuccess: async ({ id }, { workspaceId }) => {
      await queryClient.invalidateQueries({ queryKey: ['cases', workspaceId] })
      await navigate({
        to: '/w/$workspaceId/advisories/$advisoryId',
        params: { workspaceId, advisoryId: id },
      })
    },
  })
}
