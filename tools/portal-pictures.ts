/**
 * Takes a picture of every page of the portal over the demo, wide and narrow, light and dark, into `pictures/`:
 * `npm run portal:pictures [-- --docs]`. With `--docs` it also renews the few that the documentation shows.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { NARROW, openBrowser, WIDE } from '../portal/test/browser.ts'
import { endProcess } from '../server/test/service-process.ts'
import { ROOT } from './modules.ts'

const FOLDER = join(ROOT, 'pictures')
const DOCS = join(ROOT, 'docs/guide/pictures')
/** Pictures of the documentation. */
const CHOSEN = [
  'overview-wide-light',
  'findings-wide-light',
  'version-wide-light',
  'finding-wide-dark',
]
const PATIENCE_MS = 60_000

/** Resolves with the sign-in link that the demo prints. */
async function startDemo(dataDir: string): Promise<{ child: ChildProcess; link: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'server/src/demo/demo.ts')], {
    env: { ...process.env, PLIMSOLL_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    const link = /https?:\S+\/link#\S+/.exec(output)?.[0]
    if (link !== undefined) {
      child.stdout.resume()
      return { child, link }
    }
  }
  throw new Error(`The demo ended:\n${output}`)
}

interface Places {
  firmwareId: string
  versionId: string
  findingId: string
  cveId: string
}

/** What the pages of one thing show: the worst finding, and the version and firmware it is in. */
async function readPlaces(page: Page, workspaceId: string): Promise<Places> {
  const found = await page.request.post(`/workspaces/${workspaceId}/vulnerability-findings/list`, {
    data: { limit: 1, filter: { affectedDevicesOnly: true } },
    headers: { origin: new URL(page.url()).origin },
  })
  const { findings } = (await found.json()) as { findings: FindingRow[] }
  const [worst] = findings
  if (!worst) throw new Error('The demo has no findings that devices run')
  const version = await page.request.get(
    `/workspaces/${workspaceId}/firmware-versions/${worst.firmwareVersion.id}`,
  )
  const { firmware } = (await version.json()) as { firmware: { id: string } }
  return {
    firmwareId: firmware.id,
    versionId: worst.firmwareVersion.id,
    findingId: worst.id,
    cveId: worst.vulnerability.cveId,
  }
}

interface FindingRow {
  id: string
  vulnerability: { cveId: string }
  firmwareVersion: { id: string }
}

function pagesOf({ firmwareId, versionId, findingId, cveId }: Places): Record<string, string> {
  const tabs = ['components', 'sboms', 'compare', 'documents']
  const parts = ['workspace', 'members', 'api-keys', 'sources', 'audit-log']
  return {
    overview: '?days=365',
    setup: '/setup',
    findings: '/findings',
    finding: `/findings/${findingId}`,
    vulnerability: `/vulnerabilities/${cveId}`,
    firmwares: '/firmware',
    firmware: `/firmware/${firmwareId}`,
    version: `/versions/${versionId}`,
    ...Object.fromEntries(
      tabs.map((tab) => [`version-${tab}`, `/versions/${versionId}?tab=${tab}`]),
    ),
    ...Object.fromEntries(parts.map((part) => [`settings-${part}`, `/settings/${part}`])),
    you: '/you',
  }
}

async function takePictures(browser: Browser, link: string): Promise<void> {
  const context = await browser.newContext({
    baseURL: new URL(link).origin,
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(link)
  await page.waitForURL(/\/w\//)
  const [, workspaceId = ''] = /\/w\/([^/?]+)/.exec(page.url()) ?? []
  const pages = pagesOf(await readPlaces(page, workspaceId))
  for (const [width, viewport] of Object.entries({ wide: WIDE, narrow: NARROW }))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`/w/${workspaceId}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
        await page.waitForTimeout(300)
        await page.screenshot({ path: join(FOLDER, `${name}-${width}-${colorScheme}.png`) })
        process.stdout.write(`${name}-${width}-${colorScheme}.png\n`)
      }
    }
}

mkdirSync(FOLDER, { recursive: true })
const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-pictures-'))
const { child, link } = await startDemo(dataDir)
const browser = await openBrowser()
try {
  await takePictures(browser, link)
  if (process.argv.includes('--docs'))
    for (const name of CHOSEN) copyFileSync(join(FOLDER, `${name}.png`), join(DOCS, `${name}.png`))
} finally {
  await browser.close()
  await endProcess(child, 'SIGINT')
  rmSync(dataDir, { recursive: true, force: true })
}
