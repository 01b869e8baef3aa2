/** The shell blocks of README and guides run in order against one service, as a reader would run them. */
import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Command } from 'commander'
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { addDeviceCommands } from '../../server/src/admin/devices.ts'
import { addPeopleCommands } from '../../server/src/admin/people.ts'
import type { CommandMeans } from '../../server/src/admin/sboms.ts'
import type { AppContext } from '../../server/src/platform/context.ts'
import { findProgram } from '../../server/test/programs.ts'
import { readPages, type ShellBlock, listShellBlocks } from '../../tools/docs/pages.ts'
import { givenGuideFiles } from './guide-files.ts'
import { type Outcome, runPlimsoll, startService } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Pages whose blocks run, in this order: each begins with what those before it have made. */
const GUIDES = [
  'getting-started',
  'api',
  'sboms',
  'triage',
  'devices',
  'device-certificates',
  'deployments',
  'telemetry',
  'alerts',
  'webhooks',
  'artifacts',
  'images',
  'provenance',
  'configuration',
  'matching',
  'vex',
  'supplier-feeds',
  'advisories',
  'customers',
  'portfolio',
  'disclosure',
  'law',
  'figures',
  'ssvc',
  'licences',
  'device-protocol',
  'rauc',
  'microcontroller',
  'crashes',
  'simulator',
  'hawkbit',
  'issues',
  'generators',
  'ci',
  'cli',
  'server',
  'feeds',
  'people',
  'upgrade',
  'backup',
]
const PAGES = [...GUIDES.map((guide) => `docs/guide/${guide}.md`), 'cli/README.md']

/** The placeholders of the guides; what the service answered takes their places. */
function withValues(code: string): string {
  return code
    .replaceAll(/http:\/\/localhost:8080|https:\/\/plimsoll\.example\.com/g, '$SERVICE')
    .replaceAll(/postgres:\/\/plimsoll:[^ ]*_restored/g, '$EMPTY_DATABASE')
    .replaceAll('/srv/plimsoll-restored', '$HOME/restored')
    .replaceAll('/mnt/backups', '$HOME/backups')
    .replaceAll('PLIMSOLL_WORKSPACE=ID', 'PLIMSOLL_WORKSPACE=$(jq -r .workspaceId last-answer)')
    .replaceAll('=plm_…', '=${PLIMSOLL_API_KEY:-$(jq -r .apiKey last-answer)}')
}

const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

/** Runs the client, and the operator's commands that need nothing but the context: a process for each would take most of the time. */
async function startPrograms(ctx: AppContext): Promise<string> {
  const answer = async (request: IncomingMessage) => {
    const [url = '', key = '', workspace = '', ...args] = (await buffer(request))
      .toString()
      .split('\0')
      .slice(0, -1)
    const environment = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: key, PLIMSOLL_WORKSPACE: workspace }
    const isOperator = request.url === '/operator'
    return JSON.stringify(await (isOperator ? operate(ctx, args) : runPlimsoll(environment, args)))
  }
  const server = createServer((request, response) => {
    void answer(request).then((text) => response.end(text))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function operate(ctx: AppContext, args: readonly string[]): Promise<Outcome> {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  const printed: string[] = []
  const means: CommandMeans = {
    withContext: (use) => use(ctx),
    print: (_json, answer) => printed.push(JSON.stringify(answer)),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  }
  addDeviceCommands(program, means)
  addPeopleCommands(program, means)
  try {
    await program.parseAsync(args, { from: 'user' })
    return { exitCode: 0, stdout: printed.join('\n'), stderr: '' }
  } catch (error) {
    return { exitCode: 1, stdout: '', stderr: String(error) }
  }
}

const COMMANDS = ['bash', 'curl', 'jq', 'openssl', 'python3']
const missing = COMMANDS.filter((one) => spawnSync('which', [one]).status !== 0)
if (missing.length > 0) process.stderr.write(`skipped, missing: ${missing.join(', ')}\n`)

const pages = readPages(ROOT)
const isToRun = ({ notRun }: ShellBlock) => notRun === undefined

it('has no block that neither runs nor says why it cannot', () => {
  const others = [...pages.values()].filter(({ path }) => !PAGES.includes(path))

  const silent = others.flatMap((page) =>
    listShellBlocks(page).flatMap((block) =>
      isToRun(block) ? [`${page.path}: ${block.code}`] : [],
    ),
  )

  expect(silent).toEqual([])
  expect(PAGES.filter((path) => !pages.has(path))).toEqual([])
})

it.skipIf(missing.length > 0)(
  'the blocks of the pages run in order',
  { timeout: 600_000 },
  async () => {
    const service = await startService({ withWorker: true })
    const blocks = PAGES.flatMap((path) => {
      const page = pages.get(path)
      return (page ? listShellBlocks(page) : []).map((block, index) => ({ path, index, ...block }))
    })
    const script = blocks
      .filter(isToRun)
      .map(({ path, index, code }) => `BLOCK='${path}, block ${index + 1}'\n${withValues(code)}`)
    const folder = givenGuideFiles(ROOT)
    const path = join(folder, 'guides.sh')
    writeFileSync(path, `source '${ROOT}/cli/test/guide-blocks.sh'\n${script.join('\n')}`)

    const { output, code } = await run(path, {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ROOT,
      NODE: process.execPath,
      ADMIN: await findProgram('admin'),
      PROGRAMS: await startPrograms(service.ctx),
      SERVICE: service.url,
      DATABASE_URL: service.connectionString,
      EMPTY_DATABASE: await makeDatabase(service.connectionString),
      PLIMSOLL_DATA_DIR: service.ctx.config.dataDir,
      PLIMSOLL_FEEDS: 'off',
    })

    const failures = output.split('\n').filter((line) => line.includes('FAILED '))
    if (failures.length > 0) process.stderr.write(output)
    expect(failures).toEqual([])
    expect(code).toBe(0)
  },
)

/** As the guide on servers says, with the rights that it says: what is restored goes into it. */
async function makeDatabase(connectionString: string): Promise<string> {
  const [, sql = ''] =
    /^```sql\n(.*?)^```$/ms.exec(pages.get('docs/guide/server.md')?.text ?? '') ?? []
  const name = `guide_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    // A database is not created in a transaction, as several statements at once would be.
    for (const statement of sql.replaceAll('plimsoll', name).split(';\n'))
      await client.query(statement)
  } finally {
    await client.end()
  }
  const url = new URL(connectionString)
  return Object.assign(url, { username: name, password: 'secret', pathname: `/${name}` }).href
}

function run(path: string, env: Record<string, string>) {
  const child = spawn('bash', [path], { cwd: env['HOME'], env })
  closers.push(() => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  return new Promise<{ output: string; code: number | null }>((done) => {
    child.on('close', (code) => done({ output, code }))
  })
}
