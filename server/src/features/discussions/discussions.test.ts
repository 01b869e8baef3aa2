/** Who looks after vulnerabilities and what colleagues say about them, through the API and a mail server. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Browser, givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { partOf, type SmtpTestServer, startSmtpServer } from '../../../test/smtp-server.ts'
import { readConfig } from '../../config/config.ts'

let test: TestApp
let smtp: SmtpTestServer

beforeAll(async () => {
  smtp = await startSmtpServer()
  const { mail } = readConfig({ PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` })
  test = await startTestApp({ mail })
  await test.startWorker()
})

interface Row {
  cveId: string
  assignee: { subjectId: string; email: string } | null
  commentCount: number
}

interface Team {
  client: Client
  url: string
  firmwareVersionId: string
  cveIds: string[]
  cveId: string
  ann: { id: string; email: string; browser: Browser }
  ben: { id: string; email: string; browser: Browser }
}

async function givenTeam(): Promise<Team> {
  const client = await givenClient(test)
  const { product, cpes, cveIds } = await givenProduct(test.ctx, ['Critical', 'High', 'Low'])
  const component = { packageName: product, version: '1.0', cpes }
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [component])
  const [ann, ben] = [
    await givenMember(test, client.workspaceId, 'Engineer'),
    await givenMember(test, client.workspaceId, 'Engineer'),
  ]
  const url = `/workspaces/${client.workspaceId}`
  return { client, url, firmwareVersionId, cveIds, cveId: cveIds[0] ?? '', ann, ben }
}

const assign = ({ client }: Team, cveId: string, subjectId: string | null) =>
  client.put(`/vulnerabilities/${cveId}/assignee`, { subjectId })

const LISTS = ['/vulnerabilities/list', '/vulnerability-findings/list', 'version'] as const

/** The rows of each list with the filter. */
async function listRows({ client, firmwareVersionId }: Team, filter: object): Promise<Row[][]> {
  const lists = []
  for (const list of LISTS) {
    const path =
      list === 'version'
        ? `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
        : list
    const response = await client.post(path, { filter })
    expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
      200,
      '',
    ])
    const body = response.json<{ findings?: Row[]; vulnerabilities?: Row[] }>()
    lists.push(body.findings ?? body.vulnerabilities ?? [])
  }
  return lists
}

const idsOf = (lists: Row[][]) => lists.map((rows) => rows.map(({ cveId }) => cveId).toSorted())
const inEach = (cveIds: readonly string[]) => LISTS.map(() => cveIds.toSorted())

describe('the assignee', () => {
  it('is shown in every list, which can be filtered by it', async () => {
    const team = await givenTeam()
    const { ann, ben, cveIds } = team
    const [first = '', second = '', third = ''] = cveIds
    await assign(team, first, ann.id)
    await assign(team, second, ben.id)

    const all = await listRows(team, {})
    const shown = all.map((rows) => rows.find(({ cveId }) => cveId === first)?.assignee)
    expect(shown.map((assignee) => assignee?.email)).toEqual(LISTS.map(() => ann.email))
    const mine = await listRows(team, { assigneeIds: [ann.id] })
    expect(idsOf(mine)).toEqual(inEach([first]))
    const both = await listRows(team, { assigneeIds: [ann.id, ben.id] })
    expect(idsOf(both)).toEqual(inEach([first, second]))
    expect(idsOf(await listRows(team, { assigned: false }))).toEqual(inEach([third]))
    expect(idsOf(await listRows(team, { assigned: true }))).toEqual(inEach([first, second]))
    const csv = await team.client.get(
      `/firmware-versions/${team.firmwareVersionId}/vulnerability-findings/export?format=csv`,
    )
    expect(csv.body).toContain(ann.email)
  })

  it('counts what is mine, for people alone', async () => {
    const team = await givenTeam()
    const { client, url, ann, ben } = team
    for (const cveId of team.cveIds.slice(0, 2)) await assign(team, cveId, ann.id)

    const ask = (browser: Browser) =>
      browser.post(`${url}/vulnerability-findings/counts`, { chips: ['mine'] })
    expect((await ask(ann.browser)).json()).toMatchObject({
      mine: { totalCount: 2, filter: { owners: [ann.id] } },
    })
    expect((await ask(ben.browser)).json()).toMatchObject({ mine: { totalCount: 0 } })
    const ofKey = await client.post('/vulnerability-findings/counts', { chips: ['mine'] })
    expect(ofKey.json()).toMatchObject({ mine: null })
  })

  it('is a member of the workspace, and nobody once they left', async () => {
    const team = await givenTeam()
    const { client, cveId, ann } = team
    const other = await givenTeam()

    expect((await assign(team, cveId, other.ann.id)).statusCode).toBe(404)
    expect((await assign(team, 'CVE-1999-99999', ann.id)).statusCode).toBe(404)
    expect((await assign(team, cveId, ann.id)).json()).toMatchObject({
      assignee: { subjectId: ann.id },
      assignedByEmail: expect.any(String) as string,
    })
    const elsewhere = await other.client.get(`/vulnerabilities/${cveId}/assignee`)
    expect(elsewhere.json()).toMatchObject({ assignee: null })
    await client.delete(`/members/${ann.id}`)

    const read = await client.get(`/vulnerabilities/${cveId}/assignee`)
    expect(read.json()).toMatchObject({ assignee: null, assignedAt: null })
    const log = await client.get('/audit-log?action=vulnerability.assign')
    expect(log.json()).toMatchObject({
      entries: [{ before: { assignee: null }, after: { assignee: ann.email } }],
    })
  })

  it('stays when the vulnerability is known by another id', async () => {
    const team = await givenTeam()
    const [former = '', later = ''] = team.cveIds
    await assign(team, former, team.ann.id)
    await team.client.post(`/vulnerabilities/${former}/comments`, { text: 'seen' })
    await sql`insert into vulnerability_aliases (alias, vulnerability_id) values (${former}, ${later})`.execute(
      test.ctx.db,
    )

    const lists = await listRows(team, { assigneeIds: [team.ann.id], cveIds: [later] })
    expect(idsOf(lists)).toEqual(inEach([later]))
    expect(lists.flat().map(({ commentCount }) => commentCount)).toEqual([1, 1, 1])
    await assign(team, later, null)
    expect(idsOf(await listRows(team, { assigned: true }))).toEqual(inEach([]))
  })
})

describe('many at once', () => {
  const bulk = ({ client }: Team, command: object) =>
    client.post('/vulnerabilities/bulk-assign', command)

  it('are given by ids or a filter, and back to whoever had them but for what moved on', async () => {
    const team = await givenTeam()
    const { ann, ben, cveIds } = team
    const [first = '', second = '', third = ''] = cveIds
    await assign(team, first, ben.id)

    const preview = await bulk(team, {
      filter: { severities: ['Critical', 'High'] },
      subjectId: ann.id,
      dryRun: true,
    })
    expect(preview.json()).toMatchObject({ matched: 2, changed: 2 })
    expect(idsOf(await listRows(team, { assigned: true }))).toEqual(inEach([first]))
    const given = await bulk(team, { cveIds, subjectId: ann.id })
    const { replaced } = given.json<{
      replaced: { assignee: Row['assignee']; cveIds: string[] }[]
    }>()
    expect(given.json()).toMatchObject({ matched: 3, changed: 3 })
    await assign(team, second, ben.id)
    for (const { assignee, cveIds: had } of replaced)
      await bulk(team, {
        cveIds: had,
        subjectId: assignee?.subjectId ?? null,
        onlySubjectId: ann.id,
      })

    expect(idsOf(await listRows(team, { assigneeIds: [ben.id] }))).toEqual(inEach([first, second]))
    expect(idsOf(await listRows(team, { assigned: false }))).toEqual(inEach([third]))
  })

  it('are refused as a whole where one is unknown, none is meant, or all', async () => {
    const team = await givenTeam()
    const { cveId, ann } = team

    const unknown = await bulk(team, { cveIds: [cveId, 'CVE-1999-99999'], subjectId: ann.id })
    expect(unknown.json()).toMatchObject({ status: 400, errors: [{ pointer: '/cveIds/1' }] })
    for (const command of [{}, { filter: {} }, { cveIds: [cveId], filter: { assigned: true } }])
      expect((await bulk(team, { ...command, subjectId: ann.id })).statusCode).toBe(400)
    expect(idsOf(await listRows(team, { assigned: true }))).toEqual(inEach([]))
  })
})

interface Comment {
  id: string
  text: string
  authorEmail: string
  authorName: string | null
  isYours: boolean
  mentions: { email: string }[]
}

describe('comments', () => {
  const write = ({ url, cveId }: Team, browser: Browser, text: string) =>
    browser.post(`${url}/vulnerabilities/${cveId}/comments`, { text })
  const list = async ({ url, cveId }: Team, browser: Browser, more = '') =>
    (await browser.get(`${url}/vulnerabilities/${cveId}/comments${more}`)).json<{
      comments: Comment[]
      nextCursor?: string
    }>()

  it('are listed page by page, newest first, with the names of members', async () => {
    const team = await givenTeam()
    const { ann, ben, client, cveId } = team
    await write(team, ann.browser, `@${ben.email} is this built in?`)
    await write(team, ben.browser, 'No.')
    await client.post(`/vulnerabilities/${cveId}/comments`, { text: 'checked by CI' })

    const first = await list(team, ann.browser, '?limit=2')
    const second = await list(team, ann.browser, `?limit=2&cursor=${first.nextCursor ?? ''}`)
    expect([...first.comments, ...second.comments]).toMatchObject([
      { text: 'checked by CI', authorName: null, isYours: false },
      { text: 'No.', authorEmail: ben.email, isYours: false, mentions: [] },
      { authorName: expect.any(String) as string, isYours: true, mentions: [{ email: ben.email }] },
    ])
    expect((await client.get('/vulnerability-comments')).json()).toMatchObject({
      comments: [{ cveId }, { cveId }, { cveId }],
    })
    const [row] = (await listRows(team, { cveIds: [cveId] })).flat()
    expect(row?.commentCount).toBe(3)
  })

  it('are changed by their author, and deleted by the author or an admin', async () => {
    const team = await givenTeam()
    const { url, ann, ben, client } = team
    const owner = await givenMember(test, client.workspaceId)
    const { id } = (await write(team, ann.browser, 'wrong')).json<Comment>()
    const path = `${url}/vulnerability-comments/${id}`

    expect((await ben.browser.put(path, { text: 'x' })).json()).toMatchObject({
      status: 403,
      type: '/problems/not-your-comment',
    })
    expect((await ben.browser.delete(path)).statusCode).toBe(403)
    expect((await client.delete(`/vulnerability-comments/${id}`)).statusCode).toBe(403)
    expect((await ann.browser.put(path, { text: ' right ' })).json()).toMatchObject({
      text: 'right',
      editedAt: expect.any(String) as string,
    })
    expect((await owner.browser.delete(path)).statusCode).toBe(204)
    expect((await list(team, ann.browser)).comments).toEqual([])
    const log = await client.get('/audit-log?resourceType=comment')
    expect(log.json()).toMatchObject({
      entries: [
        { action: 'comment.delete', before: { text: 'right' } },
        { action: 'comment.update', before: { text: 'wrong' }, after: { text: 'right' } },
        { action: 'comment.create', after: { text: 'wrong' } },
      ],
    })
  })

  it('are not seen, changed or written by another workspace or a viewer', async () => {
    const team = await givenTeam()
    const other = await givenTeam()
    const viewer = await givenMember(test, team.client.workspaceId, 'Viewer')
    const { id } = (await write(team, team.ann.browser, 'between us')).json<Comment>()

    const foreign = `${other.url}/vulnerability-comments/${id}`
    expect((await other.ann.browser.put(foreign, { text: 'x' })).statusCode).toBe(404)
    expect((await other.ann.browser.delete(foreign)).statusCode).toBe(404)
    const theirs = await other.client.get(`/vulnerabilities/${team.cveId}/comments`)
    expect(theirs.json()).toMatchObject({ comments: [] })
    expect((await write(team, viewer.browser, 'x')).statusCode).toBe(403)
    expect((await list(team, viewer.browser)).comments).toHaveLength(1)
  })

  it.each([{ text: '' }, { text: ' \n ' }, { text: 'x'.repeat(10_001) }, {}])(
    'refuse %j',
    async (command) => {
      const { client, cveId } = await givenTeam()

      const response = await client.post(`/vulnerabilities/${cveId}/comments`, command)
      expect(response.statusCode).toBe(400)
    },
  )
})

describe('mails', () => {
  /** As if a minute had passed. */
  const passMinute = () =>
    sql`update pgboss.job set start_after = now() where name in ('mention-mail', 'assignment-mail')`.execute(
      test.ctx.db,
    )
  const inbox = (email: string) => smtp.mails.filter(({ to }) => to.includes(email))

  it('tell whoever is named or gets something from a colleague, once', async () => {
    const team = await givenTeam()
    const { url, ann, ben, cveId, cveIds } = team
    const text = `@${ben.email} @${ann.email} @nobody@example.com look`
    const written = await ann.browser.post(`${url}/vulnerabilities/${cveId}/comments`, { text })
    const { id } = written.json<Comment>()
    await ann.browser.put(`${url}/vulnerability-comments/${id}`, { text: `${text} again` })
    const command = { cveIds, subjectId: ben.id }
    await ann.browser.post(`${url}/vulnerabilities/bulk-assign`, command)
    await ann.browser.put(`${url}/vulnerabilities/${cveId}/assignee`, { subjectId: ann.id })
    await passMinute()

    await expect.poll(() => inbox(ben.email)).toHaveLength(2)
    const [mention, assignment] = inbox(ben.email).toSorted((a, b) =>
      (b.headers['subject'] ?? '') < (a.headers['subject'] ?? '') ? -1 : 1,
    )
    expect(mention?.headers['subject']).toContain('mentions you')
    const said = mention ? partOf(mention, 'text/plain') : ''
    expect(said).toContain('look again')
    expect(said).toContain(`/w/${team.client.workspaceId}/vulnerabilities/${cveId}`)
    // What went on to somebody else meanwhile is not told.
    expect(assignment?.headers['subject']).toContain('2 vulnerabilities')
    expect(inbox(ann.email)).toEqual([])
    expect(inbox('nobody@example.com')).toEqual([])
  })

  it('tell nothing of what was taken back', async () => {
    const team = await givenTeam()
    const { url, ann, ben, cveId } = team
    const text = `@${ben.email} look`
    const written = await ann.browser.post(`${url}/vulnerabilities/${cveId}/comments`, { text })
    await ann.browser.put(`${url}/vulnerabilities/${cveId}/assignee`, { subjectId: ben.id })
    await ann.browser.delete(`${url}/vulnerability-comments/${written.json<Comment>().id}`)
    await ann.browser.put(`${url}/vulnerabilities/${cveId}/assignee`, { subjectId: null })
    // Of the same queues, and later.
    const later = { text: `@${ann.email} look` }
    await ben.browser.post(`${url}/vulnerabilities/${cveId}/comments`, later)
    await ben.browser.put(`${url}/vulnerabilities/${cveId}/assignee`, { subjectId: ann.id })
    await passMinute()

    await expect.poll(() => inbox(ann.email)).toHaveLength(2)
    expect(inbox(ben.email)).toEqual([])
  })
})
