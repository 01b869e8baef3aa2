import type { Command } from 'commander'
import type {
  OverridePreview,
  PackageOverride,
  PackageOverrideCommand,
} from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { withListOptions, type ListOptions, printListing } from '../listing.ts'
import { collect } from '../option-values.ts'
import { printPreview } from '../override-preview.ts'
import {
  noteOtherVersions,
  OVERRIDES,
  formatSelector,
  formatStatement,
  formatVersions,
} from '../overrides.ts'
import { note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import type { Column } from '../table.ts'

interface StatedOptions extends ConnectionOptions {
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
  dryRun?: boolean
}

export function addOverrideCommands(program: Command): void {
  const override = program
    .command('override')
    .description('Package overrides: state what components are, in all SBOMs of the workspace')

  withListOptions(override.command('list')).description('List the overrides').action(listOverrides)
  stating(withConnection(override.command('create')))
    .description('Create an override, for components that meet all of the first four options')
    .action(create)
  stating(withConnection(override.command('update')))
    .description('Replace an override by what the options state')
    .argument('<override>', 'its id')
    .action(update)
  withConfirmation(withConnection(override.command('delete')))
    .description('Delete an override; its components are what they declare again')
    .argument('<override>', 'its id')
    .option('--dry-run', DRY_RUN)
    .action(remove)
}

const DRY_RUN = 'show what would change'

function stating(command: Command): Command {
  return command
    .option('--name <name>', 'components of this name')
    .option('--purl <purl>', 'components with this purl; without version')
    .option('--cpe <vendor:product>', 'components with a CPE of this vendor and product')
    .option('--declared-version <version>', 'components that declare this version')
    .option('--add-purl <purl>', 'what they are; may be repeated', collect)
    .option('--add-cpe <cpe>', 'what they are; may be repeated', collect)
    .option('--set-version <version>', 'their version, whatever they declare')
    .option('--any-version', 'also for other declared versions than those it meets now')
    .option('--ignore', 'do not match them; needs --reason')
    .option('--reason <text>', 'why; lists show it')
    .option('--dry-run', DRY_RUN)
}

const COLUMNS: readonly Column<PackageOverride>[] = [
  { title: 'COMPONENTS OF', value: formatSelector },
  { title: 'ARE', value: formatStatement },
  { title: 'COMPONENTS', value: ({ componentCount }) => componentCount },
  {
    title: 'MADE FOR',
    value: ({ madeFor }) => (madeFor === null ? 'any version' : formatVersions(madeFor)),
  },
  { title: 'CREATED BY', value: ({ createdByEmail }) => createdByEmail },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

async function listOverrides(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { overrides } = await client.get(OVERRIDES, { params: { workspaceId } })
  printListing(options, {
    rows: overrides,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'override',
    answer: (rows) => ({ overrides: rows }),
  })
  if (!options.json) noteOtherVersions(overrides)
}

async function create(options: StatedOptions): Promise<void> {
  const body = readBody(options)
  const { client, workspaceId } = await openSession(options)
  const request = { params: { workspaceId }, body }
  if (options.dryRun) {
    showPreview(await client.post(`${OVERRIDES}/preview`, request), options)
    return
  }
  showChanged(await client.post(OVERRIDES, request), 'created', options)
}

async function update(overrideId: string, options: StatedOptions): Promise<void> {
  const body = readBody(options)
  const { client, workspaceId } = await openSession(options)
  const request = { params: { workspaceId, overrideId }, body }
  if (options.dryRun) {
    showPreview(await client.post(`${OVERRIDE}/preview`, request), options)
    return
  }
  const found = await client.get(OVERRIDE, { params: request.params })
  showChanged(await client.put(OVERRIDE, { ...request, ifStill: found }), 'replaced', options)
}

const OVERRIDE = `${OVERRIDES}/{overrideId}` as const

function showPreview(preview: OverridePreview, { json }: ConnectionOptions): void {
  if (json) printJson(preview)
  else printPreview(preview)
}

function showChanged(override: PackageOverride, what: string, { json }: ConnectionOptions): void {
  if (json) printJson(override)
  else {
    printLine(sanitise(`${override.id}: ${what}, for components of ${formatSelector(override)}`))
    note('They are identified and matched again in the background.')
  }
}

function readBody(options: StatedOptions): PackageOverrideCommand {
  const { addPurl, addCpe, setVersion, anyVersion, ignore, reason } = options
  return {
    selector: readSelector(options),
    ...(addPurl && { purls: addPurl }),
    ...(addCpe && { cpes: addCpe }),
    ...(setVersion !== undefined && { version: setVersion }),
    ...(anyVersion && { anyVersion }),
    ...(ignore && { ignored: ignore }),
    ...(reason !== undefined && { reason }),
  }
}

function readSelector({
  name,
  purl,
  cpe,
  declaredVersion,
}: StatedOptions): PackageOverrideCommand['selector'] {
  if (name === undefined && purl === undefined && cpe === undefined)
    throw usageError('Say which components it is for: --name, --purl or --cpe.')
  return {
    ...(name !== undefined && { name }),
    ...(purl !== undefined && { purl }),
    ...(cpe !== undefined && { cpe }),
    ...(declaredVersion !== undefined && { version: declaredVersion }),
  }
}

async function remove(
  overrideId: string,
  options: ConnectionOptions & ConfirmOptions & { dryRun?: boolean },
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const request = { params: { workspaceId, overrideId } }
  if (options.dryRun) {
    showPreview(await client.post(`${OVERRIDE}/preview-deletion`, request), options)
    return
  }
  const found = await client.get(OVERRIDE, { params: request.params })
  await confirm(`Delete the override for components of ${formatSelector(found)}?`, options)
  await client.delete(OVERRIDE, request)
  printDone(options, { answer: { id: overrideId }, text: `${overrideId}: deleted` })
}
