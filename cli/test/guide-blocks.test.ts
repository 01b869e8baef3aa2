/** The shell blocks of the main guides run in order against one service, as a reader would run them. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, it } from 'vitest'
import { readPages, shellBlocks } from '../../tools/docs/pages.ts'
import { plimsoll, startService } from './service.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Each begins with what those before it have made. */
const GUIDES = [
  'getting-started',
  'api',
  'sboms',
  'triage',
  'devices',
  'deployments',
  'telemetry',
  'alerts',
  'webhooks',
]

/** The placeholders of the guides; what the service answered takes their places. */
function withValues(code: string): string {
  return code
    .replaceAll('http://localhost:8080', '$SERVICE')
    .replaceAll('PLIMSOLL_WORKSPACE=ID', 'PLIMSOLL_WORKSPACE=$(jq -r .workspaceId last-answer)')
    .replaceAll('=plm_…', '=${PLIMSOLL_API_KEY:-$(jq -r .apiKey last-answer)}')
}

const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

/** Runs the client for the shell: a process of its own for each command would take most of the time. */
async function startClient(): Promise<string> {
  const answer = async (request: IncomingMessage) => {
    const [url = '', key = '', workspace = '', ...args] = (await buffer(request))
      .toString()
      .split('\0')
    const environment = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: key, PLIMSOLL_WORKSPACE: workspace }
    return JSON.stringify(await plimsoll(environment, args.slice(0, -1)))
  }
  const server = createServer((request, response) => {
    void answer(request).then((text) => response.end(text))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closers.push(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function givenFiles(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-guides-'))
  const put = (path: string, content: unknown) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  }
  const spdx = (name: string, packages: object[]) => ({
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    dataLicense: 'CC0-1.0',
    name,
    documentNamespace: `https://example.com/${name}`,
    creationInfo: { created: '2026-08-01T00:00:00Z', creators: ['Tool: build'] },
    packages,
  })
  const openssl = {
    SPDXID: 'SPDXRef-openssl',
    name: 'openssl',
    versionInfo: '3.0.13',
    downloadLocation: 'NOASSERTION',
    externalRefs: [
      {
        referenceCategory: 'SECURITY',
        referenceType: 'cpe23Type',
        referenceLocator: 'cpe:2.3:a:openssl:openssl:3.0.13:*:*:*:*:*:*:*',
      },
    ],
  }
  for (const name of ['build/gateway.spdx.json', 'app.spdx', 'zephyr.spdx', 'image.spdx.json'])
    put(name, spdx(name, [openssl]))
  for (const name of ['gateway-2.4.1.swu', 'gateway-2.4.2.swu']) put(name, name)
  put('advisories/CVE-2024-6119.json', RECORD)
  return folder
}

const RECORD = {
  dataType: 'CVE_RECORD',
  dataVersion: '5.1',
  cveMetadata: {
    cveId: 'CVE-2024-6119',
    assignerOrgId: '3a12439a-ef3a-4c79-92e6-6081a721f1e5',
    state: 'PUBLISHED',
    datePublished: '2024-09-03T15:58:06.970Z',
    dateUpdated: '2024-09-03T15:58:06.970Z',
  },
  containers: {
    cna: {
      providerMetadata: { orgId: '3a12439a-ef3a-4c79-92e6-6081a721f1e5', shortName: 'openssl' },
      descriptions: [{ lang: 'en', value: 'A flaw.' }],
      references: [{ url: 'https://openssl-library.org/news/secadv/20240903.txt' }],
      affected: [
        {
          vendor: 'OpenSSL',
          product: 'OpenSSL',
          defaultStatus: 'unaffected',
          versions: [
            { version: '3.0.0', lessThan: '3.0.15', status: 'affected', versionType: 'semver' },
          ],
        },
      ],
    },
  },
}

const COMMANDS = ['bash', 'curl', 'jq', 'openssl']
const missing = COMMANDS.filter((one) => spawnSync('which', [one]).status !== 0)
if (missing.length > 0) process.stderr.write(`skipped, missing: ${missing.join(', ')}\n`)

it.skipIf(missing.length > 0)('the blocks of the main guides run in order', async () => {
  const service = await startService({ withWorker: true })
  const pages = readPages(ROOT)
  const blocks = GUIDES.flatMap((guide) => {
    const page = pages.get(`docs/guide/${guide}.md`)
    return (page ? shellBlocks(page) : []).map((block, index) => ({ guide, index, ...block }))
  })
  const script = blocks
    .filter(({ notRun }) => notRun === undefined)
    .map(({ guide, index, code }) => {
      return `BLOCK='${guide}, block ${index + 1}'\n${withValues(code)}`
    })
  const folder = givenFiles()
  const path = join(folder, 'guides.sh')
  writeFileSync(path, `source '${ROOT}/cli/test/guide-blocks.sh'\n${script.join('\n')}`)

  const { output, code } = await run(path, {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    ROOT,
    NODE: process.execPath,
    CLIENT: await startClient(),
    SERVICE: service.url,
    DATABASE_URL: service.connectionString,
    PLIMSOLL_DATA_DIR: service.ctx.config.dataDir,
    PLIMSOLL_FEEDS: 'off',
  })

  const notRun = blocks.flatMap(({ guide, notRun: reason }) =>
    reason ? [`${guide}: ${reason}`] : [],
  )
  process.stderr.write(
    `${script.length} blocks ran, ${notRun.length} did not (${notRun.join('; ')})\n`,
  )
  const failures = output.split('\n').filter((line) => line.includes('FAILED '))
  if (failures.length > 0) process.stderr.write(output)
  expect(failures).toEqual([])
  expect(code).toBe(0)
})

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
