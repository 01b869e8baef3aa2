/** The operator's commands on package overrides: what the CLI does with a key, for a workspace whose members cannot. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import {
  createOverride,
  deleteOverride,
  listOverrides,
  type OverrideInput,
  updateOverride,
} from '../features/sboms/index.ts'
import { invalid } from '../platform/errors.ts'
import { findWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

interface InWorkspace {
  workspace: string
  json?: boolean
}

interface OverrideOptions extends InWorkspace {
  name?: string
  purl?: string
  cpe?: string
  declaredVersion?: string
  addPurl?: string[]
  addCpe?: string[]
  setVersion?: string
  anyVersion?: boolean
  ignore?: boolean
  reason?: string
}

const repeated = (value: string, before: string[] = []) => [...before, value]

export function addOverrideCommands(program: Command, means: CommandMeans): void {
  const { withContext, print, actor } = means
  const override = program
    .command('override')
    .description('Package overrides of a workspace: what its components are')

  inWorkspace(override.command('list'))
    .description('Show them, with the components that they apply to')
    .action(async ({ workspace, json }: InWorkspace) => {
      const overrides = await withContext(async (ctx) =>
        listOverrides(ctx, { workspaceId: await findWorkspace(ctx, workspace) }),
      )
      if (json === true) return print(true, { overrides })
      const lines = overrides.map(formatLine)
      process.stdout.write(lines.length > 0 ? lines.join('') : 'no overrides\n')
    })

  stating(inWorkspace(override.command('create')))
    .description(
      'State what components are that meet all of --name, --purl, --cpe, --declared-version',
    )
    .action(async (options: OverrideOptions) => {
      const stated = statedBy(options)
      const created = await withContext(async (ctx) => {
        const workspaceId = await findWorkspace(ctx, options.workspace)
        return createOverride(ctx, { workspaceId, actor, ...stated })
      })
      printOverride(means, created, options)
    })

  stating(inWorkspace(override.command('update')))
    .description('Replace one by what the options state')
    .argument('<override>', 'its id')
    .action(async (overrideId: string, options: OverrideOptions) => {
      const stated = statedBy(options)
      const updated = await withContext(async (ctx) => {
        const workspaceId = await findWorkspace(ctx, options.workspace)
        return updateOverride(ctx, { workspaceId, overrideId, actor, ...stated })
      })
      printOverride(means, updated, options)
    })

  inWorkspace(override.command('delete'))
    .description('Delete one: its components are what they declare again')
    .argument('<override>', 'its id')
    .action(async (overrideId: string, { workspace, json }: InWorkspace) => {
      await withContext(async (ctx) => {
        const workspaceId = await findWorkspace(ctx, workspace)
        await deleteOverride(ctx, { workspaceId, actor, overrideId })
      })
      print(json, { id: overrideId, deleted: true })
    })
}

type Override = Awaited<ReturnType<typeof createOverride>>

function printOverride(
  { print }: CommandMeans,
  override: Override,
  { json }: OverrideOptions,
): void {
  const { id, madeFor, componentCount } = override
  print(json, json ? { override } : { id, componentCount, madeFor: madeFor ?? 'any version' })
}

function formatLine(override: Awaited<ReturnType<typeof listOverrides>>[number]): string {
  const { id, selector, purls, cpes, version, ignored, reason, componentCount } = override
  const which = Object.entries(selector).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${value}`],
  )
  const what = ignored
    ? ['not matched']
    : [...purls, ...cpes, ...(version === null ? [] : [`version ${version}`])]
  const why = reason === null ? '' : ` (${reason})`
  return `${id}: ${which.join(', ')}: ${what.join(', ')}${why}; ${formatCountOf(componentCount, 'component')}\n`
}

const inWorkspace = (command: Command) =>
  command
    .requiredOption('--workspace <workspace>', 'its name or id')
    .option('--json', 'answer as JSON')

const stating = (command: Command) =>
  command
    .option('--name <name>', 'components of this name')
    .option('--purl <purl>', 'components with this purl; without version')
    .option('--cpe <vendor:product>', 'components with a CPE of this vendor and product')
    .option('--declared-version <version>', 'components that declare this version')
    .option('--add-purl <purl>', 'what they are; may be repeated', repeated)
    .option('--add-cpe <cpe>', 'what they are; may be repeated', repeated)
    .option('--set-version <version>', 'their version, whatever they declare')
    .option('--any-version', 'also for other declared versions than those it meets now')
    .option('--ignore', 'do not match them; needs --reason')
    .option('--reason <text>', 'why; lists show it')

function statedBy(options: OverrideOptions): OverrideInput {
  const { name, purl, cpe, declaredVersion, addPurl, addCpe, setVersion, reason } = options
  if ((name ?? purl ?? cpe) === undefined)
    throw invalid(
      'Say which components: --name, --purl or --cpe, with --declared-version if you like.',
    )
  const selector = { name, purl, cpe, version: declaredVersion }
  return {
    selector: Object.fromEntries(
      Object.entries(selector).filter(([, value]) => value !== undefined),
    ),
    purls: addPurl ?? [],
    cpes: addCpe ?? [],
    version: setVersion ?? null,
    anyVersion: options.anyVersion ?? false,
    ignored: options.ignore ?? false,
    reason: reason ?? null,
  }
}
