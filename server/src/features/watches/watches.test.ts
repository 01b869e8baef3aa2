/** Who watches a vulnerability, and what the mails say, through the API and a mail server. */
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenSmtp } from '../../../test/given-deliveries.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Browser, givenMember } from '../../../test/given-people.ts'
import { givenAdvisory } from '../../../test/given-knowledge.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { partOf, type SmtpTestServer, startSmtpServer } from '../../../test/smtp-server.ts'
import { addMs, MINUTE_MS } from '../../formats/instants.ts'
import { tellWatchers } from './delivery-service.ts'

const test = await startTestApp()
let clock = new Date()
test.ctx.now = () => clock

let smtp: SmtpTestServer
let client: Client
let ann: { id: string; email: string; browser: Browser }

beforeEach(async () => {
  smtp = await startSmtpServer()
  givenSmtp(test, smtp.port)
  client = await givenClient(test)
  ann = await givenMember(test, client.workspaceId, 'Viewer')
})

const base = () => `/workspaces/${client.workspaceId}`
const pathOf = (cveId: string) => `${base()}/vulnerabilities/${cveId}/watch`
const watch = (cveId: string, isWatched = true, who = ann) =>
  who.browser.put(pathOf(cveId), { isWatched })

async function given() {
  const { product, cpes, cveIds } = await givenProduct(test.ctx, ['High'])
  const component = { packageName: product, version: '1.0', cpes }
  const version = await givenVersion(test.ctx, client.workspaceId, [component])
  return { version, component, cveId: cveIds[0] ?? '' }
}

/** The texts of the mails that are sent when all that is due is compared. */
async function tell(): Promise<string[]> {
  const before = smtp.mails.length
  clock = addMs(clock, 6 * MINUTE_MS)
  await tellWatchers(test.ctx, new AbortController().signal)
  return smtp.mails.slice(before).map((mail) => partOf(mail, 'text/plain').replaceAll('\r\n', '\n'))
}

describe('a watch', () => {
  it('is of one person, and is taken back', async () => {
    const { cveId } = await given()
    const ben = await givenMember(test, client.workspaceId, 'Viewer')

    const set = await watch(cveId)
    expect(set.json()).toMatchObject({ cveId, isWatched: true, watcherCount: 1, toldAt: null })
    expect((await watch(cveId)).json()).toEqual(set.json())
    const ofBen = await ben.browser.get(pathOf(cveId))
    expect(ofBen.json()).toMatchObject({ isWatched: false, watchedAt: null, watcherCount: 1 })
    const list = await ann.browser.get(`${base()}/watched-vulnerabilities`)
    expect(list.json()).toMatchObject({ watches: [{ cveId }] })
    expect((await watch(cveId, false)).json()).toMatchObject({ isWatched: false, watcherCount: 0 })
    const none = await ann.browser.get(`${base()}/watched-vulnerabilities`)
    expect(none.json()).toEqual({ watches: [], isMailConfigured: true })
  })

  it('of a key is that of whoever made it', async () => {
    const { cveId } = await given()
    const madeBy = (createdByEmail: string) =>
      test.ctx.db
        .updateTable('apiKeys')
        .set({ createdByEmail })
        .where('workspaceId', '=', client.workspaceId)
        .execute()
    await madeBy('gone@example.com')
    const refused = await client.put(`/vulnerabilities/${cveId}/watch`, { isWatched: true })
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({ type: '/problems/nobody-to-tell' })
    await madeBy(ann.email)
    await client.put(`/vulnerabilities/${cveId}/watch`, { isWatched: true })
    expect((await ann.browser.get(pathOf(cveId))).json()).toMatchObject({ isWatched: true })
  })

  it('ends when the member leaves', async () => {
    const { cveId } = await given()
    await watch(cveId)
    await client.delete(`/members/${ann.id}`)

    const read = await client.get(`/vulnerabilities/${cveId}/watch`)
    expect(read.json()).toMatchObject({ watcherCount: 0 })
  })

  it('knows no other workspace, and no id that is none', async () => {
    const { cveId } = await given()
    await watch(cveId)
    const other = await givenClient(test)

    const read = await other.get(`/vulnerabilities/${cveId}/watch`)
    expect(read.json()).toMatchObject({ watcherCount: 0 })
    expect((await watch('nothing')).statusCode).toBe(404)
  })
})

describe('a mail', () => {
  it('says what is found and decided since, once', async () => {
    const { cveId, version, component } = await given()
    await watch(cveId)
    expect(await tell()).toEqual([])
    await givenDecision(test.ctx, version, { vulnerabilityId: cveId, assessment: 'Exploitable' })
    await givenVersion(test.ctx, client.workspaceId, [component])

    const [text = '', ...others] = await tell()
    expect(others).toEqual([])
    expect(text).toContain('Exploitable for 1 finding, by ann@example.com.')
    expect(text).toMatch(new RegExp(`Found in .+ \\(${component.packageName} 1.0\\)`))
    expect(text).toContain(`/w/${client.workspaceId}/vulnerabilities/${cveId}`)
    expect(smtp.mails.at(-1)?.to).toEqual([ann.email])
    expect(await tell()).toEqual([])
    expect((await ann.browser.get(pathOf(cveId))).json()).toMatchObject({
      toldAt: expect.any(String) as string,
    })
  })

  it('is sent to each who watches, however many they are', async () => {
    const { cveId, version } = await given()
    const others = await Promise.all(
      Array.from({ length: 60 }, () => givenMember(test, client.workspaceId, 'Viewer')),
    )
    for (const who of [ann, ...others]) await watch(cveId, true, who)
    await givenDecision(test.ctx, version, { vulnerabilityId: cveId, assessment: 'Exploitable' })

    const texts = await tell()
    expect(texts).toHaveLength(61)
    expect(new Set(smtp.mails.map(({ to }) => to.join())).size).toBe(61)
  })

  it('is not about what the member decided', async () => {
    const { cveId, version } = await given()
    await watch(cveId)
    const by = { source: 'User' as const, createdByEmail: ann.email }
    await givenDecision(test.ctx, version, {
      vulnerabilityId: cveId,
      assessment: 'Resolved',
      ...by,
    })

    expect(await tell()).toEqual([])
  })

  it('comes later where the server takes none now', async () => {
    const { cveId, version } = await given()
    await watch(cveId)
    await givenDecision(test.ctx, version, { vulnerabilityId: cveId, assessment: 'Exploitable' })
    await smtp.close()

    expect(await tell()).toEqual([])
    smtp = await startSmtpServer()
    givenSmtp(test, smtp.port)
    expect(await tell()).toHaveLength(1)
  })

  it('tells of a vulnerability that nobody knew', async () => {
    const cveId = `CVE-2026-${Date.now()}`
    expect((await watch(cveId)).json()).toMatchObject({ cveId, isWatched: true })
    expect(await tell()).toEqual([])
    await givenAdvisory(test.ctx.db, { id: cveId, severity: 'Critical' })

    const [text] = await tell()
    expect(text).toContain(`${cveId}: New record of NVD (${cveId}). Severity is Critical now.`)
  })
})
