/**
 * Collects the statements that the tests execute into `server/queries/<slice>.sql`, and checks each against the schema,
 * the row type that claims its answer, and the tenancy rule.
 *
 *   npm run queries                 runs the tests, then writes the files
 *   npm run queries -- <files>      runs some of the tests, then adds what these execute
 *   npm run queries -- --last       writes what the last run of the tests collected (`npm run check` collects too)
 *   npm run queries -- --check      fails when the files are stale, by the last run (--wait: by the run that is under way)
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadModule } from 'libpg-query'
import pg from 'pg'
import type { CollectedStatement } from '../server/test/collect-queries.ts'
import { findUntrueClaims } from './queries/claims.ts'
import { createLog } from '../server/src/platform/log.ts'
import { listTables } from '../server/src/platform/db/citus.ts'
import { Queue } from '../server/src/platform/jobs/queue.ts'
import { COLLECTED, TESTS_ENDED } from './queries/collected.ts'
import { describeStatement, listArrayTypes } from './queries/describe.ts'
import { findStale, readFiles, update, writeFiles } from './queries/files.ts'
import { formatStatement } from './queries/format.ts'
import { type CallSite, findCallSites } from './queries/sources.ts'
import { CROSSING_WORKSPACES } from './queries/tenancy-exceptions.ts'
import { findRefused, type Functions, type Tables } from './queries/nodes.ts'
import { findUntiedTables } from './queries/tenancy.ts'
import { find, parseStatements, readText } from './queries/tree.ts'
import { withSchemaDatabase } from './schema-database.ts'

const root = resolve(import.meta.dirname, '..')
const FILES = join(root, 'server/queries')

/** One statement of one call. */
interface ExecutedStatement {
  site: CallSite
  /** The function, after its file. */
  name: string
  /** As it was executed, and as the files show it. */
  raw: string
  shown: string
}

const placeOf = ({ file, line, column }: { file: string; line: number; column: number }) =>
  `${file}:${line}:${column}`
const nameOf = ({ file, calledIn }: CallSite) => `${file} ${calledIn}`

/** The lines that tests have written to the end and that are not in `read` yet; adds them to it. */
function readCollected(read: Set<string>): CollectedStatement[] {
  const names = existsSync(COLLECTED) ? readdirSync(COLLECTED) : []
  const lines = names.flatMap((name) =>
    readFileSync(join(COLLECTED, name), 'utf8').split('\n').slice(0, -1),
  )
  const fresh = [...new Set(lines).difference(read)]
  for (const line of fresh) read.add(line)
  return fresh.map((line) => JSON.parse(line) as CollectedStatement)
}

/** Executes the texts of migration files, in tests those of made-up ones. */
const MIGRATING = 'server/src/platform/db/migrate.ts run'

/** A function that Citus brings: the schema alone has none of its tables. */
const OF_CITUS = 'run_command_on_workers'

/** Adds to `executed` what is not in it yet, and returns that. */
function locate(
  collected: readonly CollectedStatement[],
  sites: readonly CallSite[],
  executed: Map<string, ExecutedStatement>,
): ExecutedStatement[] {
  const byPlace = new Map(sites.map((site) => [placeOf(site), site]))
  const added: ExecutedStatement[] = []
  for (const statement of collected) {
    const { within } = statement
    const site = byPlace.get(placeOf(statement)) ?? (within && byPlace.get(placeOf(within)))
    if (site === undefined) throw new Error(`no call at ${placeOf(statement)}: ${statement.text}`)
    if (nameOf(site) === MIGRATING || statement.text.includes(OF_CITUS)) continue
    const shown = formatStatement(statement.text)
    const key = `${placeOf(site)} ${shown}`
    if (executed.has(key)) continue
    const one = { site, name: nameOf(site), raw: statement.text, shown }
    executed.set(key, one)
    added.push(one)
  }
  return added
}

/** What a session makes for itself: its settings, and its temporary tables. */
function isOfSession(raw: string): boolean {
  const statements = parseStatements(raw)
  return statements.length > 1 || statements.every(({ node }) => isSettingOrTemporary(node))
}

function isSettingOrTemporary(node: object): boolean {
  const created =
    find(node, 'CreateStmt', 'relation') ?? find(node, 'CreateTableAsStmt', 'into', 'rel')
  return 'VariableSetStmt' in node || readText(created, 'relpersistence') === 't'
}

interface Schema {
  client: pg.Client
  arrays: Awaited<ReturnType<typeof listArrayTypes>>
  tenantTables: ReadonlySet<string>
  onNodes: Tables & Functions
}

/** Checks of the doctor read the tables of the job queue, which makes them by itself. */
async function makeQueue(connectionString: string): Promise<void> {
  const queue = new Queue({ connectionString, log: createLog('silent'), supervise: false })
  await queue.start([])
  await queue.stop()
}

async function withSchema<Result>(use: (schema: Schema) => Promise<Result>): Promise<Result> {
  return withSchemaDatabase(async (connectionString) => {
    await makeQueue(connectionString)
    const client = new pg.Client({ connectionString })
    // What fails here is reported, not that the database then ends the connection.
    client.on('error', () => undefined)
    await client.connect()
    try {
      const arrays = await listArrayTypes(client)
      const tenantTables = await listTenantTables(client)
      const onNodes = { ...(await listTablesOnNodes(client)), ...(await listFunctions(client)) }
      return await use({ client, arrays, tenantTables, onNodes })
    } finally {
      await client.end()
    }
  })
}

/** Where a statement reaches rows of other workspaces, or several nodes do not take it. */
function reachFaults(
  { name, raw }: Pick<ExecutedStatement, 'name' | 'raw'>,
  { tenantTables, onNodes }: Pick<Schema, 'tenantTables' | 'onNodes'>,
): string[] {
  const isCrossing = CROSSING_WORKSPACES.some((crossing) => crossing.name === name)
  const untied = isCrossing ? [] : findUntiedTables(raw, tenantTables)
  const refused = isAtCoordinator(name) ? [] : findRefused(raw, onNodes, isCrossing)
  return [
    ...untied.map((table) => `${name} reaches ${table} of any workspace`),
    ...refused.map((part) => `${name}: several nodes do not take ${part}`),
  ]
}

async function checkAgainstSchema(
  executed: readonly ExecutedStatement[],
  { client, arrays, tenantTables, onNodes }: Schema,
): Promise<string[]> {
  const faults = new Set<string>()
  for (const { name, raw } of executed)
    if (isOfSession(raw))
      // Here a transaction is one statement.
      await client.query(raw.replace(/\s+on commit drop/i, '')).catch((error: unknown) => {
        throw new Error(`${name}: ${raw}`, { cause: error })
      })
  // Some of these bound how long a statement may take; a busy machine may take longer to prepare one.
  await client.query('set statement_timeout = 0')
  for (const { site, name, raw } of executed) {
    for (const fault of reachFaults({ name, raw }, { tenantTables, onNodes })) faults.add(fault)
    if (isOfSession(raw)) continue
    // A partition of a day is like its table.
    const described = await describeStatement(client, raw.replaceAll(/_\d{8}(?=\b|")/g, ''), arrays)
    if ('failure' in described) faults.add(`${name}: ${described.failure}\n${raw}`)
    else {
      // Statements that only declare, move or lock have no columns to compare.
      const claim = described.columns.length > 0 ? site.claim() : undefined
      const untrue = claim === undefined ? [] : await findUntrueClaims(claim, described.columns)
      for (const fault of untrue) faults.add(`${name} ${fault}`)
    }
  }
  return [...faults]
}

/** Whether its statements are meant for one node, as they make or restore a database. */
const isAtCoordinator = (name: string) => /^server\/src\/(?:backup|platform\/db)\//.test(name)

async function listTablesOnNodes(client: pg.Client): Promise<Tables> {
  const tables = await listTables(client)
  const named = (isMeant: (column: string | undefined) => boolean) =>
    new Set(tables.flatMap(({ name, column }) => (isMeant(column) ? [name] : [])))
  return {
    ofTenants: named((column) => column !== undefined),
    bySeries: named((column) => column === 'series_id'),
    copied: named((column) => column === undefined),
  }
}

/** A name of several functions counts as mutable where all of them are. */
async function listFunctions(client: pg.Client): Promise<Functions> {
  const { rows } = await client.query<{ name: string; is_volatile: boolean }>(
    `select proname::text as name, bool_or(provolatile = 'v') as is_volatile from pg_proc
     group by proname having bool_and(provolatile <> 'i') or bool_or(provolatile = 'v')`,
  )
  return {
    volatile: new Set(rows.flatMap(({ name, is_volatile }) => (is_volatile ? [name] : []))),
    mutable: new Set(rows.map(({ name }) => name)),
  }
}

async function listTenantTables(client: pg.Client): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name::text as name from information_schema.columns
     where table_schema = 'public' and column_name = 'workspace_id'`,
  )
  return new Set(rows.map(({ name }) => name))
}

function runTests(files: readonly string[]): void {
  rmSync(COLLECTED, { recursive: true, force: true })
  mkdirSync(COLLECTED, { recursive: true })
  const env = { ...process.env, PLIMSOLL_COLLECT_QUERIES: COLLECTED }
  const { status } = spawnSync('npm', ['test', '--', ...files], {
    cwd: root,
    stdio: 'inherit',
    env,
  })
  if (status !== 0) throw new Error('the tests failed, so that statements may be missing')
}

/** What the tests executed, and its faults. `isWaiting`: until they end, what they have executed so far is checked. */
async function checkCollected(sites: readonly CallSite[], isWaiting: boolean) {
  const read = new Set<string>()
  const executed = new Map<string, ExecutedStatement>()
  const faults = new Set<string>()
  await withSchema(async (schema) => {
    for (let isEnded = false; !isEnded;) {
      isEnded = !isWaiting || existsSync(TESTS_ENDED)
      const added = locate(readCollected(read), sites, executed)
      for (const fault of await checkAgainstSchema(added, schema)) faults.add(fault)
      if (!isEnded) await endOfTests(EVERY_MS)
    }
  })
  return { executed: [...executed.values()], faults: [...faults] }
}

const EVERY_MS = 10_000

/** Resolves when the tests have ended, or after this time. */
async function endOfTests(mostMs: number): Promise<void> {
  for (let waited = 0; waited < mostMs && !existsSync(TESTS_ENDED); waited += 200) await delay(200)
}

function groupByFunction(executed: readonly ExecutedStatement[]): Map<string, Set<string>> {
  const groups = Map.groupBy(executed, ({ name }) => name)
  return new Map(
    [...groups].map(([name, members]) => [name, new Set(members.map(({ shown }) => shown))]),
  )
}

function listUnneededExceptions(functions: ReadonlySet<string>): string[] {
  return CROSSING_WORKSPACES.map(({ name }) => name)
    .filter((name) => !functions.has(name))
    .map((name) => `${name} executes no statement: remove it from the exceptions`)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' }, wait: { type: 'boolean' }, last: { type: 'boolean' } },
})
if (!values.check && !values.last) runTests(positionals)
await loadModule()
const sites = findCallSites(root)
const { executed, faults } = await checkCollected(sites, values.wait === true)
if (values.wait && readFileSync(TESTS_ENDED, 'utf8') !== 'passed') {
  process.stderr.write('not checked: the tests failed, so that statements may be missing\n')
  process.exit(1)
}
if (executed.length === 0) throw new Error('no statement was collected: run npm run queries')
const functions = new Set(sites.map(nameOf))
const statements = groupByFunction(executed)
for (const each of listUnneededExceptions(functions)) faults.push(each)
const known = readFiles(FILES)
if (values.check) for (const each of findStale(known, statements, functions)) faults.push(each)
else writeFiles(FILES, update(known, statements, { functions, isPartial: positionals.length > 0 }))
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(`queries: ${executed.length} statements of ${functions.size} functions\n`)
if (faults.length > 0) {
  process.stderr.write('Where files are stale: npm run queries -- --last\n')
  process.exitCode = 1
}
