import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  type Complaints,
  faultsOf,
  LOOKS,
  MORE_LOOKS,
  openContext,
  openPage,
  show,
} from './browser.ts'
import { givenMatchedVersion, type PortalWorkspace } from './portal-service.ts'
import type { RunningPortal } from './running.ts'
import { signedIn } from './portal-service.ts'

const IMAGE = Buffer.from('the image')
const hashOf = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const makeSbom = (content: string) =>
  Buffer.from(
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: {
        component: { type: 'firmware', name: 'gateway', hashes: [{ alg: 'SHA-256', content }] },
      },
      components: [{ type: 'library', name: 'zlib', version: '1.3.1' }],
    }),
  )

const STATEMENT = 'application/vnd.in-toto+json'

/** A statement of in-toto about the image and an SBOM, in a DSSE envelope that the key signed. */
function makeStatement(sbom: Buffer, privateKey: Parameters<typeof sign>[2]): string {
  const name = (bytes: Buffer, fileName: string) => ({
    name: fileName,
    digest: { sha256: hashOf(bytes) },
  })
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [name(IMAGE, 'gateway.bin'), name(sbom, 'a.json')],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: { buildType: 'https://example.com/yocto' },
        runDetails: { builder: { id: 'https://ci.example.com' } },
      },
    }),
  )
  const head = `DSSEv1 ${STATEMENT.length} ${STATEMENT} ${payload.length} `
  const signature = sign(null, Buffer.concat([Buffer.from(head), payload]), privateKey)
  return JSON.stringify({
    payloadType: STATEMENT,
    payload: payload.toString('base64'),
    signatures: [{ sig: signature.toString('base64') }],
  })
}

/** By keyboard alone: what cannot be reached so fails here. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  const hasFocus = () => target.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 200; presses += 1) {
    if (await hasFocus()) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${target.toString()}`)
}

/** As the portal sends them. */
const PART_BYTES = 8 * 1024 * 1024

/** Lets the first part through, breaks the connection of the second, and holds those that follow. */
function holdParts(page: Page, role: string) {
  const parts = new RegExp(`/artifacts/${role}\\?`)
  let sent = 0
  let held = 0
  let seen = 0
  return {
    begin: () =>
      page.route(parts, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue()
        sent += 1
        if (sent === 1) return route.continue()
        if (sent === 2) return route.abort('connectionfailed')
        held += 1
        return undefined
      }),
    /** Waits for one more that is held. */
    held: async () => {
      seen += 1
      await expect.poll(() => held).toBe(seen)
    },
    end: () => page.unroute(parts),
  }
}

export function chain(running: () => RunningPortal): void {
  let service: PortalWorkspace
  let context: BrowserContext
  let page: Page
  let firmwareId: string
  const complaints: Complaints = { list: [] }

  beforeAll(async () => {
    service = await running().service.openWorkspace('Chain', 'chain@example.com')
    context = await openContext(running().browser)
    page = await openPage(context, service.url, complaints)
    await signedIn(page, service)
    const made = await service.ask<{ id: string }>('POST', '/firmwares', { slug: 'gateway' })
    firmwareId = made.id
  })

  const openVersion = async (name: string, sbom: Buffer) => {
    const versionId = await givenMatchedVersion(service, firmwareId, { name, sbom })
    const path = `/firmware-versions/${versionId}/artifact?fileName=gateway.bin`
    await service.ask('PUT', path, IMAGE)
    await page.goto(`${service.url}/w/${service.workspaceId}/versions/${versionId}`)
    await page.locator('summary', { hasText: 'From SBOM to device' }).press('Enter')
    return page.getByRole('list', { name: 'From SBOM to device' })
  }

  it('says of each link that it is stated or missing, and how to get on, once it is opened by a key', async () => {
    const region = await openVersion('1', makeSbom(hashOf(IMAGE)))

    await region.getByText('Stated, not proved').waitFor()

    const items = await region.getByRole('listitem').allInnerTexts()
    expect(items.map((one) => one.split(/\s/)[0])).toEqual([
      'SBOM',
      'Stated,',
      'Image',
      'Missing',
      'Devices',
    ])
    expect(await region.innerText()).toContain('To prove it, sign the SBOM')
    expect(complaints.list).toEqual([])
  })

  it('says that an SBOM describes another image, and can be read in each theme and width', async () => {
    const region = await openVersion('2', makeSbom(hashOf('another')))

    await region.getByText('Differs').waitFor()

    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    expect(complaints.list).toEqual([])
  })

  it('takes a statement, shows what proves it, and deletes it by keyboard alone', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    await service.ask('POST', '/trusted-keys', {
      name: 'Build key',
      key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    })
    const sbom = makeSbom(hashOf('another'))
    const region = await openVersion('3', sbom)
    const links = page.getByRole('link', { name: 'Statements and files' })
    await tabTo(page, links)
    await page.keyboard.press('Enter')
    const opener = page.getByRole('button', { name: 'Add statement…' })
    await tabTo(page, opener)
    await page.keyboard.press('Enter')
    const form = page.getByRole('form', { name: 'Add a statement' })
    await tabTo(page, form.getByRole('textbox', { name: 'Text of the statement' }))
    await page.keyboard.insertText('{"no": "statement"}')
    await tabTo(page, form.getByRole('textbox', { name: 'File name' }))
    await page.keyboard.type('gateway.intoto.json')
    await page.keyboard.press('Enter')

    await form.getByRole('alert').filter({ hasText: 'Not added.' }).waitFor()
    const text = form.getByRole('textbox', { name: 'Text of the statement' })
    expect(await text.evaluate((element) => element === document.activeElement)).toBe(true)

    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(makeStatement(sbom, privateKey))
    await tabTo(page, form.getByRole('button', { name: 'Add statement' }))
    await page.keyboard.press('Enter')

    const row = page
      .getByRole('table', { name: 'Statements about the files' })
      .getByRole('row', { name: 'gateway.intoto.json' })
    await row.getByText('Signed with the trusted key Build key.').waitFor()
    expect(await row.innerText()).toContain('https://ci.example.com')
    await form.waitFor({ state: 'detached' })
    await expect
      .poll(() => opener.evaluate((element) => element === document.activeElement))
      .toBe(true)
    await region.getByText('Proved', { exact: true }).waitFor()

    await tabTo(page, row.getByRole('button', { name: 'Delete gateway.intoto.json' }))
    await page.keyboard.press('Enter')
    const asked = page.getByRole('dialog', { name: 'Delete gateway.intoto.json?' })
    await asked.getByText('1 link of the chain rests on it now').waitFor()
    await asked.getByText('a.json → gateway.bin, proved').waitFor()
    await tabTo(page, asked.getByRole('button', { name: 'Delete statement' }))
    await page.keyboard.press('Enter')

    await page.getByText('nothing proves which SBOM belongs to which file').waitFor()
    await region.getByText('Differs').waitFor()
    const { statements } = await service.ask<{ statements: unknown[] }>(
      'GET',
      `/firmware-versions/${versionOf(page)}/provenance-statements`,
    )
    expect(statements).toEqual([])
    expect(complaints.list).toEqual([])
  })

  it('makes a standing address that downloads the file, and revokes it by keyboard alone', async () => {
    await openVersion('4', makeSbom(hashOf(IMAGE)))
    await page.goto(`${page.url()}?tab=artifacts`)
    const form = page.getByRole('form', { name: 'New standing address' })
    const file = form.getByRole('combobox', { name: 'File' })
    await tabTo(page, file)
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Full image' }).waitFor()
    // The list is open some moments before it takes arrows.
    const chosen = page.locator('[data-combobox-selected="true"]')
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowUp')
        return chosen.innerText()
      })
      .toBe('Full image')
    await page.keyboard.press('Enter')
    await expect.poll(() => file.inputValue()).toBe('Full image')
    await tabTo(page, form.getByRole('button', { name: 'Make address' }))
    await page.keyboard.press('Enter')

    const url = await form.getByRole('status').locator('code').innerText()
    const answer = await fetch(url)
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(IMAGE)

    const row = page
      .getByRole('table', { name: 'Standing addresses' })
      .getByRole('row', { name: 'Full image' })
    expect(await row.innerText()).toContain('gateway.bin, 9 B')
    await tabTo(page, row.getByRole('button', { name: 'Revoke the address of Full image' }))
    await page.keyboard.press('Enter')
    const asked = page.getByRole('dialog', { name: 'Revoke the address of Full image?' })
    await asked.getByText('1 request so far').waitFor()
    await tabTo(page, asked.getByRole('button', { name: 'Revoke address' }))
    await page.keyboard.press('Enter')

    await row.waitFor({ state: 'detached' })
    expect((await fetch(url)).status).toBe(404)
    const acts = page.getByRole('list', { name: 'Who did what' })
    await acts.getByText('revoked').first().waitFor()
    expect(complaints.list).toEqual([])
  })

  it('uploads a delta in parts, which goes on after a pause, a lost connection and a reload', async () => {
    const versionPath = new URL(page.url()).pathname
    await page.goto(`${service.url}${versionPath}?tab=artifacts`)
    const bytes = randomBytes(2 * PART_BYTES + 1_000)
    const file = { name: 'from-1.swu', mimeType: 'application/octet-stream', buffer: bytes }
    const form = page.getByRole('form', { name: 'Upload a file' })
    const answers = holdParts(page, 'delta')
    await answers.begin()

    const base = form.getByRole('combobox', { name: 'It begins with' })
    await tabTo(page, base)
    await page.keyboard.type('1')
    await page.getByRole('option', { name: '1', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await form.getByLabel('The file that devices install').setInputFiles(file)
    await form.getByText('It is not smaller than the full image (9 B)').waitFor()
    await form.getByText('Devices that report to run exactly 1 are offered it').waitFor()
    await tabTo(page, form.getByRole('button', { name: 'Upload file' }))
    await page.keyboard.press('Enter')

    const row = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')
    // The first part arrives, the second is lost, and is held when it is tried again.
    await row.getByText('The connection broke. It is tried again by itself.').waitFor()
    await answers.held()
    await tabTo(page, row.getByRole('button', { name: 'Pause the upload of from-1.swu' }))
    await page.keyboard.press('Enter')
    await row.getByText('Paused: 8 MiB of 16 MiB').waitFor()
    await tabTo(page, row.getByRole('button', { name: 'Go on with the upload of from-1.swu' }))
    await page.keyboard.press('Enter')
    await answers.held()

    await page.reload()
    const unfinished = page.getByRole('list', { name: 'Unfinished uploads' }).getByRole('listitem')
    await unfinished.getByText('8 MiB of 16 MiB arrived').waitFor()
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await answers.end()
    const again = page.getByLabel('from-1.swu, to go on')
    await again.setInputFiles({ ...file, buffer: randomBytes(bytes.length) })
    await row.getByText('another file than the one whose upload began').waitFor()
    await row.getByRole('button', { name: 'Discard the upload of from-1.swu' }).click()
    await page.getByRole('button', { name: 'Discard upload' }).click()
    await unfinished.getByText('8 MiB of 16 MiB arrived').waitFor()
    await again.setInputFiles(file)

    const listed = page.getByRole('table', { name: 'Files that devices install' })
    await listed.getByText('Delta from 1').waitFor()
    await row.getByText('uploaded', { exact: true }).waitFor()
    const { artifacts, uploads } = await service.ask<{
      artifacts: { role: string; baseVersion: string | null; sha256: string }[]
      uploads: unknown[]
    }>('GET', `/firmware-versions/${versionOf(page)}/artifacts`)
    expect(artifacts).toMatchObject([
      { role: 'image' },
      { role: 'delta', baseVersion: '1', sha256: hashOf(bytes) },
    ])
    expect(uploads).toEqual([])
    expect(complaints.list.filter((one) => !one.includes('ERR_'))).toEqual([])
    complaints.list = []
  })

  it('says what a file takes the place of, and asks with counts before it deletes one, by keys', async () => {
    const form = page.getByRole('form', { name: 'Upload a file' })
    const table = page.getByRole('table', { name: 'Files that devices install' })
    const file = form.getByRole('combobox', { name: 'File' })
    await tabTo(page, file)
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Full image' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await form.getByText('Full image is there: gateway.bin, 9 B').waitFor()
    await form.getByText('0 devices are offered it now.').waitFor()
    await form.getByLabel('The file that devices install').setInputFiles({
      name: 'gateway.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('another image'),
    })
    await tabTo(page, form.getByRole('button', { name: 'Replace file' }))
    await page.keyboard.press('Enter')
    await table.getByText('13 B').waitFor()

    await tabTo(page, table.getByRole('button', { name: 'Delete Delta from 1' }))
    await page.keyboard.press('Enter')
    const asked = page.getByRole('dialog', { name: 'Delete Delta from 1?' })
    await asked.getByText('0 devices report 1; they are offered the full image instead').waitFor()
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await tabTo(page, asked.getByRole('button', { name: 'Delete file' }))
    await page.keyboard.press('Enter')

    await table.getByText('Delta from 1').waitFor({ state: 'detached' })
    const { artifacts } = await service.ask<{ artifacts: unknown[] }>(
      'GET',
      `/firmware-versions/${versionOf(page)}/artifacts`,
    )
    expect(artifacts).toMatchObject([{ role: 'image', sha256: hashOf('another image') }])
    expect(complaints.list).toEqual([])
  })

  it('leaves alone what somebody else uploads in its place, when its own row is discarded', async () => {
    const form = page.getByRole('form', { name: 'Upload a file' })
    const answers = holdParts(page, 'chunks')
    await answers.begin()
    await form.getByRole('combobox', { name: 'File' }).click()
    await page.getByRole('option', { name: 'A part, by its role' }).click()
    await form.getByLabel('Role').fill('chunks')
    await form.getByLabel('The file that devices install').setInputFiles({
      name: 'mine.bin',
      mimeType: 'application/octet-stream',
      buffer: randomBytes(PART_BYTES + 1_000),
    })
    await form.getByRole('button', { name: 'Upload file' }).click()
    const row = page.getByRole('list', { name: 'Uploads' }).getByRole('listitem')
    const mine = row.filter({ hasText: 'mine.bin' })
    await mine.getByText('The connection broke. It is tried again by itself.').waitFor()
    await answers.held()
    await mine.getByRole('button', { name: 'Pause the upload of mine.bin' }).click()

    const role = `/firmware-versions/${versionOf(page)}/artifacts/chunks`
    await answers.end()
    const theirPart = `${service.url}/workspaces/${service.workspaceId}${role}?fileName=theirs.bin`
    const status = await page.evaluate(async (url) => {
      const headers = { 'content-type': 'application/octet-stream', 'content-range': 'bytes 0-3/9' }
      return (await fetch(url, { method: 'PUT', headers, body: 'this' })).status
    }, theirPart)
    expect(status).toBe(202)
    await mine.getByRole('button', { name: 'Go on with the upload of mine.bin' }).click()
    await mine.getByText('Somebody has begun another upload in its place: theirs.bin').waitFor()
    await mine.getByRole('button', { name: 'Discard the upload of mine.bin' }).click()
    await page.getByRole('button', { name: 'Discard upload' }).click()
    await mine.waitFor({ state: 'detached' })

    const theirs = await service.ask<{ receivedBytes: number }>('GET', `${role}/upload`)
    expect(theirs.receivedBytes).toBe(4)
    await service.ask('DELETE', `${role}/upload`)
    expect(complaints.list.filter((one) => !one.includes('ERR_'))).toEqual([])
    complaints.list = []
  })

  it('adds only a delta once the version is deployed, after it said whom that reaches, and can take it back', async () => {
    const firmwareVersionId = versionOf(page)
    const cohort = await service.ask<{ id: string }>('POST', '/deployment-cohorts', { name: 'All' })
    await service.ask('POST', `/deployment-cohorts/${cohort.id}/deployments`, {
      name: 'Two',
      artifacts: [{ firmwareVersionId }],
    })
    await page.reload()
    const form = page.getByRole('form', { name: 'Upload a file' })
    const table = page.getByRole('table', { name: 'Files that devices install' })
    await form.getByRole('combobox', { name: 'File' }).click()
    const offered = await page.getByRole('option').allInnerTexts()
    await page.keyboard.press('Escape')
    await form.getByRole('combobox', { name: 'It begins with' }).fill('1')
    await page.getByRole('option', { name: '1', exact: true }).click()
    await form.getByText('when this version is deployed the next time: 0 devices report').waitFor()
    await form.getByText('Deployments that were made already go on without it.').waitFor()
    await form.getByLabel('The file that devices install').setInputFiles({
      name: 'late.bin',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('delta'),
    })
    await form.getByRole('button', { name: 'Upload file' }).click()

    await table.getByRole('button', { name: 'Delete Delta from 1' }).click()
    await page.getByRole('button', { name: 'Delete file' }).click()
    await table.getByText('Delta from 1').waitFor({ state: 'detached' })
    expect(offered).toEqual(['A delta'])
    expect(await table.getByRole('button', { name: 'Delete Full image' }).count()).toBe(0)
    expect(complaints.list).toEqual([])
  })

  it('can read the files, statements and addresses in each theme and width', async () => {
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    expect(complaints.list).toEqual([])
  })

  it('tells each state of a link by a word of its own, in each theme and width', async () => {
    const region = await openVersion('8', makeSbom(hashOf(IMAGE)))
    await region.waitFor()
    await page.route('**/chain', async (route) => {
      const answer = (await (await route.fetch()).json()) as object
      await route.fulfill({ json: { ...answer, ...EACH_STATE } })
    })
    await page.reload()
    await page.locator('summary', { hasText: 'From SBOM to device' }).press('Enter')

    await region.getByText('Not known yet').waitFor()

    const said = await region.innerText()
    for (const word of ['Proved', 'Stated, not proved', 'Missing', 'Not known yet', 'Differs'])
      expect(said).toContain(word)
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await page.unroute('**/chain')
    expect(complaints.list).toEqual([])
  })

  it('leads to the devices that report another image, each of which says so', async () => {
    await openVersion('9', makeSbom(hashOf(IMAGE)))
    const versionPath = new URL(page.url()).pathname
    const made = await page.request.post(
      `${service.url}/workspaces/${service.workspaceId}/device-keys`,
      { data: { name: 'gateways' }, headers: { origin: service.url } },
    )
    const { deviceKey } = (await made.json()) as { deviceKey: string }
    await service.ask('POST', '/devices', { id: 'gw-1' })
    const firmware = [{ slug: 'gateway', version: '9' }]
    const attributes = { imageHash: hashOf('another build') }
    const said = await fetch(`${service.url}/device/v1/${service.workspaceId}/gw-1/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session: { runId: 'a', firmware, attributes } }),
    })
    expect(said.status).toBe(200)

    await page.goto(service.url + versionPath)
    await page.locator('summary', { hasText: 'From SBOM to device' }).press('Enter')
    await page.getByRole('link', { name: 'Show the 1 device with another image' }).click()
    await page.getByText('report the hash of an image that nobody uploaded').waitFor()
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    await page.getByRole('link', { name: 'gw-1' }).first().click()
    await page.getByText('it reports an image that nobody uploaded').waitFor()
    await page.getByText('None: no deployment that runs has released an update to it.').waitFor()
    await page.getByRole('combobox', { name: 'Which update' }).click()
    await page.getByRole('option', { name: 'if gateway 9 were deployed' }).click()
    const offered = page.getByRole('list', { name: 'Files it is offered' })
    await offered.getByText('The version has no delta.').waitFor()
    for (const look of [...LOOKS, ...MORE_LOOKS]) {
      await show(page, look)
      expect(await faultsOf(page)).toEqual([])
    }
    expect(complaints.list).toEqual([])
  })
}

/** As the service tells them. */
const EACH_STATE = {
  devices: { running: 40, proved: 37, ofOther: 1, unknown: 2, notAHash: 0, named: 0 },
  links: [
    {
      step: 'SbomToImage',
      from: 'gateway.cdx.json',
      to: 'gateway.bin',
      state: 'Proved',
      by: 'gateway.intoto.json, signed with Build key',
      why: 'The statement gateway.intoto.json, signed with the trusted key Build key, names both by their hashes.',
      next: null,
    },
    {
      step: 'SbomToImage',
      from: 'bootloader.cdx.json',
      to: 'bootloader.bin',
      state: 'Stated',
      by: 'bootloader.cdx.json',
      why: 'The SBOM states the SHA-256 of bootloader, which is that of the file.',
      next: 'To prove it, sign the SBOM with a trusted key, or upload a statement that one signed (plimsoll provenance add).',
    },
    {
      step: 'SbomToImage',
      from: null,
      to: 'modem.bin',
      state: 'Missing',
      by: null,
      why: 'No SBOM states a hash of this file, and no statement names it together with an SBOM.',
      next: 'Upload both at once (plimsoll sbom upload --image FILE), let the build write the hash into the SBOM, or upload a statement.',
    },
    {
      step: 'SbomToImage',
      from: null,
      to: 'sensor.bin',
      state: 'Unknown',
      by: null,
      why: 'The file is still being read, so not all of its hashes are known.',
      next: 'Look again in a moment.',
    },
    {
      step: 'ImageToDevices',
      from: 'gateway.bin',
      to: null,
      state: 'Differs',
      by: '37 devices by the hash or build id',
      why: '1 device of 40 reports the hash of another version, and 2 devices of 40 report a hash that nobody uploaded: what they run may be another build than the one that is here.',
      next: 'Look at these devices (plimsoll blind-spots list): install the version anew, or upload the image that they run.',
    },
  ],
}

const versionOf = (page: Page) => /versions\/([^?]+)/.exec(page.url())?.[1] ?? ''
