/** The mail to a member who is given an incident, through the API and a mail server. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenClock,
  givenRule,
  report,
  type ShownRule,
} from '../../../../test/given-alert-rules.ts'
import { givenFleetDevices } from '../../../../test/given-fleet.ts'
import { givenMember } from '../../../../test/given-people.ts'
import { givenClient } from '../../../../test/given.ts'
import { partOf, type SmtpTestServer, startSmtpServer } from '../../../../test/smtp-server.ts'
import { readConfig } from '../../../config/config.ts'

let test: TestApp
let smtp: SmtpTestServer

beforeAll(async () => {
  smtp = await startSmtpServer()
  const { mail } = readConfig({ PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` })
  test = await startTestApp({ mail })
})

it('tells whoever looks after it a minute later, and nobody who gave it to themselves or on', async () => {
  const clock = givenClock(test)
  const client = await givenClient(test)
  await givenFleetDevices(test.ctx, client.workspaceId, ['a'])
  const { id } = await givenRule(client)
  await report(test, client.workspaceId, { values: { a: 90 } })
  await clock.tick()
  const { incidentId } = (await client.get(`/alert-rules/${id}`)).json<ShownRule>()
  const [ann, ben, eve] = [
    await givenMember(test, client.workspaceId, 'Engineer'),
    await givenMember(test, client.workspaceId, 'Viewer'),
    await givenMember(test, client.workspaceId, 'Engineer'),
  ]
  const path = `/workspaces/${client.workspaceId}/alert-incidents/${incidentId}/assignee`
  const statuses = []
  for (const subjectId of [ann.id, eve.id, null, ben.id])
    statuses.push((await ann.browser.put(path, { subjectId })).statusCode)
  await test.startWorker()

  await sql`update pgboss.job set start_after = now() where name = 'incident-assignment-mail'`.execute(
    test.ctx.db,
  )

  await expect.poll(() => smtp.mails).toHaveLength(1)
  const [mail] = smtp.mails
  const text = mail ? partOf(mail, 'text/plain') : ''
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(mail?.to).toEqual([ben.email])
  expect(text).toContain('asks you to look after the incident of the rule "CPU temperature".')
  expect(text).toContain('It is firing.')
  expect(text).toContain(`/w/${client.workspaceId}/alerts/incidents/${incidentId}`)
  // Those to Ann and Eve are done, and sent nothing.
  const listLeft = async () => {
    const left = await sql`select state from pgboss.job
      where name = 'incident-assignment-mail' and state <> 'completed'`.execute(test.ctx.db)
    return left.rows
  }
  await expect.poll(listLeft).toEqual([])
  expect(smtp.mails).toHaveLength(1)
})
