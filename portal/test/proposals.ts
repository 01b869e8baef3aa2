/** What an assistant proposes, on the page of the finding: taken, changed and refused; release lines of a firmware, and feeds of suppliers. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Complaints, faultsOf, openContext, openPage } from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace, signedIn } from './portal-service.ts'
import type { RunningPortal } from './running.ts'

interface Listed {
  findings: { id: string; cveId: string }[]
}

export function proposals(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let firmwareId: string
  let findings: Listed['findings']
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Proposals', 'proposals@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const firmware = { slug: 'gateway', name: 'Harbour gateway' }
    firmwareId = (await service.ask<{ id: string }>('POST', '/firmwares', firmware)).id
    const versionId = await givenMatchedVersion(service, firmwareId, { name: '2.4' })
    const path = `/firmware-versions/${versionId}/vulnerability-findings/list`
    ;({ findings } = await service.ask<Listed>('POST', path, {}))
  })

  const open = async (place: number) => {
    const id = findings[place]?.id ?? ''
    await service.ask('POST', `/vulnerability-findings/${id}/proposals`, {
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_present',
      detail: 'Not built in.',
      reason: 'The build switches the applet off.',
      evidence: [{ text: 'CONFIG_HTTPD is not set', link: 'https://git.acme.example/config' }],
    })
    await page.goto(`${service.url}/w/${service.workspaceId}/findings/${id}`)
    return page.getByRole('region', { name: /^Proposal of / })
  }
  const readAssessment = async (place: number) => {
    const path = `/vulnerability-findings/${findings[place]?.id ?? ''}`
    return (await service.ask<{ assessment: string }>('GET', path)).assessment
  }

  it('are taken in the words of the assistant', async () => {
    const proposal = await open(0)
    await proposal.getByText('The build switches the applet off.').waitFor()
    expect(await proposal.getByRole('link').getAttribute('href')).toBe(
      'https://git.acme.example/config',
    )
    expect(await faultsOf(page)).toEqual([])

    await proposal.getByRole('button', { name: 'Take “Not affected”…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take “Not affected”' }).click()

    await proposal.waitFor({ state: 'detached' })
    expect(await readAssessment(0)).toBe('NotAffected')
  })

  it('are taken with another decision', async () => {
    const proposal = await open(1)
    await proposal.getByRole('button', { name: 'Change…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'In triage' }).click()
    expect(await faultsOf(page)).toEqual([])

    await dialog.getByRole('button', { name: 'Decide' }).click()

    await proposal.waitFor({ state: 'detached' })
    expect(await readAssessment(1)).toBe('InTriage')
  })

  it('are refused with a reason, by keyboard', async () => {
    const proposal = await open(2)
    await proposal.getByRole('button', { name: 'Refuse…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Why' }).fill('It is built in.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')

    await proposal.waitFor({ state: 'detached' })
    expect(await readAssessment(2)).toBe('NotAssessed')
    const refused = await service.ask<{ proposals: { refusal: string }[] }>(
      'GET',
      '/decision-proposals?state=Refused',
    )
    expect(refused.proposals).toMatchObject([{ refusal: 'It is built in.' }])
  })

  it('are listed over the workspace, refused together, and open again with Undo', async () => {
    await open(2)
    await page.goto(`${service.url}/w/${service.workspaceId}/proposals`)
    const row = page.getByRole('row', { name: /The build switches the applet off/ })
    await row.waitFor()
    await page.getByText('1 wait for a decision').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await row.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Refuse 1 selected…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Why' }).fill('Not this build.')
    expect(await faultsOf(page)).toEqual([])

    await dialog.getByRole('button', { name: 'Refuse 1 proposal' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.waitFor()

    await page.goto(`${service.url}/w/${service.workspaceId}/proposals?state=Refused`)
    await page.getByRole('row', { name: /Refused, by .*It is built in\./ }).waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  it('release lines are tried, saved and shown', async () => {
    for (const name of ['3.0', '2.5'])
      await service.ask('POST', `/firmwares/${firmwareId}/versions`, { name })
    await page.goto(`${service.url}/w/${service.workspaceId}/firmware/${firmwareId}`)
    await page.getByRole('button', { name: 'Release lines' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add line' }).click()
    await dialog.getByRole('textbox', { name: 'Line' }).fill('2.x LTS')
    const patterns = dialog.getByRole('textbox', { name: 'Patterns' })
    await patterns.fill('^2{')
    await dialog.getByText('"{" is not taken').first().waitFor()
    await patterns.fill('^2\\.')
    await dialog.getByText('2 of 3 versions move to another line.').waitFor()
    expect(await faultsOf(page)).toEqual([])

    await dialog.getByRole('button', { name: 'Save lines' }).click()

    await page.getByRole('row', { name: /Release line of 2\.5: 2\.x LTS newest/ }).waitFor()
    await page.getByRole('row', { name: /Release line of 3\.0: none/ }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page
      .getByRole('button', { name: /Release line of/ })
      .first()
      .waitFor({ state: 'detached' })
    const lines = [{ name: '2.x LTS', patterns: ['^2\\.'] }]
    await service.ask('PUT', `/firmwares/${firmwareId}/lines`, { lines })
    await page.reload()
    await page.getByRole('row', { name: /Release line of 2\.5: 2\.x LTS newest/ }).waitFor()
    expect(complaints.list.filter((one) => !one.includes('400'))).toEqual([])
  })

  it('a release line is stated of a version in the list, and taken back', async () => {
    await page.getByRole('button', { name: 'Release line of 3.0: none' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Release line of 3.0' })
    await dialog.getByText('Its name says: none, as no pattern fits.').waitFor()
    await dialog.getByRole('combobox', { name: 'Release line' }).selectOption({ label: '2.x LTS' })
    expect(await faultsOf(page)).toEqual([])

    await dialog.getByRole('button', { name: 'Save the line' }).click()
    await page.getByRole('button', { name: 'Release line of 3.0: 2.x LTS' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()

    await page.getByRole('button', { name: 'Release line of 3.0: none' }).waitFor()
    expect(complaints.list.filter((one) => !one.includes('400'))).toEqual([])
  })

  it('suppliers are subscribed to, changed and taken back, and their subscription ends after a question', async () => {
    await page.goto(`${service.url}/w/${service.workspaceId}/settings/suppliers`)
    await page.getByText('No supplier yet').waitFor()
    await page.getByRole('button', { name: 'Subscribe' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Supplier' }).fill('Example Silicon')
    const address = dialog.getByRole('textbox', { name: 'Address' })
    await address.fill('ftp://psirt.example.com')
    await page.keyboard.press('Enter')
    await dialog
      .getByText(/must be a host, or begin with https/)
      .first()
      .waitFor()
    await address.fill('https://8.8.8.8/csaf/')
    await page.keyboard.press('Enter')
    const feed = page.getByRole('listitem', { name: 'Example Silicon' })
    await feed.getByText(/nothing that the supplier says is known here/).waitFor()
    await feed.getByRole('link', { name: '0' }).first().click()
    await page.getByText(/^Nothing was fetched/).waitFor()
    expect(await faultsOf(page)).toEqual([])

    await feed.getByRole('button', { name: 'Change: Example Silicon' }).click()
    await address.fill('https://8.8.4.4/csaf/')
    await dialog.getByText(/0 statements of now count no more/).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await feed.getByText('https://8.8.4.4/csaf/').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await feed.getByText('https://8.8.8.8/csaf/').waitFor()

    await feed.getByRole('button', { name: 'End the subscription to Example Silicon' }).click()
    await dialog.getByText(/0 findings that they decided stay so/).waitFor()
    await dialog.getByRole('button', { name: 'End subscription' }).click()
    await page.getByText('No supplier yet').waitFor()
    expect(complaints.list.filter((one) => !one.includes('400'))).toEqual([])
  })
}
