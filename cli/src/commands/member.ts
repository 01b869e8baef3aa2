import type { Command } from 'commander'
import type { MemberDuties, WorkspaceMember } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { usageError } from '../failure.ts'
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
    .option(
      '--hand-over-to <member>',
      'who takes all that they look after: accepted risks, assigned vulnerabilities, open incidents, owner rules and teams',
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
  handOverTo?: string
}

async function remove(member: string, options: RemoveOptions): Promise<void> {
  const { acceptancesTo, handOverTo, ...others } = options
  if (acceptancesTo !== undefined && handOverTo !== undefined)
    throw usageError('--hand-over-to includes accepted risks: leave out --acceptances-to.')
  const session = await openSession(others)
  const { client, workspaceId } = session
  const { id: subjectId, name } = await findMember(session, member)
  const named = handOverTo ?? acceptancesTo
  const heir = named === undefined ? undefined : await findMember(session, named)
  const params = { workspaceId, subjectId }
  const duties = listDuties(await client.get(`${MEMBERS}/{subjectId}/duties`, { params }))
  const what = handOverTo === undefined ? 'the accepted risks that they look after' : 'it'
  const left = [
    ...(duties.length > 0 ? [`They look after ${duties.join(', ')}.`] : []),
    ...(heir ? [`${heir.name} takes ${what}.`] : []),
  ]
  await confirm([`Take ${name} out of the workspace?`, ...left].join(' '), others)
  await client.delete(`${MEMBERS}/{subjectId}`, {
    params,
    query: heir && { [handOverTo === undefined ? 'acceptancesTo' : 'handOverTo']: heir.id },
  })
  printDone(others, { answer: { subjectId }, text: `${name}: no member any more` })
}

/** "3 accepted risks", "1 team of owners" */
function listDuties(duties: MemberDuties): string[] {
  const { acceptedRisks, vulnerabilities, incidents, ownerRules, teams } = duties
  const all = [
    [acceptedRisks, 'accepted risk', 'accepted risks'],
    [vulnerabilities, 'assigned vulnerability', 'assigned vulnerabilities'],
    [incidents, 'open incident', 'open incidents'],
    [ownerRules, 'owner rule', 'owner rules'],
    [teams, 'team of owners', 'teams of owners'],
  ] as const
  return all
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => `${count} ${count === 1 ? one : many}`)
}

/** The member with this address, as `name`, or id. */
export function findMember({ client, workspaceId }: Session, text: string) {
  return findOneByName(text, 'member', async () => {
    const members = await client.get(MEMBERS, { params: { workspaceId } })
    return members.map(({ subjectId, email }) => ({ id: subjectId, name: email }))
  })
}
