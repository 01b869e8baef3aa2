import type { Command } from 'commander'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime } from '../instant.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'

export function addWhoAmICommand(program: Command): void {
  withConnection(program.command('whoami'))
    .description('Which service and workspace commands go to, as whom, and what they may do')
    .action(show)
}

async function show(options: ConnectionOptions): Promise<void> {
  const { baseUrl, whoAmI } = await openSession(options)
  const { version, workspaceId, workspaceName, key, scopes, warnings } = await whoAmI()
  if (options.json)
    printJson({ url: baseUrl, version, workspaceId, workspaceName, key, scopes, warnings })
  else if (options.quiet) printLine(sanitise(key.createdByEmail))
  else
    printFacts([
      ['URL', baseUrl],
      ['Workspace', `${workspaceName} (${workspaceId})`],
      asWhom(key),
      ['Key', `${key.name} (${key.id})`],
      ['Expires', key.expiresAt === null ? 'never' : `${formatTime(key.expiresAt) ?? ''} UTC`],
      ['Scopes', scopes.join(', ')],
    ])
  if (!options.json) for (const { detail } of warnings) note(sanitise(`Warning: ${detail}`))
}

function asWhom({ isLogin, createdByEmail }: { isLogin: boolean; createdByEmail: string }): Fact {
  return isLogin ? ['Person', createdByEmail] : ['Made by', createdByEmail]
}
