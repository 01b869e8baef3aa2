/** The operator's commands on whole workspaces: list, rename, export, delete. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pipeline } from 'node:stream/promises'
import {
  countContents,
  deleteWorkspace,
  exportWorkspace,
  type ExportSink,
  findWorkspaceName,
  listWorkspaces,
  renameWorkspace,
} from '../features/workspaces/index.ts'
import { listRetained } from '../features/product-lines/index.ts'
import type { AppContext } from '../platform/context.ts'
import { invalid } from '../platform/errors.ts'
import { findWorkspace } from './require-workspace.ts'
import type { CommandMeans } from './sboms.ts'

interface Json {
  json?: boolean
}

export function addWholeWorkspaceCommands(workspaces: Command, means: CommandMeans): void {
  const { withContext, print, actor } = means
  workspaces
    .command('list')
    .description('List the workspaces, with their members and devices')
    .option('--json', 'answer as JSON')
    .action(async ({ json }: Json) => {
      const all = await withContext((ctx) => listWorkspaces(ctx.db))
      if (json === true) return print(true, { workspaces: all })
      for (const { id, name, members, devices } of all)
        process.stdout.write(
          `${id}  ${name}  ${formatCountOf(members, 'member')}  ${formatCountOf(devices, 'device')}\n`,
        )
    })

  workspaces
    .command('rename')
    .description('Give a workspace another name')
    .argument('<workspace>', 'its name or id')
    .argument('<name>', 'the new name')
    .option('--json', 'answer as JSON')
    .action(async (workspace: string, name: string, { json }: Json) => {
      const answer = await withContext(async (ctx) => {
        const workspaceId = await findWorkspace(ctx, workspace)
        return renameWorkspace(ctx, { workspaceId, name, actor })
      })
      print(json, answer)
    })
  exportCommand(workspaces, means)
  deleteCommand(workspaces, means)
}

function exportCommand(workspaces: Command, { withContext, print }: CommandMeans): void {
  workspaces
    .command('export')
    .description('Write all rows and files of a workspace into a new folder, without secrets')
    .argument('<workspace>', 'its name or id')
    .argument('<folder>', 'a folder that does not exist, or is empty')
    .option('--json', 'answer as JSON')
    .action(async (workspace: string, folder: string, { json }: Json) => {
      await requireEmpty(folder)
      const answer = await withContext(async (ctx) => {
        const workspaceId = await findWorkspace(ctx, workspace)
        return { workspaceId, ...(await exportWorkspace(ctx, workspaceId, sinkIn(folder))) }
      }).catch(async (error: unknown) => {
        await empty(folder)
        throw error
      })
      if (json === true) return print(true, answer)
      const rows = Object.values(answer.rows).reduce((sum, count) => sum + count, 0)
      print(false, { folder, rows, files: answer.files })
    })
}

/** Personal data: only the operator may read it. */
const OWNER_ONLY_FOLDER = 0o700
const OWNER_ONLY = 0o600

async function requireEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER })
  if ((await readdir(folder)).length > 0) throw invalid(`${folder} is not empty.`)
}

/** Half of an export looks like a whole one. The folder was empty before. */
async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    await rm(join(folder, name), { recursive: true, force: true })
}

function sinkIn(folder: string): ExportSink {
  return {
    table: async (name, rows) => {
      let count = 0
      const lines = async function* () {
        for await (const row of rows) {
          count += 1
          yield `${JSON.stringify(row)}\n`
        }
      }
      const path = join(folder, `${name}.jsonl`)
      await pipeline(lines, createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY }))
      return count
    },
    file: async (key, content) => {
      const path = join(folder, 'files', key)
      await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER })
      await pipeline(content, createWriteStream(path, { flags: 'wx', mode: OWNER_ONLY }))
    },
  }
}

function deleteCommand(workspaces: Command, { withContext, print }: CommandMeans): void {
  workspaces
    .command('delete')
    .description('Delete a workspace with everything in it, and the people who are in no other')
    .argument('<workspace>', 'its name or id')
    .option('--name <name>', 'its name, where nobody can be asked for it')
    .option('--retained', 'also where the law keeps versions of product lines that were rolled out')
    .option('--json', 'answer as JSON')
    .action(async (workspace: string, { name, json, retained }: DeleteOptions) => {
      const answer = await withContext(async (ctx) => {
        const workspaceId = await findWorkspace(ctx, workspace)
        const known = await findWorkspaceName(ctx.db, workspaceId)
        const { members, devices, versions, sboms } = await countContents(ctx.db, workspaceId)
        const contents = `${formatCountOf(members, 'member')}, ${formatCountOf(devices, 'device')}, ${formatCountOf(versions, 'firmware version')}, ${formatCountOf(sboms, 'SBOM')}`
        process.stderr.write(`${known} (${workspaceId}) has ${contents}.\n`)
        if (retained !== true) await refuseKept(ctx, workspaceId)
        await requireTyped(known, name)
        return { workspaceId, name: known, ...(await deleteWorkspace(ctx, workspaceId)) }
      })
      print(json, answer)
    })
}

type DeleteOptions = Json & { name?: string; retained?: boolean }

/** An operator may have to delete a tenant all the same, after an export, but not unaware. */
async function refuseKept(ctx: AppContext, workspaceId: string): Promise<void> {
  const [last, ...others] = await listRetained(ctx.db, { workspaceId, now: ctx.now() })
  if (!last) return
  const count = formatCountOf(others.length + 1, 'firmware version')
  throw invalid(
    `${count} of product lines were rolled out and are kept by law, ${last.firmware} ${last.version} until ${last.until.toISOString().slice(0, 10)} (Article 13(9) and 13(13) of Regulation (EU) 2024/2847). Hand over an export or evidence bundles first, then repeat it with --retained.`,
  )
}

async function requireTyped(known: string, given: string | undefined): Promise<void> {
  const typed = given ?? (await ask('Type the name of the workspace to delete it: '))
  if (typed !== known)
    throw invalid(
      typed === undefined
        ? 'Nobody can be asked here: repeat it with --name and the name of the workspace.'
        : 'That is not its name, so nothing was deleted.',
    )
}

/** undefined: nobody is there. */
async function ask(question: string): Promise<string | undefined> {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY) return undefined
  const lines = createInterface({ input, output })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
