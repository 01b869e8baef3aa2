/** Lists in a real browser: select, decide for many, group, choose columns, export, by mouse and by keyboard alone. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsOf, NARROW, openContext, openPage, WIDE } from './browser.ts'
import type { RunningPortal } from './running.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'

/** The box of a row, and not the one above all rows. */
const A_ROW = /^Select (?!the rows )/
const SBOM_WITHOUT_COMPONENTS =
  '{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":[]}'

const SBOM_OF_A_LIBRARY = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  components: [
    {
      type: 'library',
      name: 'libcurl3-gnutls',
      version: '8.3.0-1',
      purl: 'pkg:deb/acme/libcurl3-gnutls@8.3.0-1?upstream=curl',
      cpe: 'cpe:2.3:a:haxx:curl:8.3.0:*:*:*:*:*:*:*',
    },
  ],
})

export function lists(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let versionId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Lists', 'lists@example.com')
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', {
      slug: 'gateway',
      name: 'Gateway',
    })
    for (const name of ['2.4.0', '2.4.1'])
      versionId = await givenMatchedVersion(service, firmware.id, { name })
    context = await openContext(running().browser, { acceptDownloads: true })
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
  })

  const go = async (path: string) => {
    await page.goto(`${service.url}/w/${service.workspaceId}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  }
  const findFirmwareId = async () => {
    const { firmwares } = await service.ask<{ firmwares: { id: string }[] }>('GET', '/firmwares')
    return firmwares[0]?.id ?? ''
  }
  const boxes = () => page.getByRole('checkbox', { name: /^Select CVE-/ })
  const assessed = async (assessment: string) => {
    const filter = { assessments: [assessment] }
    const answer = await service.ask<{ matched: number }>(
      'POST',
      '/vulnerability-findings/bulk-ignore',
      {
        filter,
        ignored: true,
        dryRun: true,
      },
    )
    return answer.matched
  }

  it('exports no VEX before anything is decided, and says why', async () => {
    await go(`/versions/${versionId}?tab=documents`)

    const row = page.getByRole('listitem').filter({ hasText: 'States nothing yet' })
    for (const name of ['OpenVEX', 'CycloneDX VEX', 'CSAF VEX'])
      await row.getByRole('button', { name, disabled: true }).waitFor()
  })

  it('hands out what leaves the house from one menu, with the reason where there is nothing', async () => {
    await go(`/versions/${versionId}`)
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page
      .getByRole('menuitem', { name: 'OpenVEX: states nothing yet', disabled: true })
      .waitFor()
    const sarif = page.getByRole('menuitem', { name: 'SARIF' })
    const saved = page.waitForEvent('download')
    await sarif.click()
    expect((await saved).suggestedFilename()).toMatch(/sarif/)

    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Badge for a README…' }).click()
    const badge = page.getByRole('img', { name: 'The badge as it is now' })
    await badge.waitFor()
    await badge.evaluate((image: HTMLImageElement) => image.decode())
    await page.getByRole('button', { name: /^Copy Markdown !\[Firmware\]\(http/ }).waitFor()
    await page.keyboard.press('Escape')
    await badge.waitFor({ state: 'detached' })
  })

  it('says where each finding ends, also where none of ours holds the fix', async () => {
    const { firmwareVersions } = await service.ask<{
      firmwareVersions: { id: string; name: string; firmware: { id: string } }[]
    }>('GET', `/firmwares/${await findFirmwareId()}/versions`)
    const older = firmwareVersions.find(({ name }) => name === '2.4.0')
    await go(`/versions/${older?.id ?? ''}`)
    await page.getByRole('columnheader', { name: 'Ours' }).waitFor()
    // The next version holds the same components.
    await page.getByRole('cell', { name: 'none yet' }).first().waitFor()
    await page.getByRole('link', { name: '2.4.1' }).first().waitFor()

    await go(`/versions/${versionId}`)
    await page.getByRole('cell', { name: 'none later' }).first().waitFor()
  })

  it('decides for rows that were selected by mouse, and says before for how many findings', async () => {
    await go('/findings')
    await boxes().nth(0).click()
    await boxes()
      .nth(1)
      .click({ modifiers: ['Shift'] })
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: /Assess…/ }).click()
    const dialog = page.getByRole('dialog')
    // Each vulnerability is in both versions.
    await dialog.getByText(/^4 findings now: 4 not assessed\.$/).waitFor()
    await dialog.getByRole('button', { name: /In triage/ }).click()
    await dialog.getByRole('button', { name: 'Decide 4 findings' }).click()

    await page.locator('[data-notice="done"]').getByText('4 findings: In triage').waitFor()
    expect(await assessed('InTriage')).toBe(4)
  })

  it('ignores all that match by keyboard alone, and shows them again', async () => {
    await go('/findings?severity=Critical')
    const total = await page.getByText(/^\d+ vulnerabilit(y|ies)$/).textContent()
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Shift+A')
    const all = page.getByRole('button', { name: /Select all \d+ that match/ })
    expect(await all.count()).toBe(0)
    await page.keyboard.press('i')
    await page.locator('button:focus', { hasText: /Ignore \d+ finding/ }).waitFor()
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor()
    await page.getByRole('button', { name: 'Show decided ones too' }).click()
    await page.getByText(total ?? '', { exact: true }).waitFor()
  })

  it('tells, when one comes back, how far a large decision is, that it is done, and that one was stopped', async () => {
    const [begun, stopped] = [randomUUID(), randomUUID()]
    const insert = `insert into decision_runs (workspace_id, id, is_undo, act, assessment, created_by_email,
        started_at, finding_count, done_count)
      values ($3, $1, false, 'Assess', 'Exploitable', 'lists@example.com', now() + $2::interval, 31749, 12000)`
    // One that has just begun is running; one without its lock was stopped.
    await service.write(insert, [begun, '1 hour', service.workspaceId])
    await go('/findings')

    const notice = page.locator('[data-notice]')
    await notice.getByText('12,000 of 31,749').waitFor()
    await notice.getByText('It goes on when this page is closed.').waitFor()
    await service.write('update decision_runs set done_count = 31000 where id = $1', [begun])
    await notice.getByText('31,000 of 31,749').waitFor()
    await service.write(
      `insert into decision_batches (workspace_id, id, created_at, source, created_by_email, act, assessment,
          finding_count, vulnerability_ids, vulnerability_count)
        select workspace_id, id, now(), 'User', created_by_email, act, assessment, 0, '{}', 0
        from decision_runs where id = $1`,
      [begun],
    )
    await service.write('delete from decision_runs where id = $1', [begun])
    const done = page.locator('[data-notice="done"]').getByText('31,749 findings: Exploitable')
    await done.waitFor()
    await page.getByRole('button', { name: 'Undo z', exact: true }).waitFor()

    await service.write(insert, [stopped, '-1 hour', service.workspaceId])
    await go('/findings')
    await page
      .getByText(/^Not done: 31,749 findings: Exploitable\. It ended in the middle/)
      .waitFor()
    await go('/findings')
    expect(await page.getByText(/^Not done/).count()).toBe(0)
    await service.write('delete from decision_runs where id = $1', [stopped])
  })

  it('has as many rows as each chip says', async () => {
    const total = page.locator('section header [role=status]')
    await go('/findings')
    for (const chip of [/^Exploited/, /^New since/, /^Overdue/, /^Check again/]) {
      const button = page.getByRole('button', { name: chip })
      await button.getByText(/^\d+$/).waitFor()
      const counted = Number((await button.getByText(/^\d+$/).textContent()) ?? '')
      await button.click()
      await total.getByText(new RegExp(`^${counted} vulnerabilit`)).waitFor()
      await button.click()
    }
  })

  it('has as many rows as the tabs of a version say, and explains a component', async () => {
    await go(`/versions/${versionId}`)
    for (const name of ['Findings', 'Components']) {
      const tab = page.getByRole('tab', { name: new RegExp(String.raw`^${name} \d+`) })
      await tab.click()
      const counted = Number.parseInt((await tab.locator('span').textContent()) ?? '', 10)
      const table = page.getByRole('table', { name })
      await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(counted + 1))
    }
    await page.getByLabel('Filter by licence').fill('zlib')
    await page.getByRole('row', { name: /openssl/ }).waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^zlib/ }).click()
    const pane = page.getByRole('complementary', { name: 'Component' })
    await pane.getByText('acme-gateway').waitFor()
    await pane.getByRole('textbox').fill('CVE-2023-38545')
    await page.keyboard.press('Enter')

    await pane.getByText(/No record of the vulnerability has a name of this component/).waitFor()
    await pane.getByText('As the record has it').first().click()
    await pane.getByText('haxx:curl').first().waitFor()
  })

  it('shows what a VEX document decides before it is imported, and deletes it', async () => {
    const document = {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': 'https://example.com/vex/1',
      author: 'Maker of curl',
      timestamp: new Date().toISOString(),
      version: 1,
      statements: [
        {
          vulnerability: { name: 'CVE-2023-48795' },
          products: [{ '@id': 'pkg:generic/gateway@2.4.1' }],
          status: 'not_affected',
          justification: 'vulnerable_code_not_present',
        },
      ],
    }
    await go(`/versions/${versionId}?tab=documents`)
    await page.getByRole('link', { name: 'OpenVEX' }).waitFor()
    const buffer = Buffer.from(JSON.stringify(document))
    const file = { name: 'curl.json', mimeType: 'application/json', buffer }
    await page.getByLabel('VEX document').setInputFiles(file)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('OpenVex of Maker of curl').waitFor()
    expect(await assessed('NotAffected')).toBe(0)
    await dialog.getByRole('button', { name: /^Import, decide \d finding/ }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Maker of curl' })
    await row.waitFor()
    await row.getByRole('button', { name: /Delete/ }).click()
    await dialog.getByText('What it decided stays decided.').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await row.getByRole('button', { name: /Delete/ }).click()
    await dialog.getByRole('button', { name: 'Delete document' }).click()

    await page.getByText('None yet. A supplier’s VEX document').waitFor()
  })

  it('frames the state of a past day, and leads back to now', async () => {
    await go(`/versions/${versionId}?asOf=2020-01-01T00:00:00.000Z`)
    await page.getByText('You look at the state of 1 Jan 2020').waitFor()
    await page.getByText('Not there yet').waitFor()
    expect(await boxes().count()).toBe(0)
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Report to print' }).click()
    const report = await opened
    await report.getByText('The version did not exist yet').waitFor()
    await report.close()

    await page.getByRole('button', { name: 'Back to now' }).click()

    await boxes().first().waitFor()
  })

  it('shows the day that was chosen, with ages of then, and no number of now without saying so', async () => {
    const { browser } = running()
    const later = await openContext(browser, { storageState: await context.storageState() })
    const then = await openPage(later, service.url, complaints)
    const asOf = new Date().toISOString()
    await then.clock.setFixedTime(Date.now() + 20 * 86_400_000)
    const url = `${service.url}/w/${service.workspaceId}/versions/${versionId}`
    await then.goto(`${url}?asOf=${asOf}`)
    await then.getByText('Not known for the past: mark, release gate, devices').waitFor()
    const row = then.getByRole('row').nth(1)
    await row.waitFor()
    const field = then.getByLabel('Show the state at the end of a past day')
    expect(await field.inputValue()).toBe(new Date(asOf).toLocaleDateString('sv'))
    expect(await row.locator('time').textContent()).not.toMatch(/ d$/)
    expect(await then.getByRole('columnheader').allTextContents()).not.toContain('EPSS')

    await row.click()

    await then.getByText('what is marked as of now is of now').waitFor()
    await then.getByText(/on \d+ devices? now/).waitFor()
    await then.getByText('EPSS score of then: not known').waitFor()
    expect(await then.getByText('no EPSS score').count()).toBe(0)
    const trail = then.getByRole('navigation', { name: 'You are here' })
    await trail.getByRole('link', { name: /^CVE-/ }).click()
    await then.getByText('Not known for the past: marks, devices, due dates').waitFor()
    const were = then.getByRole('table', { name: 'Versions that had it' })
    await were.getByRole('link').first().click()
    await then.waitForURL(/versions\/[^?]+\?asOf=/)
    await row.getByRole('link', { name: /^CVE-/ }).click()
    await were.waitFor()
    expect(await then.getByText(/\d+ devices?\b/).count()).toBe(0)
    await then.getByRole('button', { name: 'Back to now' }).click()
    await then.getByRole('table', { name: 'Versions that have it' }).waitFor()
    await then.goto(url)
    await field.fill('2025-10-11')
    await then.getByText(/the end of Saturday,? 11 October 2025/).waitFor()
    expect(await field.inputValue()).toBe('2025-10-11')
    await later.close()
  })

  it('groups by outcome of SSVC: each heading has as many findings as its list, by mouse and by keyboard', async () => {
    await go('/findings')
    await page.getByRole('button', { name: 'By outcome' }).click()
    await page.waitForURL(/group=outcome/)
    const { bySsvcOutcome } = await service.ask<{
      bySsvcOutcome: { outcome: string; totalCount: number }[]
    }>('POST', '/vulnerability-findings/counts', {
      groupBy: 'Finding',
      filter: { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] },
      chips: ['bySsvcOutcome'],
    })
    const headings = page.getByRole('heading', { level: 2 }).getByRole('button')
    await headings.first().waitFor()
    expect(await headings.allTextContents()).toEqual(
      bySsvcOutcome.map(
        ({ outcome, totalCount }) =>
          `${outcome}${totalCount} ${totalCount === 1 ? 'finding' : 'findings'}`,
      ),
    )
    const first = bySsvcOutcome.find(({ totalCount }) => totalCount > 0)
    const told = (of: typeof first) =>
      page
        .getByRole('status')
        .filter({ hasText: new RegExp(`^${of?.outcome.replace('*', '\\*')}: ${of?.totalCount} `) })
        .waitFor()
    await told(first)
    const other = bySsvcOutcome.find((one) => one.totalCount > 0 && one !== first)
    if (other) {
      await headings
        .filter({ hasText: new RegExp(`^${other.outcome.replace('*', '\\*')}\\d`) })
        .focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/outcome=/)
      await told(other)
    }
  })

  it('groups by component, in the address, and decides for all of one', async () => {
    await go('/findings')
    await page.getByRole('button', { name: 'By component' }).click()
    await page.waitForURL(/group=component/)
    const opened = page.locator('[aria-current="true"] code').first()
    const name = await opened.textContent()
    const before = await assessed('Resolved')
    await page.getByText(/findings? now:/).waitFor()
    await page.getByRole('radio', { name: /later ones too/ }).check()
    await page.getByText(/findings? now:/).waitFor()
    await page.keyboard.press('3')
    await page.keyboard.press('n')
    await page.keyboard.type('Patched by hand')
    await page.keyboard.press('Enter')

    await page.locator('[data-notice="done"]').waitFor()
    await page.getByText('1 decided this session').waitFor()
    expect(await opened.textContent()).not.toBe(name)
    expect(await assessed('Resolved')).toBeGreaterThan(before)
    const { standingDecisions } = await service.ask<{ standingDecisions: object[] }>(
      'GET',
      '/standing-decisions',
    )
    expect(standingDecisions).toContainEqual(
      expect.objectContaining({ componentName: name, assessment: 'Resolved' }),
    )
    await page.getByRole('button', { name: 'Single' }).click()
    await page.waitForURL(/group=single/)
    await page.getByRole('button', { name: /^Decide/ }).waitFor()
  })

  it('moves through a table by keys, selects, and opens the row', async () => {
    await go(`/versions/${versionId}`)
    await boxes().first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    expect(await boxes().nth(1).getAttribute('aria-checked')).toBe('true')

    await page.keyboard.press('Enter')

    await page.waitForURL(/\/findings\//)
  })

  it('keeps the row in sight that one is at, by keys', async () => {
    await page.setViewportSize({ width: WIDE.width, height: 420 })
    await go('/findings?show=all')
    await page.locator('[aria-current="true"] code').first().waitFor()
    const list = page.locator('[data-scroll]', { has: page.locator('li[aria-posinset]') }).last()
    const current = list.locator('li', { has: page.locator('[aria-current="true"]') })
    const count = Number(await list.locator('li').first().getAttribute('aria-setsize'))
    expect(count).toBeGreaterThan(4)

    for (let place = 2; place <= count; place++) {
      await page.keyboard.press('j')
      await expect.poll(() => current.getAttribute('aria-posinset')).toBe(String(place))
      const foot = async () => {
        const [row, all] = await Promise.all([current.boundingBox(), list.boundingBox()])
        return (all?.y ?? 0) + (all?.height ?? 0) - (row?.y ?? 0) - (row?.height ?? 0)
      }
      await expect.poll(foot).toBeGreaterThanOrEqual(0)
    }
    await page.setViewportSize(WIDE)
  })

  it('draws the rows where a fast scroll ends', async () => {
    await page.setViewportSize({ width: WIDE.width, height: 360 })
    await go(`/versions/${versionId}`)
    await page.getByRole('row').nth(1).hover()
    const count = await page.getByRole('table', { name: 'Findings' }).getAttribute('aria-rowcount')

    await page.mouse.wheel(0, 4_000)

    const last = page.locator(`[role=row][aria-rowindex="${count}"]`)
    const foot = async () => ((await last.boundingBox())?.y ?? Infinity) + 28
    await expect.poll(foot).toBeLessThan(360)
    await last.getByRole('cell', { name: /CVE-/ }).first().waitFor()
    await page.setViewportSize(WIDE)
  })

  it('keeps the choice of columns and density for the next visit', async () => {
    await go(`/versions/${versionId}`)
    await page.getByRole('columnheader', { name: 'EPSS' }).waitFor()
    await page.getByRole('button', { name: 'View and export' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'EPSS' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact' }).click()

    await page.reload()

    await page.getByRole('columnheader', { name: 'Title' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'EPSS' }).count()).toBe(0)
    expect((await page.getByRole('row').nth(1).boundingBox())?.height).toBe(28)
  })

  it('keeps a view under a name, opens it, and brings it back when it was deleted', async () => {
    await go('/findings?severity=High&sort=CveId')
    const menu = () => page.getByRole('button', { name: 'View and export' }).click()
    await menu()
    await page.getByRole('menuitem', { name: 'Save or change views…' }).click()
    await page.getByRole('textbox', { name: /^Save what is shown now as/ }).fill('High first')
    await page.getByRole('checkbox', { name: 'Share it with all members' }).check()
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await go('/findings')
    await menu()
    await page.getByRole('menuitem', { name: 'High first' }).click()
    await page.waitForURL(/severity=High&sort=CveId$/)
    await menu()
    await page.getByRole('menuitem', { name: 'Save or change views…' }).click()
    await page.getByRole('button', { name: 'Delete the view High first' }).click()
    await page.locator('[data-notice="done"]').getByText('View “High first” deleted').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Undo/ }).click()
    await menu()
    await page.getByRole('menuitem', { name: 'High first' }).waitFor()
    await page.keyboard.press('Escape')
    const { savedViews } = await service.ask<{ savedViews: { id: string }[] }>(
      'GET',
      '/saved-views',
    )
    expect(savedViews).toMatchObject([
      { list: 'findings', search: '?severity=High&sort=CveId', isShared: true },
    ])

    await go('/findings?severity=Low')
    await menu()
    await page.getByRole('menuitem', { name: 'Save or change views…' }).click()
    const read = page.waitForResponse(/\/saved-views\/[0-9a-f-]+$/)
    await page.getByRole('textbox', { name: /^Save what is shown now as/ }).fill('High first')
    await read
    const theirs = { name: 'High first', search: '?severity=Critical', isShared: true }
    const changed = await page.request.put(
      `${service.url}/workspaces/${service.workspaceId}/saved-views/${savedViews[0]?.id}`,
      { data: theirs, headers: { origin: service.url } },
    )
    expect(changed.status()).toBe(200)
    const replace = () => page.getByRole('button', { name: 'Replace the view' }).click()
    await replace()
    await page.getByText('Nothing was saved: somebody else changed this view meanwhile.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(await service.ask('GET', '/saved-views')).toMatchObject({ savedViews: [theirs] })
    await replace()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await service.ask('GET', '/saved-views')).toMatchObject({ savedViews: [] })
  })

  it('opens the page anew where a newer build has replaced one of its files', async () => {
    const other = await openPage(context, service.url, { list: [] })
    let asked = 0
    await other.route(/\/list-menu-panel-[^/]*\.js$/, async (route) => {
      asked += 1
      await (asked === 1 ? route.fulfill({ status: 404 }) : route.continue())
    })
    const address = `${service.url}/w/${service.workspaceId}/findings?severity=High`
    await other.goto(address)
    const menu = other.getByRole('button', { name: 'View and export' })
    await menu.waitFor()
    await Promise.all([other.waitForEvent('load'), menu.click()])
    expect(other.url()).toBe(address)
    await menu.click()
    await other.getByRole('menuitem', { name: 'Save or change views…' }).waitFor()
    await other.close()
  })

  it('exports what the list shows', async () => {
    await go('/findings?show=all&severity=High')
    const total = await page.getByText(/^\d+ vulnerabilit(y|ies)$/).textContent()
    await page.getByRole('button', { name: 'View and export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /CSV/ }).click()

    const download = await downloading
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n')

    expect(download.suggestedFilename()).toBe('vulnerabilities.csv')
    expect(lines.length - 1).toBe(Number.parseInt(total ?? '', 10))

    await go('/firmware')
    await page.getByRole('button', { name: 'View and export' }).click()
    const another = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /CSV/ }).click()
    const firmware = readFileSync(await (await another).path(), 'utf8')
    expect(firmware.split('\r\n')).toEqual([
      'firmware,name,version,versionId,mark,sentence,devices,Critical,High,Medium,Low',
      expect.stringMatching(/^gateway,Gateway,2\.4\.\d,/),
      expect.stringMatching(/^gateway,Gateway,2\.4\.\d,/),
      '',
    ])
  })

  it('prints every row that is here, without the frame, and says who printed it', async () => {
    await go('/findings?show=active')
    const all = await page.getByText(/^\d+ vulnerabilities$/).textContent()
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })

    await page.getByText(/Lists · printed by .* on /).waitFor()
    const list = page.getByRole('list', { name: 'Vulnerabilities' })
    await expect.poll(() => list.getByRole('listitem').count()).toBe(Number.parseInt(all ?? '', 10))
    await expect.poll(() => page.getByRole('link', { name: 'Overview' }).isVisible()).toBe(false)
    const paper = (element: Element) => getComputedStyle(element).getPropertyValue('--surface')
    expect(await page.locator('body').evaluate(paper)).toMatch(/^#f{3,6}$/)
    await page.emulateMedia({ media: null, colorScheme: null })
    await page.getByRole('link', { name: 'Overview' }).waitFor()
  })

  it('lists what also holds for findings to come, and removes it', async () => {
    await service.ask('POST', '/vulnerability-findings/bulk-assess', {
      filter: { cveIds: ['CVE-2023-28366'] },
      alsoFuture: true,
      assessment: 'NotAffected',
      justification: 'code_not_reachable',
      detail: 'No QoS 2 here',
    })
    await go('/standing-decisions')
    const row = page.getByRole('row', { name: /CVE-2023-28366.*Not affected.*No QoS 2 here/ })
    await row.waitFor()
    await row.getByRole('button', { name: /Remove/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove decision' }).click()

    await row.waitFor({ state: 'detached' })
  })

  it('shows a finding with what happened, devices by day, and a link to copy', async () => {
    await go('/findings?group=single&show=all')
    await page.getByRole('button', { name: /^Decide/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/findings\/[^?]/)
    await page.getByText('Found here').waitFor()
    await page
      .getByText(/Record of .* last changed|Published/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Copy link' }).waitFor()
    // Of all versions tells the page of the vulnerability.
    await page.getByRole('link', { name: /All about it|ha(s|ve) it too/ }).click()
    await page.waitForURL(/\/vulnerabilities\//)
    await page.getByText(/One day is no curve yet|Devices with it, 90 days/).waitFor()
  })

  it('names a component as its SBOM does, with its source, and marks what is disputed', async () => {
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'sensor' })
    const ofLibrary = await givenMatchedVersion(service, firmware.id, {
      name: '1.0.0',
      sbom: Buffer.from(SBOM_OF_A_LIBRARY),
    })
    const disputed = 'update vulnerabilities set is_disputed = true where id = $1'
    await service.write(disputed, ['CVE-2023-38545'])

    await go(`/findings?group=single&show=all&version=${ofLibrary}`)
    const row = page.getByRole('link', { name: /CVE-2023-38545.*disputed/ })
    await row.getByText('libcurl3-gnutls 8.3.0-1, of curl', { exact: true }).waitFor()

    await go(`/findings?group=component&show=all&version=${ofLibrary}`)
    const pane = page.getByRole('region', { name: 'Component curl' })
    const listed = pane.getByRole('listitem').filter({ hasText: 'CVE-2023-38545' })
    await listed.getByText('disputed', { exact: true }).waitFor()
  })

  const drop = async (files: Record<string, string>) => {
    const dataTransfer = await page.evaluateHandle((given) => {
      const dropped = new DataTransfer()
      for (const [name, text] of Object.entries(given)) dropped.items.add(new File([text], name))
      return dropped
    }, files)
    await page.locator('[data-scroll]').dispatchEvent('drop', { dataTransfer })
  }

  it('takes several files dropped on the page of a version, and says which cannot be read', async () => {
    await go(`/versions/${versionId}?tab=sboms`)
    await drop({ 'more.cdx.json': SBOM_WITHOUT_COMPONENTS, 'notes.txt': 'no SBOM' })
    await page.getByRole('button', { name: 'Upload 2 files' }).click()

    const uploads = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')
    await uploads
      .filter({ hasText: 'more.cdx.json' })
      .getByText('uploaded', { exact: true })
      .waitFor()
    await page.getByText('Could not be read', { exact: true }).waitFor()
    expect(await uploads.count()).toBe(2)
  })

  it('replaces an SBOM once it said which, and shows it until it is deleted', async () => {
    await drop({ 'more.cdx.json': SBOM_WITHOUT_COMPONENTS.replace('1.5', '1.6') })
    await page.getByRole('radio', { name: 'Replace those of the same file name' }).check()
    await page.getByText(/^Replaces more.cdx.json with 0 components; \d+ SBOMs stay/).waitFor()
    const faults = await faultsOf(page)
    await page.getByRole('button', { name: 'Upload 1 file, replace 1 SBOM' }).click()

    const replaced = page.getByText(/^Replaced .* by more.cdx.json, kept until/)
    await replaced.waitFor()
    faults.push(...(await faultsOf(page)))
    await page.getByRole('link', { name: 'Findings then' }).click()
    await page.getByText(/You look at the state of/).waitFor()
    expect(faults).toEqual([])
  })

  it.each([
    ['light', WIDE],
    ['dark', NARROW],
  ] as const)(
    'has no fault of accessibility with a selection, %s at %o',
    async (colorScheme, viewport) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.setViewportSize(viewport)
      const faults: string[] = []
      for (const path of [
        '/findings?show=all&group=component',
        '/findings?show=all&group=single',
        `/versions/${versionId}`,
      ]) {
        await go(path)
        await page.getByRole('checkbox', { name: A_ROW }).first().check()
        await page.getByText('1 selected').waitFor()
        faults.push(...(await faultsOf(page)).map((fault) => `${path}: ${fault}`))
        const beyond = await page
          .getByRole('group', { name: 'Selection' })
          .evaluate(({ parentElement: head }) => head && head.scrollWidth - head.clientWidth)
        expect(beyond).toBe(0)
      }
      await page.getByRole('button', { name: /Assess…/ }).click()
      await page.getByText(/findings? now:/).waitFor()
      faults.push(...(await faultsOf(page)))
      await page.keyboard.press('Escape')

      await page.setViewportSize(WIDE)

      expect(faults).toEqual([])
    },
  )

  it.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const)('moves nothing when a selection begins, %s', async (_width, viewport) => {
    await page.setViewportSize(viewport)
    const { vulnerabilities } = await service.ask<{ vulnerabilities: { cveId: string }[] }>(
      'POST',
      '/vulnerabilities/list',
      { filter: {}, limit: 1 },
    )
    const beside = `&at=${vulnerabilities[0]?.cveId}`
    const moved: string[] = []
    for (const path of [
      `/findings?show=all${viewport === NARROW ? '' : beside}`,
      '/findings?show=all&group=single',
      `/versions/${versionId}`,
    ]) {
      await go(path)
      const box = page.getByRole('checkbox', { name: A_ROW }).first()
      await box.waitFor()
      if (path.includes('&at=')) await page.getByRole('form', { name: 'Decision' }).waitFor()
      await box.scrollIntoViewIfNeeded()
      const before = await box.boundingBox()
      await box.click()
      const bar = page.getByRole('group', { name: 'Selection' })
      await bar.waitFor()
      const after = await box.boundingBox()
      if (before?.y !== after?.y) moved.push(`${path}: ${before?.y} to ${after?.y}`)
      const beyond = await bar.evaluate((element) => {
        // At the foot of a narrow screen nothing but the screen is around it.
        const right = element.parentElement?.getBoundingClientRect().right || innerWidth
        const last = [...element.querySelectorAll('button')].at(-1)?.getBoundingClientRect()
        return Math.max(
          (last?.right ?? Infinity) - right,
          element.scrollWidth - element.clientWidth,
        )
      })
      if (beyond > 0) moved.push(`${path}: ${beyond} px beyond the edge`)
    }
    await page.setViewportSize(WIDE)

    expect(moved).toEqual([])
  })

  it('draws 200 rows of a list that is here whole, and says how many are left', async () => {
    const many = await running().service.openWorkspace('Many', 'many@example.com')
    const other = await openPage(await openContext(running().browser), many.url, complaints)
    await signedIn(other, many)
    await many.write(
      `with everybody as (insert into people (id, email, display_name, created_at)
          select gen_random_uuid(), 'many-' || number || '@example.com', 'Many ' || number, now()
          from generate_series(1, 449) as number returning id),
        keys as (insert into api_keys (workspace_id, id, name, key_hash, scopes, created_by_email, created_at)
          select $1, gen_random_uuid(), 'key ' || number, decode(md5(number::text), 'hex'), '{}', 'many@example.com', now()
          from generate_series(1, 449) as number),
        targets as (insert into notification_targets (workspace_id, id, name, type, state, created_at, updated_at)
          select $1, gen_random_uuid(), 'target ' || number, 'Email', 'Enabled', now(), now()
          from generate_series(1, 450) as number)
      insert into members (workspace_id, subject_id, role, joined_at)
        select $1, id, 'Viewer', now() from everybody`,
      [many.workspaceId],
    )
    const whole = [
      ['/settings/members', 'Members', 'tbody tr'],
      ['/settings/api-keys', 'API keys', 'tbody tr'],
      ['/alerts?tab=targets', 'Mail', 'ul[class*=rows] > li'],
    ] as const
    for (const [path, title, rows] of whole) {
      await other.goto(`${many.url}/w/${many.workspaceId}${path}`)
      const panel = other.locator('section', {
        has: other.getByRole('heading', { name: title, exact: true }),
      })
      await panel.getByText(/^2[45]\d of 4[45]\d are not shown yet\.$/).waitFor()
      const all = panel.locator(rows)
      expect(await all.count()).toBe(200)
      await panel.getByRole('button', { name: 'Show 200 more' }).click()
      expect(await all.count()).toBe(400)
      await panel.getByRole('button', { name: /^Show [45]\d more$/ }).click()
      await panel.getByText(/are not shown yet/).waitFor({ state: 'detached' })
      expect(await all.count()).toBeGreaterThan(445)
    }
    await other.close()
  })

  it('has complained of nothing', () => {
    expect(complaints.list).toEqual([])
  })
}
