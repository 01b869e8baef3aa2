/** The operator's commands on workspaces. */
import { type Command, InvalidArgumentError } from 'commander'
import {
  type Limits,
  listNearLimits,
  type Quota,
  QUOTAS,
  readUsage,
  setLimits,
} from '../features/quotas/index.ts'
import { invalid } from '../platform/errors.ts'
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
    .description(
      'Show what a workspace uses and may use, or change what it may use; without one, list who is near a limit',
    )
    .argument('[workspace]', 'its name or id')
    .option('--from <percent>', 'list workspaces that use this share of a limit', readPercent, 80)
    .option('--reset', 'give up its own limits first: the defaults hold again')
    .option('--json', 'answer as JSON')
  for (const quota of QUOTAS)
    limits.option(`${nameOption(quota)} <most>`, 'a number, or "none"', readLimit)
  limits.action(async (workspace: string | undefined, given: Options & { from: number }) => {
    const { from, ...options } = given
    if (workspace !== undefined) return showLimits(means, workspace, options)
    return showNearLimits(means, from, options)
  })
}

function readPercent(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('Give a whole number of percent.')
  return Number(text)
}

async function showNearLimits(
  { withContext, print }: CommandMeans,
  from: number,
  { json, ...changes }: Options,
): Promise<void> {
  if (Object.keys(changes).length > 0) throw invalid('Name the workspace whose limits change.')
  const near = await withContext((ctx) => listNearLimits(ctx, from / 100))
  if (json === true) return print(true, { near })
  if (near.length === 0) process.stdout.write(`No workspace uses ${from} % of a limit.\n`)
  for (const { workspaceName, quota, used, limit, share } of near)
    process.stdout.write(
      `${`${Math.floor(share * 100)} %`.padStart(6)}  ${quota}: ${used} of ${limit}  ${workspaceName}\n`,
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
