/** Somebody outside finds what the case is about and reports it on the public page; and Harbour tells the makers of Zephyr of its patch. */
import { as, CAST, getKnownId, type Scene, type Story } from './story.ts'
import { CASE_TITLE } from './law-cases.ts'

type On = (day: string, hour: number, play: Scene['play']) => Scene

interface Listed {
  id: string
  title: string
}

interface Line {
  id: string
  name: string
}

const LINE = 'Harbour Gateway'
const TITLE = 'I can go on with the console session of another user'
const POLICY = `Tell us what you have found, in your own words, and how we can repeat it. We answer within five working days.

Test on devices that are yours, and give us time to mend it before you publish. Then we take no legal steps, and thank you by name if you like.`
const FOUND = `Firmware 4.4.0. The id of a console session grows with the seconds since the start of the device. Whoever knows about when somebody signed in tries some hundred ids, and is in.

1. Open the remote console and note your own id.
2. Count down from it; each id that answers 200 is a session of somebody.`
const ADDED =
  'It works over the mobile network, too. I shall publish nothing before you have a fix.'

export function reportWeaknesses(on: On): Scene[] {
  const sent = { link: '' }
  return [
    on('2026-03-18', 10, reportUpstream),
    on('2026-09-21', 10, async (story) => {
      const ines = await as(story, CAST.security)
      await ines.patch('/disclosure-policy', { isPublic: true, policy: POLICY })
    }),
    on('2026-10-05', 8, async (story) => {
      const ines = await as(story, CAST.security)
      const { productLines } = await ines.get<{ productLines: Line[] }>('/product-lines')
      sent.link = await send(story, 'report', {
        'product-line': productLines.find(({ name }) => name === LINE)?.id ?? '',
        title: TITLE,
        text: FOUND,
        contact: 'aino@kvarn-labs.example',
        credit: 'Aino Kvarn',
      })
    }),
    on('2026-10-05', 12, (story) =>
      act(story, 'answers', { text: 'Thank you. We can repeat it, and work on a fix.' }),
    ),
    on('2026-10-05', 17, async (story) => {
      const ines = await as(story, CAST.security)
      const { cases } = await ines.get<{ cases: Listed[] }>('/cases')
      await act(story, 'join', { caseId: findByTitle(cases, CASE_TITLE) })
    }),
    on('2026-10-06', 20, async (story) => {
      await send(story, sent.link, { text: ADDED })
    }),
    on('2026-10-08', 12, (story) =>
      act(story, 'answers', {
        text: 'The console is off by default since today, and the advisory names you. 4.5.0 will mend it.',
      }),
    ),
  ]
}

function findByTitle(list: readonly Listed[], wanted: string): string {
  const found = list.find(({ title }) => title === wanted)
  if (!found) throw new Error(`Nothing is called ${wanted} yet.`)
  return found.id
}

/** Ines answers, and decides, about the report. */
async function act(story: Story, name: string, body: object): Promise<void> {
  const ines = await as(story, CAST.security)
  const { reports } = await ines.get<{ reports: Listed[] }>('/disclosure-reports')
  await ines.post(`/disclosure-reports/${findByTitle(reports, TITLE)}/${name}`, body)
}

/** Sends a form of the public page as a browser does. @returns where it leads. */
async function send(story: Story, page: string, fields: Record<string, string>): Promise<string> {
  const response = await story.stage.app.inject({
    method: 'POST',
    url: `/public/${story.workspaceId}/${page}`,
    remoteAddress: '203.0.113.77',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
  const { location } = response.headers
  if (response.statusCode !== 303 || location === undefined)
    throw new Error(`form of ${page}: ${response.statusCode} ${response.body}`)
  return location
}

/** The bug is the maintainers', the backport is Harbour's: 13(6) wants both told. */
async function reportUpstream(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  const version = getKnownId(story.versions, 'sensor-node@1.9.0')
  const filter = { cveIds: ['CVE-2026-1678'], activeOnly: false }
  const list = `/firmware-versions/${version}/vulnerability-findings/list`
  const { findings } = await jonas.post<{ findings: { id: string }[] }>(list, { filter })
  const [finding] = findings
  if (!finding) throw new Error('Nobody has CVE-2026-1678 when the story reports it upstream.')
  await jonas.post(`/vulnerability-findings/${finding.id}/upstream-reports`, {
    reportedAt: story.stage.ctx.now().toISOString(),
    recipient: 'vulnerabilities@zephyr.example',
    text: 'The check of the DNS tailroom is missing on the 4.3 branch, too. We ship your patch there since today.',
    fix: 'patches/0007-dns-tailroom.patch: your fix, backported to Zephyr 4.3.0.',
  })
}
