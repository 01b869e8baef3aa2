/**
 * The job that the portal is for, whole, on a slow line: fifty findings decided by keyboard, three decisions taken back, twelve
 * tabs, one page that answers all about a CVE, and the roll-out that begins there. Every request that changes something is
 * compared with what was meant.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, openContext, openPage } from './browser.ts'
import { givenMatchedVersion, isChange, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

const LATENCY_MS = 250
const KEY_MS = 60
const TABS = 12
const NEWS = 'CVE-2024-1086'
const PATHS = [
  '',
  '/findings',
  '/findings?group=component',
  `/vulnerabilities/${NEWS}`,
  '/firmware',
  '/devices',
  '/devices/gw-1',
  '/deployments',
  '/alerts',
  '/settings/audit-log',
]
const DEVICES = ['gw-1', 'gw-2', 'gw-3']

/** Twelve of each of four products, so that a vulnerability follows itself in the list, and the kernel and the archiver: fifty. */
const TWELVE = [...Array(12).keys()]
const PRODUCTS = [
  { name: 'linux', cpe: 'o:linux:linux_kernel', versions: ['6.1.55'] },
  { name: 'xz', cpe: 'a:tukaani:xz', versions: ['5.6.1'] },
  { name: 'curl', cpe: 'a:haxx:curl', versions: TWELVE.map((minor) => `7.${70 + minor}.0`) },
  { name: 'zlib', cpe: 'a:zlib:zlib', versions: TWELVE.map((patch) => `1.2.${patch}`) },
  { name: 'glibc', cpe: 'a:gnu:glibc', versions: TWELVE.map((patch) => `2.36.${patch}`) },
  {
    name: 'mosquitto',
    cpe: 'a:eclipse:mosquitto',
    versions: TWELVE.map((patch) => `1.6.${patch}`),
  },
]

interface Made {
  id: string
}

interface Listed {
  findings: {
    cveId: string
    componentName: string
    componentVersion: string
    firmwareVersions: { findingId: string }[]
  }[]
}

/** A decision as it is meant, and as it is sent. */
interface Decision {
  assessment: string
  detail: string
  findingIds: string[]
}

const ASSESSMENTS = { '1': 'Exploitable', '2': 'NotAffected', '4': 'FalsePositive' }

export function mainJob(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let cohortId = ''
  let fixedId = ''
  const complaints: Complaints = { list: [] }
  /** What was sent that changes something, by any tab. */
  const sent: Request[] = []
  let isSlow = false

  beforeAll(async () => {
    service = await running().service.openWorkspace('Main job', 'main-job@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const given = await givenFleet(service, page)
    cohortId = given.cohortId
    fixedId = given.fixedId
    context.on('request', (request) => isChange(request) && sent.push(request))
    await context.route('**/*', async (route) => {
      if (isSlow) await delay(LATENCY_MS)
      await route.continue().catch(() => undefined)
    })
  })

  const at = (path: string) => `${service.url}/w/${service.workspaceId}${path}`
  const listFindings = async () => {
    const asked = { filter: {}, limit: 100 }
    const { findings } = await service.ask<Listed>('POST', '/vulnerability-findings/list', asked)
    return new Map(
      findings.map((finding) => [
        `${finding.cveId} ${finding.componentName} ${finding.componentVersion}`,
        finding.firmwareVersions.map(({ findingId }) => findingId).toSorted(),
      ]),
    )
  }
  const readSent = () => sent.splice(0).map(describeChange)

  it('decides fifty findings by keyboard without a lost key, and takes three decisions back', async () => {
    const ids = await listFindings()
    expect(ids.size).toBe(50)
    await page.goto(at('/findings?group=single'))
    const row = page.locator('[aria-current="true"]')
    await row.waitFor()
    await page.getByRole('button', { name: /^Decide/ }).waitFor()
    isSlow = true
    const meant: Decision[] = []
    for (const place of Array(50).keys()) {
      const named = await readRow(page)
      const key = named.startsWith(NEWS) ? '1' : place % 3 === 0 ? '4' : '2'
      const detail = `zinc jar ${place}`
      meant.push({ assessment: ASSESSMENTS[key], detail, findingIds: ids.get(named) ?? [named] })
      await page.keyboard.type(`${key}n${detail}`, { delay: KEY_MS })
      await page.keyboard.press('Enter')
    }
    for (const _ of [1, 2, 3]) await page.keyboard.press('z')
    await page.getByText('47 decided this session').click()
    const acts = page.getByRole('list', { name: 'This session' })
    await acts.getByText('taken back').nth(2).waitFor()
    isSlow = false

    const changes = readSent()
    expect(changes.slice(0, 50)).toEqual(meant)
    expect(changes.slice(50)).toEqual(Array(3).fill('POST undo'))
    await expect.poll(() => page.getByRole('textbox', { name: /^Note/ }).inputValue()).toBe('')
  })

  it('loads twelve tabs, over HTTP/1.1 and on the slow line', async () => {
    const paths = [...PATHS, `/versions/${fixedId}`, `/deployments/${cohortId}`]
    expect(paths).toHaveLength(TABS)
    isSlow = true
    const tabs = await Promise.all(
      paths.map(async (path) => {
        const tab = await openPage(context, service.url, complaints)
        const answer = await tab.goto(at(path), { waitUntil: 'commit' })
        return { tab, answer }
      }),
    )
    for (const { tab } of tabs) {
      await tab.getByRole('heading', { level: 1 }).waitFor()
      await tab.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
    }
    isSlow = false
    const version = await tabs[0]?.tab.evaluate(() =>
      performance
        .getEntriesByType('navigation')
        .map((entry) => (entry as PerformanceNavigationTiming).nextHopProtocol),
    )
    for (const { tab } of tabs.slice(1)) await tab.close()

    expect(tabs.map(({ answer }) => answer?.status())).toEqual(Array(TABS).fill(200))
    expect(version).toEqual(['http/1.1'])
    expect(readSent()).toEqual([])
  })

  it('answers all about a CVE on one page, and rolls the fix out from there', async () => {
    isSlow = true
    await page.keyboard.press('Control+k')
    await page.keyboard.type(NEWS, { delay: KEY_MS })
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`/vulnerabilities/${NEWS}$`))
    // Where, since when, fixed in what; who runs it; what was decided by whom; what goes out next.
    await page
      .getByRole('heading', {
        name: /^On 3 devices in 1 version since \d+ \w+\. Fixed upstream in 6\.1\.76; Gateway 2\.5\.0 holds the fix\.$/,
      })
      .waitFor()
    const runs = page.getByRole('row', {
      name: /Gateway 2\.4\.0 6\.1\.55 Exploitable main-job@example\.com/,
    })
    await runs.getByRole('link', { name: '3 devices' }).waitFor()
    await page.getByText('Exploitable for 2 findings, by main-job@example.com').waitFor()
    await page.getByText('3 devices in Pilots: 3 can take it now.').waitFor()
    await page.getByRole('link', { name: 'Deploy the fix to 3 devices…' }).first().click()

    await page.getByRole('group', { name: 'Phase 1' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Cohort' }).inputValue()).toBe('Pilots')
    await page.getByText(/^\d+ vulnerabilit(y goes|ies go), 0 come on 3 devices\.$/).waitFor()
    expect(readSent()).toEqual([])
    await page.getByRole('button', { name: 'Deploy to 3 devices' }).click()
    await page.waitForURL(/\/deployments\/[-0-9a-f]+\/[-0-9a-f]+$/)
    isSlow = false

    const deploymentId = page.url().split('/').at(-1) ?? ''
    const made = await service.ask<object>(
      'GET',
      `/deployment-cohorts/${cohortId}/deployments/${deploymentId}`,
    )
    expect(made).toMatchObject({
      phases: [{ percent: 100 }],
      artifacts: [{ firmware: { firmwareVersion: { id: fixedId } } }],
      deviceUpdateStateCounts: { pending: DEVICES.length },
    })
    expect(readSent()).toEqual(['POST deployments'])
  })

  it('has complained of nothing', () => {
    expect(complaints.list).toEqual([])
  })
}

/** What the open row names, at one instant: the list may move up at any time. */
const readRow = (page: Page) =>
  page.evaluate(() => {
    const codes = document.querySelectorAll('[aria-current="true"] code')
    return [...codes].map(({ textContent }) => textContent).join(' ')
  })

/** The body of a decision, and of all else where it goes. */
function describeChange(request: Request): Decision | string {
  const { pathname } = new URL(request.url())
  if (!pathname.endsWith('/bulk-assess')) return `${request.method()} ${pathname.split('/').at(-1)}`
  const { assessment, detail, findingIds } = request.postDataJSON() as Decision
  return { assessment, detail, findingIds: findingIds.toSorted() }
}

/** Devices on 2.4.0, which has fifty findings, as 2.4.1 has; 2.5.0 has the kernel that is mended. */
async function givenFleet(service: PortalWorkspace, page: Page) {
  const { ask } = service
  const firmware = await ask<Made>('POST', '/firmwares', { slug: 'gateway', name: 'Gateway' })
  const affected = writeSbom(PRODUCTS)
  for (const name of ['2.4.0', '2.4.1'])
    await givenMatchedVersion(service, firmware.id, { name, sbom: affected })
  const fixedId = await givenMatchedVersion(service, firmware.id, {
    name: '2.5.0',
    sbom: writeSbom([{ name: 'linux', cpe: 'o:linux:linux_kernel', versions: ['6.1.90'] }]),
  })
  await ask('PUT', `/firmware-versions/${fixedId}/artifact?fileName=gw.bin`, Buffer.from('2.5.0'))
  const cohort = await ask<Made>('POST', '/deployment-cohorts', {
    name: 'Pilots',
    tagRule: { all: ['pilot'] },
  })
  const made = await page.request.post(
    `${service.url}/workspaces/${service.workspaceId}/device-keys`,
    { data: { name: 'gateways' }, headers: { origin: service.url } },
  )
  const { deviceKey } = (await made.json()) as { deviceKey: string }
  for (const id of DEVICES) {
    await ask('POST', '/devices', { id, tags: ['pilot'] })
    const answer = await fetch(`${service.url}/device/v1/${service.workspaceId}/${id}/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        session: { runId: id, firmware: [{ slug: 'gateway', version: '2.4.0' }] },
      }),
    })
    expect(answer.status).toBe(200)
  }
  return { cohortId: cohort.id, fixedId }
}

function writeSbom(products: typeof PRODUCTS): Buffer {
  const components = products.flatMap(({ name, cpe, versions }) =>
    versions.map((version) => ({
      type: 'library',
      'bom-ref': `${name}-${version}`,
      name,
      version,
      cpe: `cpe:2.3:${cpe}:${version}:*:*:*:*:*:*:*`,
    })),
  )
  const sbom = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components }
  return Buffer.from(JSON.stringify(sbom))
}
