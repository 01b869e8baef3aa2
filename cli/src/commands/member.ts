import type { Command } from 'commander'
import type { WorkspaceMember } from '../../../api-client/src/index.ts'
import { confirm, type Confirmed, confirming } from '../confirm.ts'
import { printDone } from '../done.ts'
import { shownTime } from '../instant.ts'
import { listing, type ListOptions, printListing } from '../listing.ts'
import { oneNamed } from '../named.ts'
import { type ConnectionOptions, connecting, openSession } from '../session.ts'
import type { Column } from '../table.ts'

const MEMBERS = '/workspaces/{workspaceId}/members'

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('People of the workspace')

  listing(member.command('list')).description('List the members and their roles').action(list)
  confirming(connecting(member.command('delete')))
    .description('Take somebody out of the workspace; the sessions of the member end')
    .argument('<member>', 'e-mail address or id')
    .action(remove)
}

const COLUMNS: readonly Column<WorkspaceMember>[] = [
  { title: 'E-MAIL', value: ({ email }) => email },
  { title: 'NAME', value: ({ displayName }) => displayName },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'SINCE (UTC)', value: ({ joinedAt }) => shownTime(joinedAt) },
  { title: 'ID', value: ({ subjectId }) => subjectId, isSpare: true },
]

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const rows = await client.get(MEMBERS, { params: { workspaceId } })
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ email }) => email,
    noun: 'member',
    answer: (members) => members,
  })
}

async function remove(member: string, options: ConnectionOptions & Confirmed): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { id: subjectId, name } = await oneNamed(member, 'member', async () => {
    const members = await client.get(MEMBERS, { params: { workspaceId } })
    return members.map((one) => ({ id: one.subjectId, name: one.email }))
  })
  await confirm(`Take ${name} out of the workspace?`, options)
  await client.delete(`${MEMBERS}/{subjectId}`, { params: { workspaceId, subjectId } })
  printDone(options, { answer: { subjectId }, text: `${name}: no member any more` })
}
