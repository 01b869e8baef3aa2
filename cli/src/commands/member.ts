import type { Command } from 'commander'
import type { WorkspaceMember } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { findOneByName } from '../named.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'

const MEMBERS = '/workspaces/{workspaceId}/members'

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('People of the workspace')

  withListOptions(member.command('list'))
    .description('List the members and their roles')
    .action(listMembers)
  withConfirmation(withConnection(member.command('delete')))
    .description('Take somebody out of the workspace; the sessions of the member end')
    .argument('<member>', 'e-mail address or id')
    .option(
      '--acceptances-to <member>',
      'who takes the accepted risks that they look after (default: nobody; see acceptance list --owner nobody)',
    )
    .action(remove)
}

const COLUMNS: readonly Column<WorkspaceMember>[] = [
  { title: 'E-MAIL', value: ({ email }) => email },
  { title: 'NAME', value: ({ displayName }) => displayName },
  { title: 'ROLE', value: ({ role }) => role },
  { title: 'SINCE (UTC)', value: ({ joinedAt }) => formatTime(joinedAt) },
  { title: 'ID', value: ({ subjectId }) => subjectId, isSpare: true },
]

async function listMembers(options: ListOptions): Promise<void> {
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

interface RemoveOptions extends ConnectionOptions, ConfirmOptions {
  acceptancesTo?: string
}

async function remove(member: string, { acceptancesTo, ...options }: RemoveOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const { id: subjectId, name } = await findMember(session, member)
  const heir = acceptancesTo === undefined ? undefined : await findMember(session, acceptancesTo)
  const left = heir ? ` ${heir.name} takes the accepted risks that they look after.` : ''
  await confirm(`Take ${name} out of the workspace?${left}`, options)
  await client.delete(`${MEMBERS}/{subjectId}`, {
    params: { workspaceId, subjectId },
    query: heir ? { acceptancesTo: heir.id } : {},
  })
  printDone(options, { answer: { subjectId }, text: `${name}: no member any more` })
}

/** The member with this address, as `name`, or id. */
export function findMember({ client, workspaceId }: Session, text: string) {
  return findOneByName(text, 'member', async () => {
    const members = await client.get(MEMBERS, { params: { workspaceId } })
    return members.map(({ subjectId, email }) => ({ id: subjectId, name: email }))
  })
}
