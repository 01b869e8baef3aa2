/** The operator's commands on addresses of notification targets. */
import type { Command } from 'commander'
import { confirmAsOperator } from '../features/notification-targets/index.ts'
import type { AppContext } from '../platform/context.ts'
import { requireWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

export function addNotificationAddressCommands(program: Command, means: CommandMeans): void {
  const { withContext, print, actor } = means
  const addresses = program
    .command('notification-address')
    .description('E-mail addresses that are notified of alerts')

  addresses
    .command('confirm')
    .description(
      'Confirm an address of a notification target, as its reader would by the link in the mail',
    )
    .requiredOption('--workspace <id>', 'id of the workspace')
    .requiredOption('--address <address>', 'the e-mail address')
    .option('--json', 'answer as JSON')
    .action(async (options: { workspace: string; address: string; json?: boolean }) => {
      const { workspace, address: emailAddress, json } = options
      const confirm = async (ctx: AppContext) =>
        confirmAsOperator(ctx, {
          workspaceId: await requireWorkspace(ctx, workspace),
          emailAddress,
          actor,
        })
      print(json, await withContext(confirm))
    })
}
