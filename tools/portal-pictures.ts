/**
 * Takes a picture of every page of the portal over the demo, wide and narrow, light and dark, into `pictures/`:
 * `npm run portal:pictures [-- --docs]`. With `--docs` it also renews the few that the documentation shows.
 * With `PLIMSOLL_DATA_DIR` it takes the demo of that folder, and keeps it for the next time.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { NARROW, openBrowser, openContext, WIDE } from '../portal/test/browser.ts'
import { endProcess } from '../server/test/service-process.ts'
import { ROOT } from './modules.ts'

const FOLDER = join(ROOT, 'pictures')
const DOCS = join(ROOT, 'docs/guide/pictures')
/** Those that the documentation shows, smaller and as JPEG. */
const CHOSEN = [
  { name: 'overview', width: 'wide', colorScheme: 'light' },
  { name: 'findings', width: 'wide', colorScheme: 'light' },
  { name: 'version', width: 'wide', colorScheme: 'light' },
  { name: 'finding', width: 'wide', colorScheme: 'dark' },
  { name: 'exposure', width: 'wide', colorScheme: 'light' },
  { name: 'deployment', width: 'wide', colorScheme: 'light' },
  { name: 'deployment-judged', width: 'wide', colorScheme: 'light' },
  { name: 'version-artifacts', width: 'wide', colorScheme: 'light' },
  { name: 'crash', width: 'wide', colorScheme: 'light' },
] as const
const JPEG_QUALITY = 82
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
  componentId: string
  findingId: string
  cveId: string
  deviceId: string
  cohortId: string
  deploymentId: string
  /** Of a deployment that a comparison stopped. */
  judgedPath: string
  crashGroupId: string
}

/** Asks as whoever is signed in on the page; with a body it posts. */
function openApi(page: Page, workspaceId: string) {
  const headers = { origin: new URL(page.url()).origin }
  return async <Answer>(path: string, data?: object) => {
    const url = `/workspaces/${workspaceId}${path}`
    const answer = data
      ? await page.request.post(url, { data, headers })
      : await page.request.get(url)
    return (await answer.json()) as Answer
  }
}

type Ask = ReturnType<typeof openApi>

/** What the pages of one thing show: the worst finding, and where it is; a device, and what was deployed last. */
async function readPlaces(ask: Ask): Promise<Places> {
  return { ...(await findWorst(ask)), ...(await findFleet(ask)) }
}

async function findWorst(ask: Ask) {
  const { findings } = await ask<{ findings: FindingRow[] }>('/vulnerability-findings/list', {
    limit: 1,
    filter: { affectedDevicesOnly: true },
  })
  const [worst] = findings
  const version = worst?.firmwareVersions[0]
  if (!worst || !version) throw new Error('The demo has no findings that devices run')
  const { components } = await ask<{ components: { id: string }[] }>('/components/list', {
    limit: 1,
    filter: { firmwareVersionIds: [version.id], cveIds: [worst.cveId] },
  })
  return {
    firmwareId: version.firmwareId,
    versionId: version.id,
    componentId: components[0]?.id ?? '',
    findingId: version.findingId,
    cveId: worst.cveId,
  }
}

async function findFleet(ask: Ask) {
  const { devices } = await ask<{ devices: { id: string }[] }>('/devices/list', {
    limit: 1,
    filter: { connected: true },
  })
  const { deploymentCohorts } = await ask<{ deploymentCohorts: CohortRow[] }>('/deployment-cohorts')
  const [cohort] = deploymentCohorts
  const { crashGroups } = await ask<{ crashGroups: { id: string }[] }>('/crash-groups?limit=1')
  return {
    judgedPath: await findJudged(deploymentCohorts, ask),
    crashGroupId: crashGroups[0]?.id ?? '',
    deviceId: devices[0]?.id ?? '',
    cohortId: cohort?.id ?? '',
    deploymentId: cohort?.activeDeploymentId ?? '',
  }
}

interface CohortRow {
  id: string
  activeDeploymentId: string | null
}

async function findJudged(cohorts: readonly CohortRow[], ask: Ask): Promise<string> {
  for (const { id, activeDeploymentId } of cohorts) {
    if (activeDeploymentId === null) continue
    const path = `/deployment-cohorts/${id}/deployments/${activeDeploymentId}`
    const { comparisons } = await ask<{ comparisons: { state: string }[] }>(path)
    if (comparisons.some(({ state }) => state === 'Worse')) return `${id}/${activeDeploymentId}`
  }
  throw new Error('The demo has no deployment that a comparison stopped')
}

interface FindingRow {
  cveId: string
  firmwareVersions: { id: string; findingId: string; firmwareId: string }[]
}

function pagesOf(places: Places): Record<string, string> {
  const { firmwareId, versionId, componentId, findingId, cveId, deviceId } = places
  const cohort = `/deployments/${places.cohortId}`
  const tabs = ['components', 'artifacts', 'sboms', 'compare', 'documents']
  const parts = ['workspace', 'members', 'api-keys', 'trusted-keys', 'sources', 'ssvc', 'audit-log']
  return {
    overview: '?days=365',
    setup: '/setup',
    findings: '/findings',
    'findings-component': '/findings?group=component',
    standing: '/standing-decisions',
    finding: `/findings/${findingId}`,
    vulnerability: `/vulnerabilities/${cveId}`,
    firmwares: '/firmware',
    firmware: `/firmware/${firmwareId}`,
    version: `/versions/${versionId}`,
    ...Object.fromEntries(
      tabs.map((tab) => [`version-${tab}`, `/versions/${versionId}?tab=${tab}`]),
    ),
    'version-component': `/versions/${versionId}?tab=components&component=${componentId}&cve=${cveId}`,
    devices: '/devices',
    'devices-unknown': '/devices?show=unknown',
    ...Object.fromEntries(
      ['runs', 'configuration', 'metrics', 'logs'].map((tab) => [
        `device-${tab}`,
        `/devices/${deviceId}?tab=${tab}`,
      ]),
    ),
    exposure: '/exposure?days=365',
    wall: '?wall=1',
    deployments: '/deployments',
    cohort,
    deployment: `${cohort}/${places.deploymentId}`,
    'deployment-judged': `/deployments/${places.judgedPath}`,
    crashes: '/crashes',
    crash: `/crashes/${places.crashGroupId}`,
    'what-if': `/deployments/what-if?runs=${places.cohortId}:${versionId}`,
    'deployment-new': `/deployments/new?cohort=${places.cohortId}&version=${versionId}`,
    ...Object.fromEntries(
      ['incidents', 'rules', 'targets', 'deliveries'].map((tab) => [
        `alerts-${tab}`,
        `/alerts?tab=${tab}`,
      ]),
    ),
    ...Object.fromEntries(parts.map((part) => [`settings-${part}`, `/settings/${part}`])),
    you: '/you',
  }
}

interface Look {
  width: keyof typeof WIDTHS
  colorScheme: 'light' | 'dark'
}

const WIDTHS = { wide: WIDE, narrow: NARROW }
const LOOKS: readonly Look[] = [
  { width: 'wide', colorScheme: 'light' },
  { width: 'wide', colorScheme: 'dark' },
  { width: 'narrow', colorScheme: 'light' },
  { width: 'narrow', colorScheme: 'dark' },
]

/** Opens the address and waits until it shows what it has. */
async function show(page: Page, url: string, { width, colorScheme }: Look): Promise<void> {
  await page.setViewportSize(WIDTHS[width])
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  await page.waitForTimeout(300)
}

async function takePictures(browser: Browser, link: string): Promise<void> {
  const baseURL = new URL(link).origin
  const context = await openContext(browser, { baseURL })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(link)
  await page.waitForURL(/\/w\//)
  const [, workspaceId = ''] = /\/w\/([^/?]+)/.exec(page.url()) ?? []
  const pages = pagesOf(await readPlaces(openApi(page, workspaceId)))
  for (const look of LOOKS)
    for (const [name, path] of Object.entries(pages)) {
      await show(page, `/w/${workspaceId}${path}`, look)
      const file = `${name}-${look.width}-${look.colorScheme}.png`
      await page.screenshot({ path: join(FOLDER, file) })
      process.stdout.write(`${file}\n`)
    }
  if (!process.argv.includes('--docs')) return
  const small = { baseURL, storageState: await context.storageState(), deviceScaleFactor: 0.75 }
  const shown = await (await openContext(browser, small)).newPage()
  for (const { name, ...look } of CHOSEN) {
    await show(shown, `/w/${workspaceId}${pages[name] ?? ''}`, look)
    const file = `${name}-${look.width}-${look.colorScheme}.jpg`
    await shown.screenshot({ path: join(DOCS, file), quality: JPEG_QUALITY })
  }
}

mkdirSync(FOLDER, { recursive: true })
const kept = process.env['PLIMSOLL_DATA_DIR']
const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'plimsoll-pictures-'))
const { child, link } = await startDemo(dataDir)
const browser = await openBrowser()
try {
  await takePictures(browser, link)
} finally {
  await browser.close()
  await endProcess(child, 'SIGINT')
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true })
}
