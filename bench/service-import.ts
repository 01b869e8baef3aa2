/** Lets the real service read the CVE List from a folder by itself, and watches its memory and what it says of its progress. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  startServiceProcess,
} from '../server/test/service-process.ts'

export interface ServiceImport {
  seconds: number
  /** The most memory that the process ever had. */
  peakMebibytes: number
  /** A minute after the import. */
  laterMebibytes: number
  /** The longest time in which the API showed no other progress. */
  silenceSeconds: number
}

interface SourceStates {
  sources: {
    source: string
    lastSuccessAt: string | null
    lastError: string | null
    phase: string
    progress: unknown
  }[]
}

const POLL_MS = 250
const LATER_MS = 60_000

export async function importInService(dataDir: string, cves: string): Promise<ServiceImport> {
  const settings = { dataDir, port: await freePort(), managementPort: await freePort() }
  const env = {
    PLIMSOLL_FEEDS: 'on',
    PLIMSOLL_FEEDS_SOURCES: 'cvelist',
    PLIMSOLL_FEED_CVELIST_URL: cves,
  }
  const { stdout } = await runAdmin(
    settings,
    'bootstrap',
    '--workspace',
    'Bench',
    '--owner',
    'a@example.com',
    '--json',
  )
  const account = JSON.parse(stdout) as Account
  const service = await startServiceProcess({ ...settings, env })
  const startedAt = performance.now()
  const silenceSeconds = await untilImported(service, account)
  const seconds = (performance.now() - startedAt) / 1000
  await delay(LATER_MS)
  const measured = {
    seconds,
    peakMebibytes: mebibytes(service, 'VmHWM'),
    laterMebibytes: mebibytes(service, 'VmRSS'),
    silenceSeconds,
  }
  await endProcess(service.child, 'SIGTERM')
  return measured
}

interface Account {
  workspaceId: string
  apiKey: string
}

/** Answers the longest silence. */
async function untilImported(
  { url }: ServiceProcess,
  { workspaceId, apiKey }: Account,
): Promise<number> {
  let said = ''
  let saidAt = performance.now()
  let longest = 0
  for (;;) {
    const response = await fetch(`${url}/workspaces/${workspaceId}/vulnerability-sources`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    const { sources } = (await response.json()) as SourceStates
    const source = sources.find((listed) => listed.source === 'cvelist')
    const failure = source?.lastError ?? null
    if (failure !== null) throw new Error(failure)
    const now = `${source?.phase ?? ''} ${JSON.stringify(source?.progress, withoutSeconds)}`
    longest = Math.max(longest, performance.now() - saidAt)
    if (now !== said) saidAt = performance.now()
    said = now
    if (source?.phase === 'Idle' && source.lastSuccessAt !== null) return longest / 1000
    await delay(POLL_MS)
  }
}

/** The seconds that a step already takes are no progress. */
function withoutSeconds(name: string, value: unknown): unknown {
  return name === 'seconds' ? undefined : value
}

/** Linux, proc_pid_status(5). */
function mebibytes({ child }: ServiceProcess, name: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
}
