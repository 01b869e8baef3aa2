/** The flood of `bench/fairness.ts` that downloads: devices of one workspace at both doors, each on a connection of its own. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from './fairness-floods.ts'

/** Where one device gets the image, with which headers. */
interface Source {
  path: string
  headers: Record<string, string>
  sizeBytes: number
}

export const DOWNLOADING = 200

type Count = (status: string, text?: string) => void

/** As SWUpdate's delta handler asks: so many ranges in a request. */
const RANGES = 150
const RANGE_BYTES = 4 * 1024

/** Begins a download as often as the one before has ended: small ranges, many ranges in a request, the whole file. */
export async function downloadEndlessly(target: Target, index: number, count: Count) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const source = await findSourceAtLast(target, { deviceId: `r${index}`, door: index % 2, agent })
  const pick = [smallRange, manyRanges, () => ({})][Math.floor(index / 2) % 3] ?? smallRange
  for (;;) {
    const headers = { ...source.headers, ...pick(source.sizeBytes) }
    await ask(target, { method: 'GET', path: source.path, headers, agent }, count).catch(() =>
      count('failed'),
    )
  }
}

function smallRange(sizeBytes: number) {
  const start = Math.floor(Math.random() * (sizeBytes - RANGE_BYTES))
  return { range: `bytes=${start}-${start + RANGE_BYTES - 1}` }
}

/** In their order, with gaps, over a part of the file. */
function manyRanges(sizeBytes: number) {
  const begin = Math.floor(Math.random() * (sizeBytes - 3 * RANGES * RANGE_BYTES))
  const ranges = Array.from({ length: RANGES }, (_, index) => {
    const start = begin + 3 * index * RANGE_BYTES
    return `${start}-${start + RANGE_BYTES - 1}`
  })
  return { range: `bytes=${ranges.join(',')}` }
}

interface Asking {
  deviceId: string
  door: number
  agent: Agent
}

/** A device that is told to come later does so. */
async function findSourceAtLast(target: Target, asking: Asking): Promise<Source> {
  for (;;) {
    const source = await findSource(target, asking).catch(() => undefined)
    if (source) return source
    await delay(500 + 1_000 * Math.random())
  }
}

async function findSource(target: Target, { deviceId, door, agent }: Asking): Promise<Source> {
  const { workspaceId, deviceKey } = target
  if (door === 0) {
    const path = `/device/v1/${workspaceId}/${deviceId}/sync`
    const headers = { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' }
    const text = await ask(target, { method: 'POST', path, headers, agent, body: '{}' })
    const { update } = JSON.parse(text) as {
      update: { artifacts: { url: string; size: number }[] }
    }
    const [artifact] = update.artifacts
    const { pathname, search } = new URL(artifact?.url ?? '')
    return { path: pathname + search, headers: {}, sizeBytes: artifact?.size ?? 0 }
  }
  const headers = { authorization: `GatewayToken ${deviceKey}` }
  const base = `/${workspaceId}/controller/v1/${deviceId}`
  await ask(target, { method: 'GET', path: base, headers, agent })
  const text = await ask(target, {
    method: 'GET',
    path: `${base}/deploymentBase/1`,
    headers,
    agent,
  })
  const { deployment } = JSON.parse(text) as {
    deployment: {
      chunks: { artifacts: { size: number; _links: { download: { href: string } } }[] }[]
    }
  }
  const file = deployment.chunks[0]?.artifacts[0]
  const { pathname } = new URL(file?._links.download.href ?? '')
  return { path: pathname, headers, sizeBytes: file?.size ?? 0 }
}

interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  agent: Agent
  body?: string
}

/** Answers the text, or, where answers are counted, drops what comes. */
function ask(
  { url }: Target,
  { method, path, headers, agent, body }: Sent,
  count?: Count,
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (answer) => {
      const { statusCode = 0 } = answer
      count?.(String(statusCode))
      let text = ''
      if (count) answer.resume()
      else answer.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      answer.once('end', () => resolve(text))
      answer.once('error', reject)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
