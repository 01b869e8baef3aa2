/** Keys never become acts: what is typed on a slow line changes nothing, unless the same key press shows what it did. */
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContextOptions, Page, Request } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { isDeep } from '../../server/test/property-runs.ts'
import { openContext, openPage } from './browser.ts'
import { givenMatchedVersion, isChange, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

/** Of a request and of its answer, together. */
const LATENCIES_MS = [0, 100, 250, 1000]
const KEY_MS = 60

interface Listed {
  findings: { firmwareVersions: { findingId: string }[]; cveId: string }[]
}

/** What people type, with each letter that is a key of some page. A page gets one of them, in the deep tests all. */
const TEXTS = ['xi an1 ez', '1n ix', 'an ai z', 'ei 1a nx']

export function keys(running: () => RunningPortal): void {
  let service: PortalWorkspace
  /** `paths`: pages with keys of their own. `others`: pages with the common keys only. */
  let paths: string[]
  let others: string[]
  /** The session of the person who has signed in. */
  let session: BrowserContextOptions = {}

  beforeAll(async () => {
    service = await running().service.openWorkspace('Keys', 'keys@example.com')
    const versionId = await givenFindings(service)
    const { findings } = await service.ask<Listed>('POST', '/vulnerability-findings/list', {
      filter: {},
    })
    const [first] = findings
    await service.ask('POST', '/devices', { id: 'pump-1' })
    paths = [
      '/findings',
      '/findings?group=component',
      '/findings?group=single',
      `/findings/${first?.firmwareVersions[0]?.findingId ?? ''}`,
      `/vulnerabilities/${first?.cveId ?? ''}`,
      `/versions/${versionId}`,
      '/devices',
    ]
    others = [
      '',
      '/standing-decisions',
      '/firmware',
      `/versions/${versionId}?tab=components`,
      '/devices/pump-1',
      '/exposure',
      '/deployments',
      '/deployments/new',
      '/alerts',
      '/alerts?tab=rules',
      '/alerts/rules/new',
      '/settings/members',
      '/settings/audit-log',
      '/you',
    ]
    const { page } = await open(0)
    await signedIn(page, service)
    session = { storageState: await page.context().storageState() }
    await page.context().close()
  })

  /** A page whose requests take as long, and what it sent that changes something, with what the page said then. */
  const open = async (latency: number) => {
    const context = await openContext(running().browser, session)
    const page = await openPage(context, service.url, { list: [] })
    const unseen: string[] = []
    let isSlow = false
    page.on('request', (request) => {
      if (!isChange(request)) return
      const notice = page.locator('[data-notice]').count()
      void notice.then((count) => count === 0 && unseen.push(describe(request)))
    })
    await context.route('**/*', async (route) => {
      if (isSlow) await delay(latency)
      await route.continue().catch(() => undefined)
    })
    const slow = () => {
      isSlow = true
    }
    return { page, unseen, slow }
  }

  it('sends nothing unasked, whatever is typed on whatever page, on a slow line', async () => {
    const runs = LATENCIES_MS.map(async (latency, run) => {
      const { page, unseen, slow } = await open(latency)
      await page.goto(`${service.url}/w/${service.workspaceId}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      slow()
      const some = others.filter((_, index) => isDeep || index % LATENCIES_MS.length === run)
      for (const [index, path] of [...paths, ...some].entries())
        for (const text of isDeep ? TEXTS : [TEXTS[index % TEXTS.length] ?? '']) {
          await show(page, `/w/${service.workspaceId}${path}`)
          await type(page, text)
          await page.keyboard.press('Enter')
          await page.keyboard.press('Control+k')
          await type(page, 'ai')
          await page.keyboard.press('Escape')
        }
      await page.context().close()
      return unseen.map((request) => `${latency} ms: ${request}`)
    })
    expect((await Promise.all(runs)).flat()).toEqual([])
  })

  it('keeps what is typed after the key for the search, and opens what was meant', async () => {
    const { page, slow } = await open(250)
    await page.goto(`${service.url}/w/${service.workspaceId}/findings`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    slow()
    await page.keyboard.press('Control+k')
    await type(page, 'pump-1')
    await page.keyboard.press('Enter')

    await page.waitForURL(/\/devices\/pump-1$/)
    await page.context().close()
  })

  it('decides one after another on a slow line without a lost key, and takes it back', async () => {
    const { page, unseen, slow } = await open(250)
    await page.goto(`${service.url}/w/${service.workspaceId}/findings`)
    const current = page.locator('[aria-current="true"] code').first()
    await current.waitFor()
    await page.getByRole('button', { name: /^Decide/ }).waitFor()
    slow()
    const decided: string[] = []
    for (const place of [1, 2, 3]) {
      decided.push((await current.textContent()) ?? '')
      await type(page, `2nin ${place}`)
      await page.keyboard.press('Enter')
    }
    await page.getByText('3 decided this session').click()
    // Each is answered: the notice may speak of the second one while the third is still on its way.
    const acts = page.getByRole('list', { name: 'This session' })
    await acts.getByRole('button', { name: /^Undo/ }).nth(2).waitFor()
    const taken = decided.slice(1).toReversed()
    for (const cveId of taken) {
      await page.keyboard.press('z')
      await page
        .locator('[data-notice="undone"]')
        .getByText(`Taken back: 1 finding of ${cveId}: Not affected`)
        .waitFor()
    }
    await page.getByText('1 decided this session').waitFor()
    await acts.getByText('taken back').nth(1).waitFor()
    await page.context().close()

    const notes = decided.map(async (cveId) => {
      const { findings } = await service.ask<Listed>('POST', '/vulnerability-findings/list', {
        filter: { cveIds: [cveId] },
      })
      const id = findings[0]?.firmwareVersions[0]?.findingId ?? ''
      const { assessment, detail } = await service.ask<Record<'assessment' | 'detail', string>>(
        'GET',
        `/vulnerability-findings/${id}`,
      )
      return { assessment, detail }
    })
    expect(await Promise.all(notes)).toEqual([
      { assessment: 'NotAffected', detail: 'in 1' },
      { assessment: 'NotAssessed', detail: null },
      { assessment: 'NotAssessed', detail: null },
    ])
    expect(unseen).toEqual([])
  })
}

function describe(request: Request): string {
  return `${request.method()} ${new URL(request.url()).pathname} ${request.postData() ?? ''}`
}

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text, { delay: KEY_MS })
}

/** As a link does: without loading everything again. */
async function show(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => history.pushState({}, '', to), path)
}

async function givenFindings(service: PortalWorkspace): Promise<string> {
  const { id } = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
  return givenMatchedVersion(service, id, { name: '2.4.0' })
}
