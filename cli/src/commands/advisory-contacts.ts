/** Contacts that asked for no more mails of advisories, and asked for them again. */
import type { Command } from 'commander'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'

const RESUBSCRIBE = '/workspaces/{workspaceId}/advisory-contacts/resubscribe'

export function addContactCommands(advisory: Command): void {
  withConfirmation(withConnection(advisory.command('resubscribe')))
    .description('Mail advisories again to an address that asked for no more')
    .argument('<address>', 'an e-mail address')
    .requiredOption('--reason <text>', 'how whoever has the address asked for it')
    .action(resubscribe)
}

async function resubscribe(
  address: string,
  { reason, ...options }: ConnectionOptions & ConfirmOptions & { reason: string },
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  await confirm(
    sanitise(`Mail advisories to ${address} again? Do so only if whoever has it asked for it.`),
    options,
  )
  const answer = await client.post(RESUBSCRIBE, {
    params: { workspaceId },
    body: { address, reason },
  })
  const text = sanitise(`${answer.address}: mailed advisories again from now on`)
  printDone(options, { answer, text })
}
