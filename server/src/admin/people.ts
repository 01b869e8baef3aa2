/** The operator's commands on people. */
import type { Command } from 'commander'
import { isRole, ROLES } from '../formats/roles.ts'
import { invite } from '../features/invitations/index.ts'
import {
  endSessionsAsOperator,
  listPeople,
  resetAsOperator,
  removeIdentitiesAsOperator,
} from '../features/people/index.ts'
import { invalid } from '../platform/errors.ts'
import { requireWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

interface Json {
  json?: boolean
}

export function addPeopleCommands(program: Command, means: CommandMeans): void {
  const { withContext, print, actor } = means
  const person = program.command('person').description('People who sign in')

  person
    .command('list')
    .description('People, with their workspaces and roles')
    .option('--workspace <id>', 'only the members of this workspace')
    .option('--json', 'answer as JSON')
    .action(async ({ workspace, json }: Json & { workspace?: string }) => {
      const people = await withContext(async (ctx) =>
        listPeople(ctx, workspace && (await requireWorkspace(ctx, workspace))),
      )
      if (json === true) return print(json, { people })
      for (const { email, workspaceName, role } of people)
        process.stdout.write(`${email}  ${role ?? 'no workspace'}  ${workspaceName ?? ''}\n`)
    })

  person
    .command('invite')
    .description('Make a link with which somebody becomes a member')
    .argument('<email>')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .requiredOption('--role <role>', ROLES.join(', '))
    .option('--json', 'answer as JSON')
    .action(async (email: string, options: Json & { workspace: string; role: string }) => {
      const { workspace, role, json } = options
      if (!isRole(role)) throw invalid(`--role must be one of ${ROLES.join(', ')}.`)
      const invitation = await withContext(async (ctx) => {
        const workspaceId = await requireWorkspace(ctx, workspace)
        return invite(ctx, { workspaceId, email, role, by: undefined, actor })
      })
      const { id, link, expiresAt } = invitation
      print(json, { id, email: invitation.email, role, link, expiresAt: expiresAt.toISOString() })
    })
  addAccessCommands(person, means)
}

/** What lets a person in, and no longer. */
function addAccessCommands(person: Command, { withContext, print, actor }: CommandMeans): void {
  person
    .command('reset')
    .description('Make a link with which somebody chooses a new password, within 30 minutes')
    .argument('<email>')
    .option('--second-factor', 'also remove authenticator app, recovery codes and passkeys')
    .option('--json', 'answer as JSON')
    .action(async (email: string, { secondFactor, json }: Json & { secondFactor?: boolean }) => {
      const reset = { email, removesSecondFactors: secondFactor === true, actor }
      print(json, await withContext((ctx) => resetAsOperator(ctx, reset)))
    })

  person
    .command('unlink')
    .description(
      'Unlink accounts at OpenID providers, and end sessions; the next sign-in links anew',
    )
    .argument('<email>')
    .option('--json', 'answer as JSON')
    .action(async (email: string, { json }: Json) => {
      print(json, await withContext((ctx) => removeIdentitiesAsOperator(ctx, { email, actor })))
    })

  person
    .command('sessions')
    .description('Sessions of people')
    .command('end')
    .description('End all sessions of a person')
    .argument('<email>')
    .option('--json', 'answer as JSON')
    .action(async (email: string, { json }: Json) => {
      print(json, await withContext((ctx) => endSessionsAsOperator(ctx, { email, actor })))
    })
}
