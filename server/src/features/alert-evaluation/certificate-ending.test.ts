/** Rules about certificates that end: those that sign images, those that issue certificates of devices, and those of devices. */
import { createHash } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenAuthority } from '../../../test/given-certificates.ts'
import { givenDeviceIssuer } from '../../../test/given-device-issuers.ts'
import { firingSeries, MINUTE, statuses, underClock } from '../../../test/given-non-metric-rules.ts'
import { confirmByLink, givenTarget } from '../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { newId } from '../../platform/ids.ts'
import type { CertificateEndingCondition } from '../alert-rules/index.ts'
import type { Notice } from '../notifications/index.ts'

const LEAF = 'keyUsage=digitalSignature\n'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
/** Certificates of openssl begin now, so that the clock of the test begins a minute later. */
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test, Date.now() + MINUTE)
})

const ruleOf = (condition: Partial<CertificateEndingCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'CertificateEnding',
    condition: { daysBefore: 30, includesDevices: true, ...condition },
  })

const labels = async (rule: string) =>
  (await firingSeries(test, rule)).map(({ label }) => label ?? '').toSorted()

/** A certificate that the workspace trusts to sign images. */
async function givenTrusted(
  name: string,
  { days, by = givenAuthority(), subject = name }: TrustedOptions,
): Promise<string> {
  const { pem } = by.issue(subject, { days, extensions: LEAF })
  const made = await client.post('/trusted-keys', { name, key: pem })
  expect(made.statusCode).toBe(201)
  return made.json<{ id: string }>().id
}

interface TrustedOptions {
  days: number
  by?: ReturnType<typeof givenAuthority>
  subject?: string
}

/** An authority, whose certificate holds for 30 days. */
const givenIssuer = (name = 'Factory', subject = name): Promise<string> =>
  givenDeviceIssuer(test, client, { name, authority: givenAuthority(subject) })

/** What the doors keep of a certificate that they saw. */
async function givenSeen(deviceId: string, issuerId: string, days: number): Promise<void> {
  await client.post('/devices', { id: deviceId })
  const id = newId()
  const row = { id, deviceId, name: 'certificate', serial: id.replaceAll('-', ''), issuerId }
  await test.ctx.db
    .insertInto('deviceKeys')
    .values({
      workspaceId: client.workspaceId,
      ...row,
      keyHash: createHash('sha256').update(id).digest(),
      createdAt: test.ctx.now(),
      expiresAt: addMs(test.ctx.now(), days * DAY_MS),
    })
    .execute()
}

/** `Fired: what`, in the order in which it was told. */
async function tellings(): Promise<string[]> {
  const rows = await test.ctx.db
    .selectFrom('notifications')
    .select('notice')
    .where('workspaceId', '=', client.workspaceId)
    .where('kind', '=', 'Incident')
    .orderBy('createdAt')
    .execute()
  return rows.map(({ notice }) => {
    const { event, items } = notice as unknown as Notice
    return `${event}: ${items.map(({ label, path }) => `${label} ${path ?? ''}`).join('; ')}`
  })
}

it('tells of a trusted certificate once before its end and once at it, and leads to its page', async () => {
  const target = await givenTarget(client, ['product@acme.example'])
  await confirmByLink(test, client.workspaceId, 'product@acme.example')
  const made = await client.post('/alert-rules', {
    name: 'Certificates',
    type: 'CertificateEnding',
    evaluationFrequency: '6h',
    condition: { daysBefore: 7 },
    targets: [{ id: target.id }],
  })
  expect(made.statusCode).toBe(201)
  await givenTrusted('Release', { days: 20 })

  for (let day = 0; day < 25; day += 1) await clock.evaluateAfter(DAY_MS)

  const page = `/w/${client.workspaceId}/settings/trusted-keys`
  const [before = '', after = '', ...more] = await tellings()
  expect(before).toMatch(/^Fired: trusted certificate Release ends at [-0-9]+ [:0-9]+ UTC/)
  expect(after).toMatch(/^StillFiring: trusted certificate Release ended at [-0-9]+ [:0-9]+ UTC/)
  expect([before.endsWith(page), after.endsWith(page)]).toEqual([true, true])
  expect(more).toEqual([])
})

it('counts days that are left, and those that have passed', async () => {
  await givenTrusted('Release', { days: 10 })
  const rule = await ruleOf()
  await clock.evaluateAfter()
  const [ending] = await firingSeries(test, rule)

  await clock.evaluateAfter(12 * DAY_MS)

  const [ended] = await firingSeries(test, rule)
  expect([ending?.value, ended?.value]).toEqual([9, -3])
  expect(ending?.series).toMatch(/^trusted-key\/.*\/ending$/)
  expect(ended?.series).toMatch(/^trusted-key\/.*\/ended$/)
})

it('is over once a trusted certificate is deleted, or one of the same subject ends later', async () => {
  const authority = givenAuthority()
  const deleted = await givenTrusted('Old', { days: 5, by: authority })
  await givenTrusted('Release 2026', { days: 5, by: authority, subject: 'Release' })
  const rule = await ruleOf()
  await clock.evaluateAfter()
  expect(await labels(rule)).toHaveLength(2)

  await client.delete(`/trusted-keys/${deleted}`)
  await givenTrusted('Release 2027', { days: 90, by: authority, subject: 'Release' })
  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([])
  expect((await statuses(test, rule)).at(0)).toBe('Ok')
})

it('tells of an issuer with its devices, until another of its subject has all of them', async () => {
  const old = await givenIssuer('Factory')
  await givenSeen('d1', old, 20)
  const rule = await ruleOf({ includesDevices: false })
  await clock.evaluateAfter(3 * DAY_MS)
  const [issuer = '', ...more] = await labels(rule)
  expect(issuer).toMatch(/^issuer Factory ends at .*; it issued the certificates of 1 device$/)
  expect(more).toEqual([])

  const renewed = await givenIssuer('Factory 2027', 'Factory')
  // As if the authority had been made with a later end.
  await test.ctx.db
    .updateTable('deviceIssuers')
    .set({ notAfter: addMs(test.ctx.now(), 900 * DAY_MS) })
    .where('id', '=', renewed)
    .execute()
  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual([issuer])

  await givenSeen('d1', renewed, 400)
  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual([])
})

it('counts devices by the certificate that ends last, and tells of those that ended beside those that will', async () => {
  const issuer = await givenIssuer()
  await givenSeen('d1', issuer, 2)
  await givenSeen('d2', issuer, 12)
  await givenSeen('d3', issuer, 14)
  await givenSeen('renewed', issuer, 1)
  await givenSeen('renewed', issuer, 300)
  const rule = await ruleOf({ daysBefore: 20 })
  const ofDevices = async () =>
    (await labels(rule))
      .filter((label) => label.includes('device with') || label.includes('devices with'))
      .map((label) => label.replace(/ at .*/, ''))

  await clock.evaluateAfter()
  expect(await ofDevices()).toEqual([
    '3 devices with a certificate of Factory, of which the first ends',
  ])

  await clock.evaluateAfter(5 * DAY_MS)
  expect(await ofDevices()).toEqual([
    '1 device with a certificate of Factory, of which the last ended',
    '2 devices with a certificate of Factory, of which the first ends',
  ])

  await givenSeen('d1', issuer, 300)
  await client.delete('/devices/d2')
  await clock.evaluateAfter()
  expect(await ofDevices()).toEqual([
    '1 device with a certificate of Factory, of which the first ends',
  ])
})

it('has no data and warns where there is no certificate, and sees nothing of other workspaces', async () => {
  const own = client
  const rule = await ruleOf()
  client = await givenClient(test)
  await givenTrusted('Theirs', { days: 1 })
  await givenSeen('theirs', await givenIssuer('Their factory'), 1)
  client = own

  await clock.evaluateAfter()

  expect(await statuses(test, rule)).toEqual(['NoData'])
  expect(await labels(rule)).toEqual([])
  const warned = async () =>
    (await client.get(`/alert-rules/${rule}`)).json<{ warnings: string[] }>().warnings
  expect((await warned()).join()).toContain('never firing')
  await givenIssuer()
  expect(await warned()).toEqual([])
})
