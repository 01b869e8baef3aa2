/** The operator's commands on stored SBOMs. */
import type { Command } from 'commander'
import { requestReparse } from '../features/sboms/index.ts'
import type { Actor } from '../platform/actor.ts'
import type { AppContext } from '../platform/context.ts'
import { notFound } from '../platform/errors.ts'
import { isUuid } from '../platform/ids.ts'

export interface CommandMeans {
  withContext: <Result>(use: (ctx: AppContext) => Promise<Result>) => Promise<Result>
  print: (json: boolean | undefined, answer: Record<string, unknown>) => void
  actor: Actor
}

interface Reparse {
  workspace?: string
  firmwareVersion?: string
  json?: boolean
}

export function addSbomCommands(
  program: Command,
  { withContext, print, actor }: CommandMeans,
): void {
  const sboms = program.command('sboms').description('Stored SBOMs')

  sboms
    .command('reparse')
    .description(
      'Have the service make the components of stored files anew; findings keep their ids and assessments',
    )
    .option('--workspace <id>', 'only the files of this workspace')
    .option('--firmware-version <id>', 'only the files of this firmware version')
    .option('--json', 'answer as JSON')
    .action(async ({ workspace, firmwareVersion, json }: Reparse) => {
      if (workspace !== undefined && !isUuid(workspace)) throw notFound('workspace', workspace)
      if (firmwareVersion !== undefined && !isUuid(firmwareVersion))
        throw notFound('firmware version', firmwareVersion)
      const selection = {
        ...(workspace !== undefined && { workspaceId: workspace }),
        ...(firmwareVersion !== undefined && { firmwareVersionId: firmwareVersion }),
      }
      const queued = await withContext((ctx) => requestReparse(ctx, { ...selection, actor }))
      print(json, { queued })
    })
}
