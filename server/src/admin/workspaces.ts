/** The operator's commands on workspaces. */
import { type Command, InvalidArgumentError } from 'commander'
import { type Limits, type Quota, QUOTAS, readUsage, setLimits } from '../features/quotas/index.ts'
import { findWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'
import { addWholeWorkspaceCommands } from './whole-workspace.ts'

/** `storedBytes` is `--stored-bytes`. */
const nameOption = (quota: Quota) =>
  `--${quota.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

type Options = Partial<Record<Quota, number | null>> & { reset?: boolean; json?: boolean }

export function addWorkspaceCommands(program: Command, means: CommandMeans): void {
  const workspaces = program.command('workspace').description('Workspaces')
  addWholeWorkspaceCommands(workspaces, means)
  const limits = workspaces
    .command('limits')
    .description('Show what a workspace uses and may use, or change what it may use')
    .argument('<workspace>', 'its name or id')
    .option('--reset', 'give up its own limits first: the defaults hold again')
    .option('--json', 'answer as JSON')
  for (const quota of QUOTAS)
    limits.option(`${nameOption(quota)} <most>`, 'a number, or "none"', readLimit)
  limits.action(async (workspace: string, options: Options) =>
    showLimits(means, workspace, options),
  )
}

function readLimit(text: string): number | null {
  if (text === 'none') return null
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give a whole number, or "none".')
  return Number(text)
}

async function showLimits(
  { withContext, print, actor }: CommandMeans,
  workspace: string,
  { reset: isReset = false, json, ...limits }: Options,
): Promise<void> {
  const usage = await withContext(async (ctx) => {
    const workspaceId = await findWorkspace(ctx, workspace)
    if (isReset || Object.keys(limits).length > 0)
      await setLimits(ctx, { workspaceId, limits: limits satisfies Limits, isReset, actor })
    return { workspaceId, quotas: await readUsage(ctx, workspaceId) }
  })
  if (json === true) return print(true, usage)
  for (const { name, used, limit, isDefault } of usage.quotas)
    process.stdout.write(
      `${name}: ${used} of ${limit ?? 'any number'}${isDefault ? ' (default)' : ''}\n`,
    )
}
