/** Uploads generated SBOMs with components that advisories are about, and times them until their findings. */
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { generateSbom } from './generated-sboms.ts'

const PRODUCTS = 2_000
const ONE_IN = 10

/** Products of the generated feed, as `vendor:product` of CPE names, evenly from all of it: the first have most records. */
export async function readProducts(folder: string | undefined): Promise<string[]> {
  const file = folder === undefined ? '' : join(folder, 'nvdcve-2.0.json')
  if (!existsSync(file)) return []
  const found = new Set<string>()
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>)
    for (const [, product = ''] of chunk.matchAll(
      /"criteria":"cpe:2\.3:a:((?:[^:"\\]+):[^:"\\]+):/g,
    ))
      found.add(product)
  const all = [...found]
  const every = Math.max(1, Math.floor(all.length / PRODUCTS))
  return all.filter((_, index) => index % every === 0)
}

interface SbomContents {
  components: number
  /** One in ten components is one of these. */
  products: readonly string[]
  /** Other packages for each, so that nothing is matched already. */
  index: number
}

export function writeSbom({ components, products, index }: SbomContents): Buffer {
  let count = 0
  const text = generateSbom('CycloneDxJson', { components, edges: components * 3 })
    .replaceAll('package-', `p${process.pid}-${index}-`)
    .replaceAll(/(?<=cpe:2\.3:a:)[^:]+:[^:]+/g, (own) =>
      products.length > 0 && ++count % ONE_IN === 0
        ? (products[(count / ONE_IN) % products.length] ?? own)
        : own,
    )
  return Buffer.from(text)
}

interface SbomStates {
  sboms: {
    parsingState: string
    parsingError: string | null
    vulnerabilitiesParsedAt: string | null
  }[]
}

interface IngestTimes {
  /** Seconds from the start of the upload. */
  inventory: number
  findings: number
  count: number
}

interface Workspace {
  url: string
  workspaceId: string
  apiKey: string
}

/** Sends the SBOM of a new version of a new firmware, and waits for its findings. */
export async function ingest(
  { url, workspaceId, apiKey }: Workspace,
  bytes: Buffer,
): Promise<IngestTimes> {
  async function call<Answer>(
    method: string,
    path: string,
    body?: string | Buffer,
  ): Promise<Answer> {
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    const response = await fetch(`${url}/workspaces/${workspaceId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    })
    return (await response.json()) as Answer
  }
  const slug = JSON.stringify({ slug: crypto.randomUUID() })
  const firmware = await call<{ id: string }>('POST', '/firmwares', slug)
  const versions = `/firmwares/${firmware.id}/versions`
  const version = await call<{ id: string }>('POST', versions, '{"name":"1"}')
  const start = performance.now()
  await call('POST', `/firmware-versions/${version.id}/sboms?fileName=bench.json`, bytes)
  let inventory = 0
  for (;;) {
    const { sboms } = await call<SbomStates>('GET', `/firmware-versions/${version.id}/sboms`)
    const [sbom] = sboms
    if (sbom?.parsingState === 'Failed') throw new Error(sbom.parsingError ?? 'failed')
    const now = (performance.now() - start) / 1000
    if (sbom?.parsingState === 'Succeeded' && inventory === 0) inventory = now
    if (sbom?.vulnerabilitiesParsedAt) {
      const path = `/firmware-versions/${version.id}/vulnerability-findings/summary`
      const { totalActiveIssues } = await call<{ totalActiveIssues: number }>('GET', path)
      return { inventory, findings: now, count: totalActiveIssues }
    }
    await delay(100)
  }
}
