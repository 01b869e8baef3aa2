/** The day of who runs a fleet, in a real browser: a device, a cohort, a roll-out, and back. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Complaints,
  faultsInLooks,
  faultsOf,
  openContext,
  openPage,
  visit,
} from './browser.ts'
import { crashes } from './crashes.ts'
import { type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface NamedResource {
  id: string
}

/** Pixels below the upper edge of the window; less than none: above it. */
const measureTop = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top)

const isFocused = (element: Element) => element === document.activeElement

export function fleet(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let page: Page
  const complaints: Complaints = { list: [] }
  const versions: Record<string, string> = {}

  let deviceKey = ''

  const sayAs = async (deviceId: string, message: object) => {
    const path = `/device/v1/${service.workspaceId}/${deviceId}/sync`
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(message),
    })
    expect(response.status).toBe(200)
    return (await response.json()) as { update: { updateId: string } | null }
  }
  const say = (message: object) => sayAs('pump-1', message)
  const report = (version: string) =>
    say({ session: { runId: version, firmware: [{ slug: 'pump', version }] } })

  /** Only people may make one. */
  const makeDeviceKey = async () => {
    const made = await page.request.post(
      `${service.url}/workspaces/${service.workspaceId}/device-keys`,
      { data: { name: 'pumps' }, headers: { origin: service.url } },
    )
    return ((await made.json()) as { deviceKey: string }).deviceKey
  }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Pumps', 'fleet@example.com')
    const firmware = await service.ask<NamedResource>('POST', '/firmwares', { slug: 'pump' })
    for (const name of ['1.0.0', '1.1.0']) {
      const version = await service.ask<NamedResource>(
        'POST',
        `/firmwares/${firmware.id}/versions`,
        {
          name,
        },
      )
      await service.ask(
        'PUT',
        `/firmware-versions/${version.id}/artifact?fileName=pump.bin`,
        Buffer.from(name),
      )
      versions[name] = version.id
    }
    const context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    deviceKey = await makeDeviceKey()
    await service.ask('POST', '/devices', { id: 'pump-1' })
    await report('1.0.0')
  })

  const at = (path: string) => `${service.url}/w/${service.workspaceId}${path}`
  const go = async (path: string) => {
    await page.goto(at(path))
    await page.getByRole('heading', { level: 1 }).waitFor()
  }

  /** The service does what `act` asks for, and the connection breaks before its answer comes: the page asks once more. */
  const losingOneAnswer = async (path: string, act: () => Promise<void>) => {
    const told = complaints.list.length
    let lost = 0
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.fallback()
      lost += 1
      await route.fetch()
      return route.abort('connectionreset')
    })
    const repeated = page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.url().endsWith(path),
    )
    await act()
    expect(await (await repeated).headerValue('idempotency-replayed')).toBe('true')
    expect(complaints.list.splice(told).join()).toContain('ERR_CONNECTION_RESET')
    await page.unroute(`**${path}`)
  }

  /** The act of a dialog is done, and the connection breaks before each of its first two answers: the page gives up. */
  const losingBothAnswers = async (path: string, act: () => Promise<void>) => {
    const told = complaints.list.length
    let lost = 0
    await page.route(`**${path}`, async (route) => {
      if (lost === 2 || route.request().postData()?.includes('"dryRun":true'))
        return route.fallback()
      lost += 1
      await route.fetch()
      return route.abort('connectionreset')
    })
    await act()
    await page.getByText(/The connection to the service broke/).waitFor()
    complaints.list.splice(told)
    await page.unroute(`**${path}`)
  }

  it('says what devices run, and leads from each number to its devices', async () => {
    await go('/firmware')
    await page.getByRole('heading', { level: 2, name: /^None of 1 device runs/ }).waitFor()
    const group = (name: string) =>
      page.getByRole('button', { name: new RegExp(`^${name.replace(' ', ' ?')}`) })
    await group('In the field 1').waitFor()
    await page.getByRole('row', { name: /^1\.0\.0 Unknown: no SBOM/ }).waitFor()
    await page.getByRole('row', { name: /^1\.1\.0 Unknown/ }).waitFor()
    await page.getByRole('link', { name: 'Add SBOM' }).first().waitFor()

    await group('On no device 1').click()
    await page.waitForURL(/show=OnNoDevice/)
    await page.getByRole('row', { name: /^1\.0\.0 Unknown/ }).waitFor({ state: 'detached' })
    await group('All 2').click()
    await page.getByRole('button', { name: 'Versions of pump' }).click()
    await page.waitForURL(/folded=pump/)
    await page.getByRole('row', { name: /^1\.1\.0 Unknown/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: '1 unknown' }).click()

    await page.waitForURL(/\/devices\?.*mark=Unknown/)
    await page.getByRole('button', { name: /Runs unknown/ }).waitFor()
    await page.getByRole('row', { name: /pump-1/ }).waitFor()
  })

  it('goes from a version to its device, tags it, and says what it is to log', async () => {
    await go(`/versions/${versions['1.0.0'] ?? ''}`)
    const next = page.getByRole('link', { name: 'Move devices to 1.1.0…' })
    expect(await next.getAttribute('href')).toContain(`version=${versions['1.1.0'] ?? ''}`)
    await page.getByRole('link', { name: '1 device' }).click()
    await page.waitForURL(/\/devices\?version=/)
    await page.getByRole('row', { name: /pump-1/ }).click()
    await page.getByRole('link', { name: 'pump 1.0.0' }).waitFor()
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByLabel('Tags').first().fill('lab')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save device' }).click()
    await page.getByRole('link', { name: 'lab' }).waitFor()

    await page.getByRole('tab', { name: 'Configuration' }).click()
    await page.getByRole('combobox', { name: 'Log severity' }).click()
    await page.getByRole('option', { name: 'Debug' }).click()

    await page.getByText('In force: Debug, set for this device').waitFor()
    await page.getByText('It reported no configuration').waitFor()
  })

  it('makes a cohort by tag, and deploys a version to it', async () => {
    await go('/deployments')
    await page.getByText('No cohort yet').waitFor()
    await page.getByRole('button', { name: 'New cohort' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('pilots')
    await page.getByLabel('With all of these tags').first().fill('lab')
    await page.keyboard.press('Enter')
    await losingOneAnswer('/deployment-cohorts', () =>
      page.getByRole('button', { name: 'Create cohort' }).click(),
    )
    await page.getByRole('link', { name: '1 device' }).waitFor()
    await page.getByRole('link', { name: 'New deployment' }).click()
    await page.getByRole('combobox', { name: 'Firmware' }).click()
    await page.getByRole('option', { name: 'pump' }).click()
    await page.getByRole('combobox', { name: 'Version' }).click()
    await page.getByRole('option', { name: '1.0.0' }).click()
    await page.getByRole('button', { name: 'Everyone at once' }).click()

    await page.getByRole('button', { name: 'Deploy to 1 device' }).click()

    await page.getByRole('heading', { name: /of 1 device reports? 1\.0\.0/ }).waitFor()
    await report('1.0.0')
    await page.getByRole('heading', { name: '1 of 1 device reports 1.0.0' }).waitFor()
  })

  it('tells what would be if a cohort ran another version', async () => {
    const rollOut = page.url()
    await go('/deployments')
    await page.getByRole('link', { name: 'What if…' }).click()
    await page.getByText('Nothing is supposed yet').waitFor()
    await page.getByRole('combobox', { name: 'Cohort' }).click()
    await page.getByRole('option', { name: 'pilots' }).click()
    await page.getByRole('combobox', { name: 'Firmware' }).click()
    await page.getByRole('option', { name: 'pump' }).click()
    await page.getByRole('combobox', { name: 'Version' }).click()
    await page.getByRole('option', { name: '1.1.0' }).click()

    await page.getByText('No device runs a known-exploited vulnerability').waitFor()
    await page.getByRole('img', { name: 'Then: Not judged 1' }).waitFor()
    expect(page.url()).toContain('runs=')
    await page.getByRole('link', { name: 'Create deployment…' }).click()
    await page.getByRole('button', { name: 'Deploy to 1 device' }).waitFor()
    await page.goto(rollOut)
    await page.getByRole('heading', { name: '1 of 1 device reports 1.0.0' }).waitFor()
  })

  it('pauses a roll-out, and goes on', async () => {
    const cohort = /deployments\/([^/]+)\//.exec(page.url())?.[1] ?? ''
    await go(`/deployments/new?cohort=${cohort}&version=${versions['1.1.0'] ?? ''}`)
    await page.getByRole('button', { name: 'Deploy to 1 device' }).click()
    await page.getByRole('heading', { name: '0 of 1 device report 1.1.0' }).waitFor()

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused.').waitFor()
    await page.getByText(/paused it/).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()

    await page.getByText('Paused.').waitFor({ state: 'detached' })
    const acts = page.getByRole('list', { name: 'Who did what' }).getByRole('listitem')
    await expect
      .poll(() => acts.allTextContents())
      .toEqual([
        expect.stringMatching(/resumed the deployment .* to pilots/),
        expect.stringMatching(/paused the deployment/),
        expect.stringMatching(/started the deployment/),
      ])
    await report('1.1.0')
    await page.getByRole('heading', { name: '1 of 1 device reports 1.1.0' }).waitFor()
  })

  it('rolls back once the name of the cohort is typed', async () => {
    await page.getByRole('button', { name: 'Roll back…' }).click()
    const button = page.getByRole('button', { name: 'Roll back 1 device' })
    const name = page.getByRole('textbox', { name: /pilots/ })
    await button.waitFor()
    expect(await name.evaluate(isFocused)).toBe(true)
    const groups = page.getByRole('list', { name: 'The devices of pilots' })
    expect(await groups.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^1go back and install 1\.0\.0/),
      '0stay: they report 1.0.0 already',
      '0report no version that is known',
    ])
    await page.keyboard.type('pilot')
    await page.keyboard.press('Enter')
    expect(await button.isDisabled()).toBe(true)
    await name.fill('pilots')
    await button.click()

    await page.getByRole('heading', { name: '0 of 1 device report 1.0.0' }).waitFor()
    await page.getByText('Phase 1: everyone').first().waitFor()
    await page.getByText(/; rolled back/).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'pilots' }).click()
    await page.getByRole('row', { name: /rollback.* Waiting 1 / }).waitFor()
    // It had them until the end; its update for the version says nothing of what it runs now.
    await page.getByRole('row', { name: /1\.1\.0 .*Installed 1 / }).waitFor()
  })

  it('tells whoever is slower who was faster, and shows what the cohort gets now', async () => {
    const [cohort] = (
      await service.ask<{ deploymentCohorts: { id: string }[] }>('GET', '/deployment-cohorts')
    ).deploymentCohorts
    const cohortId = cohort?.id ?? ''
    const path = `/deployment-cohorts/${cohortId}/deployments`
    const asked = { name: 'again', artifacts: [{ firmwareVersionId: versions['1.1.0'] }] }
    const { id } = await service.ask<NamedResource>('POST', path, asked)
    await go(`/deployments/${cohortId}/${id}`)
    await page.getByRole('button', { name: 'Roll back…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: /pilots/ }).fill('pilots')

    await service.ask('POST', `${path}/${id}/rollback`)

    await dialog.getByText(/nothing to roll back any more/).waitFor()
    await dialog.getByText(/rolled it back/).waitFor()
    await dialog.getByRole('link', { name: 'See what the cohort gets now' }).click()
    await page.getByRole('heading', { name: '0 of 1 device report 1.0.0' }).waitFor()
  })

  it('tells in the dialog that there is nothing to cancel any more', async () => {
    const [, cohortId = '', id = ''] = /deployments\/([^/]+)\/([^/?]+)/.exec(page.url()) ?? []
    await page.getByRole('button', { name: 'Cancel…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel this deployment to pilots?' })
    await dialog.getByText('1 device has not begun and will not get it.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Go back' }).evaluate(isFocused)).toBe(true)
    for (const _ of [1, 2, 3]) await page.keyboard.press('Tab')
    expect(await dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const opener = page.getByRole('button', { name: 'Cancel…' })
    await expect.poll(() => opener.evaluate(isFocused)).toBe(true)
    await opener.press('Enter')
    await dialog.getByRole('button', { name: 'Cancel deployment' }).waitFor()

    const path = `/deployment-cohorts/${cohortId}/deployments`
    await service.ask('POST', `${path}/${id}/cancel`)

    await dialog.getByText(/There is nothing to cancel any more/).waitFor()
    await dialog.getByText(/cancelled it/).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByText('Cancelled.').waitFor()
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)

    const artifacts = [{ firmwareVersionId: versions['1.1.0'] }]
    await service.ask('POST', path, { name: 'once more', artifacts })
    await page.getByRole('link', { name: 'pilots' }).first().waitFor()
  })

  /** Each number of the deployment leads to as many devices, and together they are all. */
  async function compareNumbers(): Promise<void> {
    const legend = page.getByRole('link', { name: /^[A-Z][a-z ]+: \d+, show the devices$/ })
    const chips = page.getByRole('group', { name: 'State' })
    const table = page.getByRole('table', { name: 'Devices of this deployment' })
    const listed = table.getByRole('row').filter({ has: page.getByRole('cell') })
    const { width = 0, height = 0 } = page.viewportSize() ?? {}
    await page.setViewportSize({ width, height: 400 })
    let sum = 0
    for (const link of await legend.all()) {
      const [word = ''] = ((await link.getAttribute('aria-label')) ?? '').split(':')
      const count = Number(await link.textContent())
      await link.click()
      await expect.poll(() => measureTop(page, '#devices')).toBeLessThan(400)
      await chips.getByRole('button', { name: new RegExp(`^${word}`), pressed: true }).waitFor()
      await expect.poll(() => listed.count()).toBe(count)
      sum += count
    }
    await page.getByRole('link', { name: /^\d+ devices?$/ }).click()
    await expect.poll(() => listed.count()).toBe(sum)
    expect(sum).toBeGreaterThan(0)
    await page.setViewportSize({ width, height })
  }

  it('has devices that failed try again, and asks before', async () => {
    const [, cohortId = ''] = /deployments\/([^/]+)/.exec(page.url()) ?? []
    const asked = { name: 'to retry', artifacts: [{ firmwareVersionId: versions['1.0.0'] }] }
    const path = `/deployment-cohorts/${cohortId}/deployments`
    const { id } = await service.ask<NamedResource>('POST', path, asked)
    const offered = await report('1.1.0')
    const update = { updateId: offered.update?.updateId, state: 'failed', reason: 'flash is full' }
    await say({ update })
    await go(`/deployments/${cohortId}/${id}`)
    await compareNumbers()
    await page.getByRole('button', { name: 'Try again anyway… flash is full' }).click()
    const dialog = page.getByRole('dialog', { name: 'Have 1 device try again?' })
    expect(await dialog.getByRole('button', { name: 'Go back' }).evaluate(isFocused)).toBe(true)
    await dialog.getByText('1 device failed: flash is full.').waitFor()
    await dialog.getByText('nothing is known to have changed since').waitFor()
    await page.getByText('Nothing that sets them apart was found among').waitFor()

    await dialog.getByRole('button', { name: 'Try again' }).click()

    await page.getByText('Failures by reason').waitFor({ state: 'detached' })
    expect((await report('1.1.0')).update).not.toBeNull()
  })

  it('picks devices for a cohort by hand, says the moves before, and sets what they log', async () => {
    await service.ask('POST', '/devices', { id: 'pump-2' })
    await page.getByRole('navigation').getByRole('link', { name: 'pilots' }).click()
    await page.getByRole('button', { name: 'Pick devices…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Devices').first().fill('pump-2')
    await page.keyboard.press('Enter')
    await dialog.getByText('1 device: no cohort → pilots').waitFor()
    await dialog.getByRole('button', { name: 'Move 1 device' }).click()
    await page
      .getByRole('row', { name: /pump-2/ })
      .getByText('picked by hand')
      .waitFor()

    await page.getByRole('combobox', { name: 'Log severity' }).click()
    await page.getByRole('option', { name: 'Error' }).click()
    await page.getByText('In force: Error, from this cohort.').waitFor()

    await page.getByRole('button', { name: 'Leave pump-2 to tags' }).click()
    await dialog.getByText('1 device: pilots → no cohort').waitFor()
    await dialog.getByRole('button', { name: 'Leave to tags' }).click()
    await page.getByRole('row', { name: /pump-2/ }).waitFor({ state: 'detached' })
  })

  it('says how often the hawkBit clients of a cohort ask', async () => {
    await page.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/hawkBit clients ask every/).fill('600')
    await dialog.getByLabel(/Earlier or later/).fill('10')

    await dialog.getByRole('button', { name: 'Save cohort' }).click()

    await dialog.waitFor({ state: 'detached' })
    const saved = async () => {
      const answer = await service.ask<{ deploymentCohorts: unknown[] }>(
        'GET',
        '/deployment-cohorts',
      )
      return answer.deploymentCohorts[0]
    }
    expect(await saved()).toMatchObject({ pollingSeconds: 600, pollingJitterPercent: 10 })
    await page.getByRole('button', { name: 'Change…' }).click()
    await dialog.getByLabel(/hawkBit clients ask every/).fill('')
    await dialog.getByRole('button', { name: 'Save cohort' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await saved()).toMatchObject({ pollingSeconds: null, pollingJitterPercent: 10 })
  })

  it('changes the tags of what is selected, and says which cohorts change', async () => {
    await go('/devices?text=pump')
    const row = page.getByRole('row', { name: /pump-1/ })
    const place = () => row.evaluate((element) => element.getBoundingClientRect().top)
    await page.getByRole('button', { name: 'View and export' }).waitFor()
    const before = await place()
    await page.getByRole('checkbox', { name: 'Select pump-1' }).click()
    await page.getByText('1 selected').waitFor()
    expect(await place()).toBe(before)
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Tags…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Remove').first().fill('lab')
    await page.keyboard.press('Enter')
    await dialog.getByText('1 device: pilots → no cohort').waitFor()
    await dialog.getByLabel('Remove').first().press('Backspace')
    await dialog.getByLabel('Add').first().fill('wet')
    await page.keyboard.press('Enter')
    await dialog.getByText('No device changes its cohort by that.').waitFor()
    await dialog.getByRole('button', { name: 'Change tags' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('wet', { exact: true }).waitFor()
    await page.keyboard.press('z')
    await page.getByText('Taken back: Tags of 1 device: +wet').waitFor()
    await page.getByText('wet', { exact: true }).waitFor({ state: 'detached' })

    await page.getByRole('checkbox', { name: 'Select pump-1' }).click()
    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByText(/1 device with their keys, metrics and logs/).waitFor()
    expect(await dialog.getByRole('button', { name: 'Delete devices' }).isDisabled()).toBe(true)
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  it('does a bulk act once, though the connection breaks twice, and says so', async () => {
    await go('/devices?text=pump-1')
    await page.getByRole('checkbox', { name: 'Select pump-1' }).click()
    await page.getByRole('button', { name: 'Tags…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Add').first().fill('dry')
    await page.keyboard.press('Enter')
    const act = dialog.getByRole('button', { name: 'Change tags' })
    await losingBothAnswers('/devices/bulk-tag', () => act.click())
    await dialog.getByText(/^Not done\./).waitFor()

    const repeated = page.waitForResponse((answer) => answer.url().endsWith('/devices/bulk-tag'))
    await act.click()

    expect(await (await repeated).headerValue('idempotency-replayed')).toBe('true')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('dry', { exact: true }).waitFor()
    const { entries } = await service.ask<{ entries: { after: object | null }[] }>(
      'GET',
      '/audit-log?limit=50',
    )
    expect(entries.filter(({ after }) => JSON.stringify(after).includes('dry'))).toHaveLength(1)
  })

  it('shows what is odd about a metric: no points, a wrong clock, labels with script', async () => {
    const label = `<img src=x onerror="globalThis.hacked=1">\u202Egnp.exe`
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const measure = (value: number, timestamp: string) =>
      say({ metrics: [{ name: 'flow', labels: { label }, value, timestamp }] })
    await measure(7, inDays(-3))
    await go('/devices/pump-1?tab=metrics')
    await page.getByText('No point in this time').waitFor()
    await page.getByRole('button', { name: /^Show / }).click()
    await page.getByRole('img', { name: /newest 7$/ }).waitFor()

    await measure(8, inDays(365))
    await go('/devices/pump-1?tab=metrics')

    await page.getByText('The clock of this device is wrong.').waitFor()
    await page.getByRole('img', { name: /newest 8$/ }).waitFor()
    await page.getByRole('button', { name: 'flow as a table' }).click()
    await page.getByRole('cell', { name: '8', exact: true }).first().waitFor()
    expect(await page.evaluate(() => Object.hasOwn(globalThis, 'hacked'))).toBe(false)
    await page.getByText('connected').or(page.getByText(/^seen/)).first().waitFor()
  })

  it('tells what deployments did with a device, and gives it a key of its own', async () => {
    await go('/devices/pump-1?tab=updates')
    await page.getByRole('table', { name: 'Updates of this device' }).waitFor()
    await page
      .getByRole('row', { name: /1\.1\.0/ })
      .first()
      .waitFor()

    await page.getByRole('tab', { name: 'Registration' }).click()
    await page.getByLabel('Name of a key for pump-1 alone').fill('after the repair')
    await page.getByRole('button', { name: 'Create device key' }).click()
    await page.getByText('A first message of pump-1:').waitFor()
    await page.getByRole('button', { name: 'Revoke after the repair' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()

    await page.getByText('revoked', { exact: true }).waitFor()
    const keys = await service.ask<{ name: string; deviceId: string; revokedAt: string | null }[]>(
      'GET',
      '/device-keys?deviceId=pump-1',
    )
    expect(keys).toContainEqual(
      expect.objectContaining({ name: 'after the repair', deviceId: 'pump-1' }),
    )
    expect(keys.find(({ name }) => name === 'after the repair')?.revokedAt).not.toBeNull()
    const others = await service.ask<{ name: string }[]>('GET', '/device-keys?deviceId=pump-2')
    expect(others.map(({ name }) => name)).not.toContain('after the repair')
  })

  it('makes another key in place of one that goes on, and shows it once', async () => {
    await go('/devices/pump-1?tab=registration')
    await page.getByLabel('Name of a key for pump-1 alone').fill('on the roof')
    await page.getByRole('button', { name: 'Create device key' }).click()
    await page.getByText('A first message of pump-1:').waitFor()
    const inUse = async () => {
      const keys = await service.ask<{ name: string; revokedAt: string | null }[]>(
        'GET',
        '/device-keys?deviceId=pump-1',
      )
      return keys.filter((one) => one.name === 'on the roof' && one.revokedAt === null).length
    }
    await page.getByRole('button', { name: 'Rotate on the roof' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/goes on until you revoke it: nobody is cut off/).waitFor()
    expect(await inUse()).toBe(1)
    const made = page.waitForResponse((answer) => answer.url().endsWith('/device-keys'))
    await dialog.getByRole('button', { name: 'Make another key' }).click()
    await dialog.getByText(/^The new key of pump-1, shown this once/).waitFor()

    const { deviceKey: key } = (await (await made).json()) as { deviceKey: string }
    expect(await dialog.textContent()).toContain(key)
    expect(await faultsOf(page)).toEqual([])
    expect(await inUse()).toBe(2)
    const url = `${service.url}/device/v1/${service.workspaceId}/pump-1/sync`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(200)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rotate on the roof' }).nth(1).waitFor()
  })

  it('says who would be asked for the age of their keys before that is saved, and afterwards', async () => {
    const read = (days: number) =>
      service.ask<{ standing: string }>('GET', `/device-key-ages?days=${days}`)
    await go('/settings/workspace')
    const standing = page.getByRole('status', { name: 'Age of device keys' })
    await standing.getByText('No age is wanted of the keys of any device.').waitFor()

    await page.getByLabel('Devices replace keys after days').fill('30')
    const asked = await read(30)
    await standing.getByText(asked.standing).waitFor()
    const unsaved = await service.ask<{ deviceKeyRotationDays: number | null }>('GET', '/settings')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Saved.').waitFor()
    await go('/settings/api-keys')

    await page
      .getByRole('status', { name: 'Age of device keys' })
      .getByText(asked.standing)
      .waitFor()
    expect(asked.standing).toMatch(/^Own keys that are older than wanted/)
    expect(unsaved.deviceKeyRotationDays).toBeNull()
    expect(await faultsOf(page)).toEqual([])
    expect(await service.ask('GET', '/settings')).toMatchObject({ deviceKeyRotationDays: 30 })
    await service.ask('PATCH', '/settings', { deviceKeyRotationDays: null })
  })

  it('asks of which firmware the version of a hawkBit client is', async () => {
    await service.ask('POST', '/firmwares', { slug: 'valve' })
    await service.ask('POST', '/devices', { id: 'pump-8' })
    const said = await fetch(
      `${service.url}/${service.workspaceId}/controller/v1/pump-8/configData`,
      {
        method: 'PUT',
        headers: {
          authorization: `GatewayToken ${deviceKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ data: { version: '2.4.1' } }),
      },
    )
    expect(said.status).toBe(200)
    await go('/devices/pump-8')

    await page.getByText('Unknown; reports version=2.4.1: of which firmware?').waitFor()
    const guide = page.getByRole('link', { name: 'What a device runs' })
    expect(await guide.getAttribute('href')).toBe('/docs/guide/hawkbit.html#what-a-device-runs')
    await page.getByText('firmware.SLUG=2.4.1').waitFor()
    await service.ask('DELETE', '/devices/pump-8')
  })

  it('says that a device was deleted while its page was open, and leads back', async () => {
    await service.ask('POST', '/devices', { id: 'pump-9' })
    await go('/devices/pump-9?tab=metrics')
    await page.getByText('It sent no metric yet').waitFor()

    await service.ask('DELETE', '/devices/pump-9')

    await page.getByRole('heading', { name: 'pump-9 was deleted' }).waitFor()
    await page.getByRole('link', { name: 'All devices' }).click()
    await page.getByRole('row', { name: /pump-1/ }).waitFor()
    expect(await page.getByRole('row', { name: /pump-9/ }).count()).toBe(0)
  })

  it('says which days nobody counted, and leads from its legend and marks to what they name', async () => {
    await service.write(
      `insert into firmware_set_daily_devices
        select $1, current_date - age, array[$2]::uuid[], age, 'NotJudged', false from unnest(array[12, 11, 4, 3]) as age`,
      [service.workspaceId, versions['1.0.0']],
    )
    await go('/exposure?days=30')
    await page.getByText(/^Not counted before .*; from .* to /).waitFor()
    await page.locator('svg').getByText('not counted').first().waitFor()
    await page.getByText('As a table').click()
    await page.getByRole('cell', { name: 'not counted' }).first().waitFor()
    const mark = page.getByRole('link', { name: /^Back to pump 1\.0\.0 on pilots/ }).first()
    await mark.focus()
    await page.locator('strong', { hasText: 'Back to pump 1.0.0 on pilots' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /of 1 device reports? 1\.0\.0/ }).waitFor()

    await page.goBack()
    await page.getByRole('link', { name: /^Unknown/ }).click()

    await page.waitForURL(/\/devices\?worst=unknown/)
    await page.getByRole('button', { name: /^Worst finding: Unknown/ }).waitFor()
    await page.getByRole('row', { name: /pump-1/ }).waitFor()
  })

  it('shows on the page of a version what was deployed of it', async () => {
    await go(`/versions/${versions['1.1.0'] ?? ''}`)
    const deployed = page.getByRole('region', { name: 'Deployments of it' })
    await deployed
      .getByText(/, ended$/)
      .first()
      .waitFor()
    await deployed.getByRole('link', { name: 'pilots' }).first().click()
    await page.waitForURL(/\/deployments\/[^/]+\/[^/]+$/)
  })

  it('takes over a version that only devices know', async () => {
    await report('2.0.0-field')
    await go('/devices')
    await page.getByText(/, longest unknown first$/).waitFor()
    const rows = page.getByRole('table', { name: 'Devices' }).getByRole('row')
    await rows.nth(1).getByText('2.0.0-field').waitFor()
    await go('/devices?show=unknown')
    await page.getByText(/, longest unknown first$/).waitFor()

    await page.getByRole('button', { name: 'Create this version' }).click()

    await page.getByText('No SBOM yet').waitFor()
    await page.getByRole('heading', { level: 1, name: '2.0.0-field' }).waitFor()
  })

  it('shows what a rule would have done before it is made, and switches it off', async () => {
    await go('/alerts')
    await page.getByText('Nothing is firing').waitFor()
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByRole('button', { name: 'New rule' }).click()
    await page.getByRole('combobox', { name: 'Watches' }).click()
    await page.getByRole('option', { name: 'A device is silent' }).click()
    await page.getByText(/^In the last day/).waitFor()
    await page.getByText('A device was not heard from for 1 hour.').waitFor()
    await page.getByText('Nobody yet: it would only show here').waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('silent pumps')

    await page.getByRole('button', { name: 'Create rule' }).click()

    await page.getByText('A device was not heard from for 1 hour').waitFor()
    await page.getByRole('button', { name: 'Switch off silent pumps' }).click()
    await page.getByRole('button', { name: 'Switch on silent pumps' }).waitFor()

    await page.getByRole('link', { name: 'Change silent pumps' }).click()
    const { pathname } = new URL(page.url())
    await go(`/alerts?tab=rules&rule=${pathname.split('/').at(-1)}`)
    await page.waitForURL(/\/alerts\/rules\//)
    expect(new URL(page.url()).pathname).toBe(pathname)
    const form = page.getByRole('form', { name: 'Change rule' })
    await form.getByRole('textbox', { name: 'Name' }).fill('quiet pumps')
    await form.getByRole('button', { name: 'Save rule' }).click()
    await page.getByRole('button', { name: 'Switch on quiet pumps' }).waitFor()
  })

  it('says that it does not know which rules are silenced, where that could not be read', async () => {
    const refused = { status: 500, contentType: 'application/problem+json', body: '{}' }
    const told = complaints.list.length
    await page.route('**/alert-silences*', (route) => route.fulfill(refused))
    await go('/alerts?tab=rules')

    await page.getByText('Which rules are silenced is not known.').waitFor()

    await page.getByRole('link', { name: 'quiet pumps', exact: true }).waitFor()
    await page.unroute('**/alert-silences*')
    expect(complaints.list.splice(told).join()).toContain('500')
  })

  it('makes a rule for new findings that watches them until they are gone', async () => {
    await go('/alerts?tab=rules')
    await page.getByRole('button', { name: 'New rule' }).click()
    await page.getByRole('combobox', { name: 'Watches' }).click()
    await page.getByRole('option', { name: 'A vulnerability is new' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('in the field')
    await page.getByLabel(/Also after it was decided/).check()

    await page.getByRole('button', { name: 'Create rule' }).click()

    await page.getByText(/until it is closed or gone/).waitFor()
  })

  it('moves the threshold of a rule in its drawing, and takes another one that it tried', async () => {
    const now = Date.now()
    for (const [minutesAgo, value] of [
      [4, 30],
      [3, 38],
      [2, 44],
      [1, 31],
    ] as const)
      await say({
        metrics: [
          { name: 'warmth', value, timestamp: new Date(now - minutesAgo * 60_000).toISOString() },
        ],
      })
    await go('/alerts/rules/new?metric=warmth')
    const threshold = page.getByLabel('Threshold', { exact: true })
    await threshold.fill('40')
    const handle = page.getByRole('slider', { name: 'Threshold of warmth' })
    await expect.poll(() => handle.getAttribute('aria-valuenow')).toBe('40')
    await page.getByText(/^Only .*nothing older/).waitFor()

    await handle.press('ArrowUp')
    await expect.poll(() => threshold.inputValue()).toBe('41')
    await handle.press('Shift+ArrowDown')
    await expect.poll(() => threshold.inputValue()).toBe('31')

    const box = await handle.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 12)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) - 20)
    await page.mouse.up()
    await expect.poll(async () => Number(await threshold.inputValue())).toBeGreaterThan(31)

    await threshold.fill('40')
    const others = page.locator('section').filter({ hasText: 'Other thresholds' })
    await others.getByRole('button', { name: /^above 42/ }).click()
    await expect.poll(() => threshold.inputValue()).toBe('42')
    await page.getByText('7 days', { exact: true }).click()
    await page.getByText(/^Only .*nothing older/).waitFor()
    await page
      .getByText(/^In the last 7 days it would .* of the time there was no data\.$/)
      .waitFor()
    await others.getByText('the last 7 days; the bar is the time firing').waitFor()
  })

  it('opens the page of an incident, also by an address from before, and says if it is gone', async () => {
    const incident = (number: number) =>
      `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
    await service.write(
      `insert into alert_incidents (workspace_id, id, rule_id, rule_name, rule_type, condition, began_at, ended_at, ended_cause)
        select $1, ('00000000-0000-7000-8000-' || lpad(age::text, 12, '0'))::uuid, gen_random_uuid(), 'rule ' || age,
          'DeviceOffline', '{"tags": [], "deploymentCohortId": null, "offlineFor": "1h"}', now() - age * interval '1 day', now() - age * interval '1 day', 'Recovered'
        from generate_series(1, 60) as age`,
      [service.workspaceId],
    )
    await page.goto(`${service.url}/?to=alerts&incident=${incident(40)}`)
    await page
      .getByText(/rule 40/)
      .first()
      .waitFor()
    expect(new URL(page.url()).pathname).toMatch(`/alerts/incidents/${incident(40)}`)
    await page.getByText('It ended: it recovered').waitFor()
    await page.getByText('It told nobody.').waitFor()

    const now = Date.now()
    for (const [minutesAgo, value] of [
      [4, 30],
      [3, 42],
      [2, 44],
      [1, 31],
    ] as const)
      await say({
        metrics: [
          { name: 'heat', value, timestamp: new Date(now - minutesAgo * 60_000).toISOString() },
        ],
      })
    await service.write(
      `with made as (insert into alert_incidents (workspace_id, id, rule_id, rule_name, rule_type, condition, began_at, ended_at, ended_cause)
          select $1, '00000000-0000-7000-8000-000000000061', gen_random_uuid(), 'too hot', 'MetricFixedThreshold', '{"metric": "heat", "labels": {},
            "aggregation": "Maximum", "groupBy": "Device", "operator": "GreaterThan", "threshold": 40, "window": "1m", "onNoData": "Keep", "delaySeconds": 0,
            "deploymentCohortId": null}', now() - interval '4 minutes', now(), 'Recovered' returning *)
        insert into alert_series (workspace_id, rule_id, series, label, since, until, value, incident_id)
          select workspace_id, rule_id, 'pump-1', 'pump-1', began_at, ended_at, 42, id from made`,
      [service.workspaceId],
    )
    await go(`/alerts/incidents/${incident(61)}`)
    await page.getByRole('img', { name: /^heat/ }).waitFor()
    const row = page.getByRole('row', { name: /pump-1/ })
    await row.getByRole('link', { name: 'pump-1' }).waitFor()
    await row.getByText('2.0.0-field').waitFor()
    // Highest within it, as the drawing has it.
    await row.getByText('44', { exact: true }).waitFor()
    const changes = page.locator('section').filter({ hasText: 'What else changed' })
    await changes.getByText(/2\.0\.0-field began to run/).waitFor()
    await page.getByRole('link', { name: '1', exact: true }).click()
    await page.waitForURL(/#devices$/)

    await service.write('update alert_incidents set ended_at = null where id = $1', [incident(61)])
    await service.write('update alert_series set until = null where incident_id = $1', [
      incident(61),
    ])
    await go(`/alerts/incidents/${incident(61)}`)
    const notice = page.getByRole('status').filter({ hasText: 'Undo' })
    const choice = page.getByRole('combobox', { name: 'Who looks after the incident' })
    const me = (await choice.getByRole('option', { name: '(you)' }).textContent()) ?? ''
    await choice.selectOption(me)
    await notice.filter({ hasText: 'looks after it' }).waitFor()
    await page.getByRole('textbox', { name: 'What is done about it' }).fill('The fan is due')
    await page.getByRole('button', { name: 'Acknowledge with it' }).click()
    await page.getByText('acknowledged by').waitFor()
    await page.getByText('noted: The fan is due').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('heading', { name: 'Silence' }).click()
    await page.keyboard.press('s')
    await page.keyboard.type('somebody goes there')
    await page.getByRole('button', { name: /^Silence 1 device until / }).click()
    await page.getByText(/^silenced until/).waitFor()

    await go('/alerts')
    await page.getByText(/^silenced until/).waitFor()
    await page.getByRole('button', { name: 'Mine' }).click()
    await page.getByText('Nothing of yours fired yet').waitFor()
    await page.getByRole('link', { name: 'too hot' }).click()
    await page.getByRole('button', { name: 'End it' }).click()
    await page.getByText(/^silenced until/).waitFor({ state: 'detached' })
    await page.getByText(/ended the silence/).waitFor()
    await page.keyboard.press('z')
    await page.getByText(/^silenced until/).waitFor()

    await go(`/alerts/incidents/${incident(99)}`)
    await page.getByText('It is not here any more').waitFor()
    await page.getByRole('link', { name: 'All incidents' }).click()
    await page.getByText('It is not here any more').waitFor({ state: 'detached' })

    await service.write('delete from alert_incidents where workspace_id = $1', [
      service.workspaceId,
    ])
  })

  it('has people confirm their address before they are told', async () => {
    await go('/alerts?tab=targets')
    const form = page.getByRole('form', { name: 'New mail target' })
    await form.getByRole('textbox', { name: 'Name' }).fill('On call')
    await form.getByLabel('Addresses').first().fill('ops@example.com')

    await form.getByRole('button', { name: 'Create mail target' }).click()

    await page.getByText('pending').waitFor()
    await go('/alerts?tab=deliveries')
    await page.getByText('On call, ops@example.com').waitFor()
  })

  describe('crashes', () => {
    const deviceId = 'modem-1'
    beforeAll(() => service.ask('POST', '/devices', { id: deviceId }))
    const sayOf = (message: object) => sayAs(deviceId, message)
    crashes(() => ({ service, page, complaints, deviceId, say: sayOf }))
  })

  it('has no fault of accessibility, light and dark, wide and narrow', async () => {
    const { deploymentCohorts } = await service.ask<{
      deploymentCohorts: { id: string; activeDeploymentId: string }[]
    }>('GET', '/deployment-cohorts')
    const cohort = deploymentCohorts[0]
    const id = cohort?.id ?? ''
    const active = cohort?.activeDeploymentId ?? ''
    const paths = [
      '/devices',
      '/devices/pump-1',
      '/devices/pump-1?tab=configuration',
      '/devices/pump-1?tab=logs',
      '/devices/pump-1?tab=metrics',
      '/devices/pump-1?tab=updates',
      '/devices/pump-1?tab=registration',
      '/alerts',
      '/alerts?tab=rules',
      '/alerts/rules/new',
      '/alerts?tab=targets',
      '/firmware',
      '/exposure',
      '/exposure?cve=CVE-1999-9&days=30',
      '/deployments',
      `/deployments/${id}`,
      `/deployments/${id}/${active}`,
      `/deployments/new?cohort=${id}&version=${versions['1.1.0'] ?? ''}`,
      `/deployments/what-if?runs=${id}:${versions['1.1.0'] ?? ''}`,
    ]
    const faults = await faultsInLooks(page, paths, (path) => visit(page, at(path)))

    expect(faults).toEqual([])
  })

  it('has complained of nothing', () => {
    expect(complaints.list).toEqual([])
  })
}
