/** `admin status`: the installation on one page. What is not as it should be begins with an exclamation mark. */
import { formatCountOf } from '../formats/counts.ts'
import type { Command } from 'commander'
import { X509Certificate } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { getSources, STATE_WORDS } from '../features/feeds/index.ts'
import { listNearLimits } from '../features/quotas/index.ts'
import { readMailUsage } from '../features/mails/index.ts'
import { listWorkspaces } from '../features/workspaces/index.ts'
import { DAY_MS } from '../formats/instants.ts'
import type { OpenedContext } from '../open-context.ts'
import { nameStore } from '../platform/blobs/store-fault.ts'
import { describeDatabase, isBundledServer } from '../platform/db/describe.ts'
import { listDatabaseNodes } from '../platform/db/node-health.ts'
import { VERSION } from '../version.ts'
import type { CommandMeans } from './sboms.ts'
import { describeBackups } from './status-backups.ts'
import type { Line } from './status-line.ts'
import { describeNodes } from './status-nodes.ts'

type OpenService = Pick<OpenedContext, 'ctx' | 'queue' | 'replica'>
type Part = (opened: OpenService) => Promise<Line[]>

interface Means extends Pick<CommandMeans, 'print'> {
  withOpened: <Result>(use: (opened: OpenService) => Promise<Result>) => Promise<Result>
}

/** In the order of the page. A part that fails is a fault itself. */
const PARTS: Readonly<Record<string, Part>> = {
  version: async ({ ctx: { config } }) => [
    { name: 'version', text: `${VERSION} at ${config.publicUrl}` },
  ],
  'this node': describeThisNode,
  nodes: ({ ctx }) => describeNodes(ctx),
  database: describeDatabaseLine,
  'read replica': describeReplica,
  'database nodes': describeDatabaseNodes,
  files: describeFiles,
  workspaces: async ({ ctx: { db } }) => {
    const all = await listWorkspaces(db)
    return [{ name: 'workspaces', text: String(all.length) }]
  },
  quotas: ({ ctx }) => describeQuotas(ctx),
  mails: ({ ctx }) => describeMails(ctx),
  sources: describeSources,
  queues: describeQueues,
  disk: describeDisk,
  backups: ({ ctx }) => describeBackups(ctx),
  certificates: describeCertificates,
  // The service runs as it was told to, so a warning is no fault: `config check` ends with 0, too.
  warnings: async ({ ctx: { config } }) =>
    config.warnings.map(({ detail }) => ({ name: 'warning', text: detail, isFault: false })),
}

export function addStatusCommand(program: Command, { withOpened, print }: Means): void {
  program
    .command('status')
    .description('The installation on one page; exit code 1 on a fault, not on a warning')
    .option('--json', 'answer as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const lines = await withOpened(readStatus)
      if (json === true) print(true, { status: lines })
      else for (const line of lines) process.stdout.write(shown(line))
      if (lines.some(({ isFault }) => isFault)) process.exitCode = 1
    })
}

function shown({ name, text, isFault }: Line): string {
  return `${isFault ? '!' : ' '} ${`${name}:`.padEnd(14)} ${text}\n`
}

async function readStatus(opened: OpenService): Promise<Line[]> {
  const parts = Object.entries(PARTS).map(async ([name, read]) =>
    read(opened).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error)
      return [{ name, text: `not to be had: ${text}`, isFault: true }]
    }),
  )
  return (await Promise.all(parts)).flat()
}

const HEALTH_WITHIN_MS = 3000

/** The service of this machine; others say the same at their own management ports. */
async function describeThisNode({ ctx: { config } }: OpenService): Promise<Line[]> {
  const { managementHost, managementPort } = config
  const host = managementHost === '0.0.0.0' ? '127.0.0.1' : managementHost
  const url = `http://${host}:${managementPort}/health/ready`
  const signal = AbortSignal.timeout(HEALTH_WITHIN_MS)
  const answer = await fetch(url, { signal }).catch(() => undefined)
  await answer?.body?.cancel()
  if (!answer) return [{ name: 'this node', text: `does not answer at ${url}`, isFault: true }]
  const text = answer.ok ? 'ready' : `not ready: ${url}`
  return [{ name: 'this node', text, isFault: !answer.ok }]
}

async function describeDatabaseLine({ ctx: { db, config } }: OpenService): Promise<Line[]> {
  const { version, sizeBytes, migration } = await describeDatabase(db)
  const isOurs = config.databaseUrl === undefined
  const isBundled = isOurs && process.platform === 'linux' && (await isBundledServer(db))
  const ours = isBundled ? "embedded (npm's, for trying out)" : 'embedded'
  const kind = isOurs ? ours : 'external'
  const text = `PostgreSQL ${version}, ${kind}, ${gibibytes(sizeBytes)}, schema ${migration}`
  return [{ name: 'database', text }]
}

async function describeReplica({ replica }: OpenService): Promise<Line[]> {
  if (!replica) return []
  const name = 'read replica'
  const bytesBehind = await replica.bytesBehind()
  if (bytesBehind !== undefined) return [{ name, text: `${bytesBehind} bytes behind` }]
  return [{ name, text: 'does not answer, or is no replica of the database', isFault: true }]
}

async function describeDatabaseNodes({ ctx: { pool } }: OpenService): Promise<Line[]> {
  const nodes = (await listDatabaseNodes(pool)) ?? []
  return nodes.map(({ node, isThere, workspaceShare }) => {
    const share = `${Math.round(workspaceShare * 100)} % of the workspaces`
    const text = isThere ? `${node}, with ${share}` : `${node} does not answer; it has ${share}`
    return { name: 'database node', text, isFault: !isThere }
  })
}

async function describeFiles({ ctx: { blobs, config } }: OpenService): Promise<Line[]> {
  const fault = await blobs.findFault()
  const text = fault?.detail ?? nameStore(config.blobs)
  return [{ name: 'files', text, isFault: fault !== undefined }]
}

/** A limit does its work where it is used up, so that is no fault. */
async function describeQuotas(ctx: OpenService['ctx']): Promise<Line[]> {
  const near = await listNearLimits(ctx)
  const [most] = near
  if (!most) return []
  const { workspaceName, quota, share } = most
  const first = `${workspaceName} ${Math.floor(share * 100)} % of ${quota}`
  const text = `${formatCountOf(near.length, 'limit')} used to 80 % or more, ${first}; plimsoll-admin workspace limits lists them`
  return [{ name: 'quotas', text, isFault: false }]
}

async function describeMails({ db, now, config }: OpenService['ctx']): Promise<Line[]> {
  if (!config.mail.server) return []
  const { countedThisHour, mostPerHour, addressesAtLimit } = await readMailUsage({
    db,
    now,
    config,
  })
  const most = mostPerHour === null ? '' : ` of ${mostPerHour}`
  const full =
    addressesAtLimit === 0
      ? ''
      : `; ${formatCountOf(addressesAtLimit, 'address gets', 'addresses get')} no more`
  return [{ name: 'mails', text: `${countedThisHour}${most} in this hour${full}` }]
}

async function describeSources({ ctx }: OpenService): Promise<Line[]> {
  const { sources } = await getSources(ctx)
  return sources.map(({ source, state, isStale, lastSuccessAt, lastError }) => {
    const since = lastSuccessAt ? `, complete ${lastSuccessAt.toISOString()}` : ''
    const age = STATE_WORDS[state] + since
    const failure = lastError === null ? '' : `; ${lastError.split('\n')[0] ?? ''}`
    return { name: source, text: age + failure, isFault: isStale }
  })
}

async function describeQueues({ queue }: OpenService): Promise<Line[]> {
  const counts = await queue.counts()
  const sum = (of: 'queuedCount' | 'activeCount' | 'failedCount') =>
    counts.reduce((all, one) => all + one[of], 0)
  const failed = counts.filter(({ failedCount }) => failedCount > 0)
  const names = failed.map(({ name, failedCount }) => `${name} ${failedCount}`).join(', ')
  const text = `${sum('queuedCount')} wait, ${sum('activeCount')} run, ${sum('failedCount')} failed`
  const isFault = failed.length > 0
  return [{ name: 'jobs', text: isFault ? `${text} (${names})` : text, isFault }]
}

const LEAST_FREE = 0.1

async function describeDisk({
  ctx: {
    config: { dataDir },
  },
}: OpenService): Promise<Line[]> {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  const text = `${gibibytes(bavail * bsize)} free of ${gibibytes(blocks * bsize)} at ${dataDir}`
  return [{ name: 'disk', text, isFault: bavail < blocks * LEAST_FREE }]
}

/** A renewal that works is done by then. */
const RENEWED_BEFORE_DAYS = 14

async function describeCertificates({ ctx: { config, now } }: OpenService): Promise<Line[]> {
  const all = { https: config.tls, mqtt: config.mqtt.tls }
  return Object.entries(all).flatMap(([name, tls]) => {
    if (!tls) return []
    const { validToDate, subject } = new X509Certificate(tls.certificate)
    const days = Math.floor((validToDate.getTime() - now().getTime()) / DAY_MS)
    const who = subject.replaceAll('\n', ', ')
    const text = days < 0 ? `${who} has expired` : `${who}, for ${formatCountOf(days, 'more day')}`
    return [{ name: `${name} certificate`, text, isFault: days < RENEWED_BEFORE_DAYS }]
  })
}

const GIBIBYTE = 1024 ** 3

function gibibytes(bytes: number): string {
  return `${(bytes / GIBIBYTE).toFixed(1)} GiB`
}
