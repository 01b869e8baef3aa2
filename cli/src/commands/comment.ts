import type { Command } from 'commander'
import { type Comment, readAllPages } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import {
  choosePageSize,
  type ListOptions as Listed,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const COMMENTS = '/workspaces/{workspaceId}/vulnerability-comments'
const OF_ONE = '/workspaces/{workspaceId}/vulnerabilities/{cveId}/comments'

export function addCommentCommands(program: Command): void {
  const comment = program
    .command('comment')
    .description('What colleagues say to each other about vulnerabilities')

  withListOptions(comment.command('list'))
    .description('List comments, newest first')
    .option('--cve <id>', 'about this vulnerability, by its id or an alias (default: about all)')
    .action(listComments)
  withConnection(comment.command('add'))
    .description('Say something about a vulnerability; @ before a member’s address tells them')
    .argument('<cve>', 'its id or an alias')
    .argument('<text>', 'what to say')
    .action(addComment)
  withConnection(comment.command('edit'))
    .description('Change a comment of yours')
    .argument('<comment>', 'its id')
    .argument('<text>', 'what it says from now on')
    .action(editComment)
  withConfirmation(withConnection(comment.command('delete')))
    .description('Delete a comment; the audit log keeps its text')
    .argument('<comment>', 'its id')
    .action(deleteComment)
}

const COLUMNS: readonly Column<Comment>[] = [
  { title: 'TIME (UTC)', value: ({ createdAt }) => formatTime(createdAt) },
  { title: 'BY', value: describeAuthor },
  { title: 'CVE', value: ({ cveId }) => cveId, isWhole: true },
  { title: 'TEXT', value: ({ text }) => text },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function describeAuthor({ authorName, authorEmail, authorType }: Comment): string {
  const who = authorName ?? authorEmail ?? 'somebody'
  return authorType === 'ApiKey' ? `a key of ${who}` : who
}

async function listComments(options: Listed & { cve?: string }): Promise<void> {
  const limit = readLimit(options)
  const session = await openSession(options)
  const pages = readComments(session, options.cve, choosePageSize(limit))
  const { rows, hasMore } = await readUpTo(limit, pages, ({ comments }) => comments)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'comment',
    total: { hasMore },
    answer: (comments) => ({ comments, hasMore }),
  })
}

function readComments({ client, workspaceId }: Session, cveId: string | undefined, limit: number) {
  return readAllPages((cursor) => {
    const query = { limit, ...cursor }
    return cveId === undefined
      ? client.get(COMMENTS, { params: { workspaceId }, query })
      : client.get(OF_ONE, { params: { workspaceId, cveId }, query })
  })
}

async function addComment(cveId: string, text: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(OF_ONE, { params: { workspaceId, cveId }, body: { text } })
  const told = answer.mentions.map(({ displayName }) => displayName)
  const names = told.length > 0 ? ` It names ${told.join(', ')}.` : ''
  printDone(options, { answer, id: answer.id, text: `Said about ${answer.cveId}.${names}` })
}

async function editComment(
  commentId: string,
  text: string,
  options: ConnectionOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, commentId }
  const answer = await client.put(`${COMMENTS}/{commentId}`, { params, body: { text } })
  printDone(options, { answer, id: answer.id, text: `Changed: ${answer.text}` })
}

async function deleteComment(
  commentId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  await confirm(`Delete the comment ${commentId}?`, options)
  await client.delete(`${COMMENTS}/{commentId}`, { params: { workspaceId, commentId } })
  printDone(options, { answer: { commentId }, text: 'The comment is deleted.' })
}
