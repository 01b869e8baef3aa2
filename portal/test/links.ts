/** Each number that is a link leads to a list of as many, in a real browser. */
import { readFileSync } from 'node:fs'
import type { Page, Request } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { openContext, openPage, visit } from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

/** What devices report; `never` says nothing. */
const REPORTED = { a: '2.4.0', b: '2.4.1', c: '2.4.1', d: '2.4.1-field' }

interface CountedLink {
  from: string
  text: string
  href: string
  count: number
}

export function links(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  const versions: string[] = []
  /** Under the address of the workspace: each cohort, and each deployment. */
  const rollOuts: string[] = []
  /** Requests without an answer, but for the stream of events. */
  const asked = new Set<Request>()

  beforeAll(async () => {
    service = await running().service.openWorkspace('Links', 'links@example.com')
    const firmware = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    for (const name of ['2.4.0', '2.4.1'])
      versions.push(await givenMatchedVersion(service, firmware.id, { name }))
    const path = `/firmwares/${firmware.id}/versions`
    const empty = await service.ask<{ id: string }>('POST', path, { name: '2.5.0' })
    versions.push(empty.id)
    page = await openPage(await openContext(running().browser), service.url, { list: [] })
    page.on('request', (request) => {
      if (!request.url().endsWith('/events')) asked.add(request)
    })
    page.on('requestfinished', (request) => asked.delete(request))
    page.on('requestfailed', (request) => asked.delete(request))
    await signedIn(page, service)
    const made = await page.request.post(
      `${service.url}/workspaces/${service.workspaceId}/device-keys`,
      { data: { name: 'gateways' }, headers: { origin: service.url } },
    )
    const { deviceKey } = (await made.json()) as { deviceKey: string }
    for (const id of [...Object.keys(REPORTED), 'never'])
      await service.ask('POST', '/devices', { id })
    for (const [id, version] of Object.entries(REPORTED)) {
      const address = `${service.url}/device/v1/${service.workspaceId}/${id}/sync`
      const session = { runId: version, firmware: [{ slug: 'gateway', version }] }
      const answer = await fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ session }),
      })
      expect(answer.status).toBe(200)
    }
    await deployTo({ name: 'Wharf', devices: ['a', 'b', 'never'], act: 'pause' })
    await deployTo({ name: 'Yard', devices: ['c'], act: 'cancel' })
    await service.ask('POST', '/deployment-cohorts', { name: 'Shed' })
    await service.write(
      `insert into alert_incidents (workspace_id, id, rule_id, rule_name, rule_type, condition, began_at, ended_at, ended_cause)
        select $1::uuid, gen_random_uuid(), gen_random_uuid(), 'Temperature ' || number, 'DeviceOffline',
          '{"tags": [], "deploymentCohortId": null, "offlineFor": "1h"}', now(),
          case when number > 2 then now() end, case when number > 2 then 'Recovered' end
        from generate_series(1, 5) as number`,
      [service.workspaceId],
    )
  })

  /** Deploys the two oldest versions, one after the other; then pauses or cancels. */
  const deployTo = async (cohort: { name: string; devices: string[]; act: string }) => {
    const { id } = await service.ask<{ id: string }>('POST', '/deployment-cohorts', {
      name: cohort.name,
    })
    rollOuts.push(`/deployments/${id}`)
    await service.ask('POST', '/devices/bulk-move', {
      deviceIds: cohort.devices,
      deploymentCohortId: id,
    })
    for (const firmwareVersionId of versions.slice(0, 2)) {
      const path = `/firmware-versions/${firmwareVersionId}/artifact?fileName=a.bin`
      await service.ask('PUT', path, Buffer.from('a'))
      const deployment = await service.ask<{ id: string }>(
        'POST',
        `/deployment-cohorts/${id}/deployments`,
        {
          name: `To ${cohort.name}`,
          artifacts: [{ firmwareVersionId }],
          acknowledgement: { reason: 'A test' },
        },
      )
      rollOuts.push(`/deployments/${id}/${deployment.id}`)
    }
    const [newest = ''] = rollOuts.slice(-1)
    await service.ask(
      'POST',
      `${newest.replace('/deployments', '/deployment-cohorts').replace(id, `${id}/deployments`)}/${cohort.act}`,
    )
  }

  const settle = async () => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    // What an answer shows may ask for more.
    for (let calm = 0; calm < 3; calm = asked.size === 0 ? calm + 1 : 0)
      await page.waitForTimeout(100)
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  }
  const go = async (path: string) => {
    await visit(page, `${service.url}/w/${service.workspaceId}${path}`)
    await settle()
  }

  /** The links of the page that say a number and lead to a list of which the total can be read. */
  const collect = async (from: string): Promise<CountedLink[]> => {
    await go(from)
    const found = await page.locator('a[href]').evaluateAll((anchors) =>
      anchors.map((anchor) => ({
        href: anchor.getAttribute('href') ?? '',
        text: (anchor.getAttribute('aria-label') ?? (anchor as HTMLElement).innerText).trim(),
      })),
    )
    return found.flatMap(({ href, text }) => {
      const count = readNumber(text)
      return count === undefined || findList(href) === undefined
        ? []
        : [{ from, text: text.replaceAll(/\s+/g, ' '), href, count }]
    })
  }

  const readTotal = async (href: string): Promise<number | undefined> => {
    await visit(page, service.url + href)
    await settle()
    switch (findList(href)) {
      case 'devices': {
        const head = page.locator('section header', {
          has: page.getByRole('heading', { name: 'Devices', level: 2 }),
        })
        return readNumber((await head.innerText()).replace(', longest unknown first', ''))
      }
      case 'findings': {
        const nothing = page.getByRole('heading', { name: /^Nothing/ })
        const total = page.locator('section header [role=status]').first()
        await nothing.or(total).first().waitFor()
        return (await nothing.count()) > 0 ? 0 : readNumber(await total.innerText())
      }
      case 'version': {
        const table = page.getByRole('table', { name: 'Findings' })
        return Number(await table.getAttribute('aria-rowcount')) - 1
      }
      case 'updates': {
        const table = page.getByRole('table', { name: 'Devices of this deployment' })
        const none = page.getByRole('heading', { name: /^No device/ })
        await table.or(none).first().waitFor()
        return (await table.count()) === 0
          ? 0
          : Number(await table.getAttribute('aria-rowcount')) - 1
      }
      case 'cohorts':
        return page.locator('main li', { has: page.getByText(/^\d+ devices?$/) }).count()
      case 'incidents': {
        const now = page.locator('section', { has: page.getByRole('heading', { name: 'Now' }) })
        return now.locator('a[href*="/alerts/incidents/"]').count()
      }
      case undefined:
        return undefined
    }
  }

  it('leads from each number to a list of as many', async () => {
    const listed = await service.ask<{ vulnerabilities: { cveId: string }[] }>(
      'POST',
      '/vulnerabilities/list',
      { filter: { exploited: true }, limit: 1 },
    )
    const pages = [
      '',
      '/firmware',
      '/devices',
      '/devices/a',
      '/alerts',
      '/deployments',
      '/exposure',
      '/deployments?show=idle',
      ...rollOuts,
      ...versions.map((id) => `/versions/${id}`),
      ...listed.vulnerabilities.map(({ cveId }) => `/vulnerabilities/${cveId}`),
    ]
    const collected: CountedLink[] = []
    for (const path of pages) collected.push(...(await collect(path)))
    const totals = new Map<string, number | undefined>()
    for (const { href } of collected) if (!totals.has(href)) totals.set(href, await readTotal(href))

    const wrong = collected.filter(({ href, count }) => totals.get(href) !== count)
    process.stdout.write(
      `${collected.length - wrong.length} of ${collected.length} numbers that are links agree with ${totals.size} lists\n`,
    )
    expect(wrong.map((link) => ({ ...link, listed: totals.get(link.href) }))).toEqual([])
    expect(new Set(collected.map(({ from }) => from)).size).toBeGreaterThan(5)
    expect(new Set([...totals.keys()].map(findList)).size).toBe(6)
  })

  it('counts the updates of each deployment of a version as its page lists them', async () => {
    await go(`/versions/${versions[0]}`)
    const rows = page.getByRole('region', { name: 'Deployments of it' }).getByRole('listitem')
    await rows.first().waitFor()
    const told = await rows.evaluateAll((items) =>
      items.map((item) => ({
        href: item.querySelector('a')?.getAttribute('href') ?? '',
        updates: Number(/of (\d+) updates?$/.exec((item as HTMLElement).innerText)?.[1]),
      })),
    )
    expect(told).not.toEqual([])
    const listed = []
    for (const { href } of told) listed.push({ href, updates: await readTotal(href) })
    expect(told).toEqual(listed)
  })

  it('counts the rules of each target as the list of rules names them', async () => {
    const target = await service.ask<{ id: string }>('POST', '/notification-targets', {
      name: 'Night desk',
      type: 'Email',
      state: 'Enabled',
      emailAddresses: ['night@example.com'],
    })
    for (const [name, targets] of [
      ['Silent', [{ id: target.id }]],
      ['Quiet', [{ id: target.id }]],
      ['Nobody told', []],
    ] as const)
      await service.ask('POST', '/alert-rules', {
        name,
        type: 'DeviceOffline',
        evaluationFrequency: '1h',
        condition: { offlineFor: '1h' },
        targets,
      })

    await go('/alerts?tab=rules')
    const rules = page.getByRole('table', { name: 'Rules' }).locator('tbody tr')
    await rules.first().waitFor()
    const tab = await page.getByRole('tab', { name: /^Rules/ }).innerText()
    expect([await rules.count(), readNumber(tab)]).toEqual([3, 3])
    const naming = await rules.filter({ hasText: 'Night desk' }).count()
    await go('/alerts?tab=targets')
    const told = page.getByRole('listitem').filter({ hasText: 'night@example.com' }).first()
    expect([naming, readNumber(await told.innerText())]).toEqual([2, 2])
    await told.getByRole('link', { name: '2 rules tell Night desk' }).click()
    await page.getByRole('button', { name: /^tells Night desk/, pressed: true }).waitFor()
    expect(await rules.count()).toBe(2)
    await page.getByRole('button', { name: /^tells Night desk/ }).click()
    await expect.poll(() => rules.count()).toBe(3)
  })

  it('counts what fired in an incident as its list of devices does', async () => {
    const { incidents } = await service.ask<{ incidents: { id: string }[] }>(
      'POST',
      '/alert-incidents/list',
      { filter: { isOpen: true } },
    )
    const id = incidents[0]?.id ?? ''
    // The first of three fired twice: it is one device, in two rows.
    await service.write(
      `insert into alert_series (workspace_id, rule_id, incident_id, series, label, since, until)
        select workspace_id, rule_id, id, series, series, now() - since * interval '1 minute',
          case when ended then now() end
        from alert_incidents, (values ('a', 9, true), ('a', 2, false), ('b', 8, true), ('c', 7, false)) as fired (series, since, ended)
        where workspace_id = $1 and id = $2`,
      [service.workspaceId, id],
    )
    await go(`/alerts/incidents/${id}`)
    const sentence = page.getByText(/firing now, .* fired since/)
    const counted = await sentence.getByRole('link').allInnerTexts()
    await sentence.getByRole('link').first().click()
    const rows = page
      .getByRole('table', { name: 'Devices of this incident' })
      .locator('[role=row][aria-rowindex]', { has: page.locator('a[href*="/devices/"]') })
    await rows.first().waitFor()
    const listed = await rows.evaluateAll((all) =>
      all.map((row) => ({
        device: row.querySelector('a')?.innerText,
        isFiring: /firing/.test((row as HTMLElement).innerText),
      })),
    )
    const firing = listed.filter(({ isFiring }) => isFiring).length
    const fired = new Set(listed.map(({ device }) => device)).size
    expect([firing, fired]).toEqual([2, 3])
    expect(counted.map(readNumber)).toEqual([firing, fired])
  })

  it('counts who watches a vulnerability, and lists what one watches', async () => {
    const { vulnerabilities } = await service.ask<{ vulnerabilities: { cveId: string }[] }>(
      'POST',
      '/vulnerabilities/list',
      { filter: {}, limit: 1 },
    )
    const cveId = vulnerabilities[0]?.cveId ?? ''
    await go(`/vulnerabilities/${cveId}`)
    await page.getByRole('button', { name: 'Watch', exact: true }).click()
    const watching = page.getByRole('button', { name: 'Watching', exact: true })
    const told = /1 member watches it/
    await expect.poll(() => watching.getAttribute('title')).toMatch(told)
    await go('/you')
    const watched = page.getByRole('table', { name: 'Watched vulnerabilities' }).locator('tbody tr')
    await watched.first().waitFor()
    expect(await watched.filter({ hasText: cveId }).count()).toBe(1)
    expect(await watched.count()).toBe(1)
  })

  it('says beside the list as many devices as its row, also where some versions are decided', async () => {
    const { vulnerabilities } = await service.ask<{ vulnerabilities: { cveId: string }[] }>(
      'POST',
      '/vulnerabilities/list',
      { filter: {}, limit: 1 },
    )
    const cveId = vulnerabilities[0]?.cveId ?? ''
    const ignore = (ignored: boolean) =>
      service.ask('POST', '/vulnerability-findings/bulk-ignore', {
        filter: { cveIds: [cveId], firmwareVersionIds: [versions[1]] },
        ignored,
      })
    const compare = async () => {
      await go(`/findings?show=all&at=${cveId}`)
      const pane = page.getByRole('region', { name: `Vulnerability ${cveId}` })
      const said = pane.getByText(/\d devices? now/)
      await said.waitFor()
      const row = page.getByRole('listitem').filter({ hasText: cveId }).first()
      const [, listed] = /(\d+)\s+devices?/.exec(await row.innerText()) ?? []
      return { said: (await said.innerText()).replaceAll(/\s+/g, ' '), listed }
    }

    expect(await compare()).toEqual({ said: '3 devices now', listed: '3' })
    await ignore(true)
    expect(await compare()).toEqual({ said: '3 devices now, active on 1', listed: '3' })
    await ignore(false)
  })

  it('has a menu at each list, which saves as many rows as are listed', async () => {
    const [cohort = '', first = ''] = rollOuts
    const lists = [
      ['/settings/members', 'Members'],
      ['/settings/api-keys', 'API keys'],
      ['/settings/api-keys', 'Device keys and certificates'],
      ['/you', 'Sessions'],
      ['/settings/sources', 'Vulnerability sources'],
      ['/deployments', 'Cohorts'],
      ['/deployments?show=idle', 'Cohorts'],
      [cohort, 'Deployments'],
      [cohort, 'Devices'],
      [first, 'Devices'],
      ['/devices?show=never', 'Devices'],
      ['/devices/a?tab=updates', 'Updates'],
    ] as const
    const saved: unknown[] = []
    for (const [path, name] of lists) {
      await go(path)
      const panel = page.locator('section', {
        has: page.getByRole('heading', { name, exact: true }),
      })
      const rows = panel.locator(
        '[role=row][aria-rowindex], tbody tr, [class*=cohorts] > li, [class*=sources] > li',
      )
      await rows.first().waitFor()
      const listed = await rows.count()
      await panel.getByRole('button', { name: 'View and export' }).click()
      const saving = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: /CSV/ }).click()
      const text = readFileSync(await (await saving).path(), 'utf8')
      saved.push([path, name, listed, text.trimEnd().split('\r\n').length - 1])
    }

    expect(saved).toEqual(saved.map((row) => (row as unknown[]).with(3, (row as unknown[])[2])))
  })
}

const DAY = /\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b/

/** The first number that stands alone: neither a part of a version nor of a date. */
function readNumber(text: string): number | undefined {
  const number = text
    .replace(DAY, '')
    .split(/\s+/)
    .find((word) => /^\d{1,3}(,\d{3})*$/.test(word))
  return number === undefined ? undefined : Number(number.replaceAll(',', ''))
}

function findList(
  href: string,
): 'devices' | 'findings' | 'version' | 'updates' | 'cohorts' | 'incidents' | undefined {
  const { pathname, searchParams } = new URL(href, 'http://localhost')
  if (/\/w\/[^/]+\/deployments$/.test(pathname)) return 'cohorts'
  if (/\/deployments\/[^/]+\/[\da-f-]{36}$/.test(pathname)) return 'updates'
  if (/\/w\/[^/]+\/alerts$/.test(pathname)) return 'incidents'
  if (/\/w\/[^/]+\/devices$/.test(pathname)) return 'devices'
  if (/\/w\/[^/]+\/findings$/.test(pathname)) return 'findings'
  if (/\/versions\/[^/]+$/.test(pathname) && searchParams.has('severity')) return 'version'
  return undefined
}
