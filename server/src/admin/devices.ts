/** The operator's commands on devices and their keys. */
import type { Command } from 'commander'
import { issueDeviceKey, listAllDeviceKeys, revokeDeviceKey } from '../features/devices/index.ts'
import type { AppContext } from '../platform/context.ts'
import { requireWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

interface OfWorkspace {
  workspace: string
  json?: boolean
}

export function addDeviceCommands(program: Command, means: CommandMeans): void {
  const { withContext, print, actor } = means
  const key = program.command('device-key').description('Keys with which devices connect')

  key
    .command('create')
    .description('Create a device key; shows it only once')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .option('--device <id>', 'the device that may use it (default: all devices)')
    .option('--name <name>', 'what the key is for')
    .option('--json', 'answer as JSON')
    .action(async (options: OfWorkspace & { device?: string; name?: string }) => {
      const { workspace, device: deviceId, name, json } = options
      const create = async (ctx: AppContext) =>
        issueDeviceKey(ctx, {
          workspaceId: await requireWorkspace(ctx, workspace),
          ...(deviceId !== undefined && { deviceId }),
          ...(name !== undefined && { name }),
          actor,
        })
      print(json, await withContext(create))
    })

  key
    .command('list')
    .description('All device keys of a workspace, without the keys themselves')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .option('--json', 'answer as JSON')
    .action(async ({ workspace, json }: OfWorkspace) => {
      const keys = await withContext(async (ctx) =>
        listAllDeviceKeys(ctx, { workspaceId: await requireWorkspace(ctx, workspace) }),
      )
      if (json === true) return print(json, { deviceKeys: keys })
      for (const { id, deviceId, name, revokedAt } of keys)
        process.stdout.write(
          `${id}  ${deviceId ?? '(fleet)'}  ${name}${revokedAt ? '  revoked' : ''}\n`,
        )
    })

  key
    .command('revoke')
    .description('Revoke a device key; disconnects the devices that use it')
    .argument('<id>', 'id of the key')
    .requiredOption('--workspace <id>', 'id of the workspace')
    .option('--json', 'answer as JSON')
    .action(async (id: string, { workspace, json }: OfWorkspace) => {
      const revoke = async (ctx: AppContext) =>
        revokeDeviceKey(ctx, { workspaceId: await requireWorkspace(ctx, workspace), id, actor })
      print(json, await withContext(revoke))
    })
}
