/** Who looks after a vulnerability, what colleagues said about it, oldest first, and the form for more. */
import type { Comment } from '@plimsoll/api-client'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useMay, useWorkspace, useWorkspaceId } from '../../session.ts'
import { Button } from '../button.tsx'
import { ConfirmedButton } from '../confirm.tsx'
import { OlderButton } from '../list-panel.tsx'
import { usePerform, writeValue } from '../perform.ts'
import { Failure, Loading } from '../states.tsx'
import { Time } from '../time.tsx'
import { AssigneeChoice } from './assignee.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentText } from './comment-text.tsx'
import css from './discussion.module.css'
import { commentsQuery } from './queries.ts'

const ONE = '/workspaces/{workspaceId}/vulnerability-comments/{commentId}'

export default function Comments({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Vulnerabilities: write')
  const list = useInfiniteQuery(commentsQuery(workspaceId, cveId))
  const perform = usePerform('findings')
  const comments = list.data?.pages.flatMap((page) => page.comments).toReversed()
  const say = (text: string) =>
    perform({
      text: `Said to colleagues about ${cveId}`,
      send: async () => {
        const { id } = await api.post(
          '/workspaces/{workspaceId}/vulnerabilities/{cveId}/comments',
          {
            params: { workspaceId, cveId },
            body: { text },
          },
        )
        return async () => {
          await api.delete(ONE, { params: { workspaceId, commentId: id } })
          return undefined
        }
      },
    })
  return (
    <>
      <AssigneeChoice cveId={cveId} />
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {!comments && !list.error && <Loading rows={2} />}
      <OlderButton list={list} size="small" />
      {comments?.length === 0 && (
        <p className={css['muted']}>Nobody has said anything about it yet.</p>
      )}
      <ol className={css['comments']}>
        {comments?.map((comment) => (
          <OneComment key={comment.id} comment={comment} mayWrite={mayWrite} />
        ))}
      </ol>
      {mayWrite && <CommentForm about={cveId} verb="Say" onSend={say} />}
    </>
  )
}

function OneComment({ comment, mayWrite }: { comment: Comment; mayWrite: boolean }) {
  const workspaceId = useWorkspaceId()
  const [isEditing, setEditing] = useState(false)
  const perform = usePerform('findings')
  const { id, text, createdAt, editedAt, isYours } = comment
  const params = { workspaceId, commentId: id }
  const change = async (after: string) => {
    setEditing(false)
    return perform({
      text: 'Comment changed',
      send: () =>
        writeValue({
          before: text,
          after: after.trim(),
          read: async () => (await readComment(workspaceId, comment))?.text ?? '',
          write: (value) => api.put(ONE, { params, body: { text: value } }),
        }),
    })
  }
  return (
    <li>
      <header>
        <strong>{describeAuthor(comment)}</strong>{' '}
        <span className={css['muted']}>
          <Time at={createdAt} />
          {editedAt !== null && ', changed'}
        </span>
        {mayWrite && !isEditing && (
          <span className={css['own']} data-paper="none">
            {isYours && (
              <Button size="small" kind="quiet" onClick={() => setEditing(true)}>
                Change
              </Button>
            )}
            <DeleteComment comment={comment} />
          </span>
        )}
      </header>
      {isEditing ? (
        <CommentForm
          about={id}
          text={text}
          verb="Change"
          onSend={change}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <CommentText comment={comment} />
      )}
    </li>
  )
}

/** As it is now; undefined: it is gone. */
async function readComment(workspaceId: string, { id, cveId }: Comment) {
  const { comments } = await api.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}/comments', {
    params: { workspaceId, cveId },
    query: { limit: 1000 },
  })
  return comments.find((one) => one.id === id)
}

function describeAuthor({ authorName, authorEmail, authorType, isYours }: Comment): string {
  const who = authorName ?? authorEmail ?? 'Somebody'
  if (authorType === 'ApiKey') return `A key of ${who}`
  return isYours ? `${who} (you)` : who
}

/** Its author, an owner or an admin may delete it. */
function DeleteComment({ comment }: { comment: Comment }) {
  const workspaceId = useWorkspaceId()
  const role = useWorkspace()?.role
  const queryClient = useQueryClient()
  const act = useMutation({
    mutationFn: () => api.delete(ONE, { params: { workspaceId, commentId: comment.id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] }),
  })
  if (!comment.isYours && role !== 'Owner' && role !== 'Admin') return null
  return (
    <ConfirmedButton
      size="small"
      title="Delete the comment?"
      what="Colleagues see it no more. The audit log keeps its text."
      verb="Delete comment"
      act={act}
    >
      Delete
    </ConfirmedButton>
  )
}
