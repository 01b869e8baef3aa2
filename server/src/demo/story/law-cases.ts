/** What Harbour Instruments reports under Article 14: product lines, one case with its whole life, and a drill. */
import { as, CAST, getKnownId, type Scene, type Story } from './story.ts'

/** Two months before the story ends, its displays still run. */
const DISPLAY_ENDS = '2026-09-15'

interface Scenes {
  on: (day: string, hour: number, play: Scene['play']) => Scene
  ago: (minutes: number, play: Scene['play']) => Scene
}

export const CASE_TITLE = 'The console of the gateway takes sessions of others'
const DRILL_TITLE = 'The modem of the gateway is taken over'

interface Created {
  id: string
}

export function reportByLaw({ on, ago }: Scenes): Scene[] {
  const told = { lineId: '', caseId: '' }
  return [
    on('2025-12-03', 10, async (story) => {
      told.lineId = await createLines(story)
    }),
    on('2026-10-05', 13, async (story) => {
      told.caseId = await createCase(story, { title: CASE_TITLE, lineId: told.lineId })
    }),
    ...STEPS.map(({ day, hour, path, body, by = 'security' }) =>
      on(day, hour, async (story) => {
        const visit = await as(story, CAST[by])
        await visit.post(`/cases/${told.caseId}/${path}`, body(readNow(story)))
      }),
    ),
    ago(5 * 60, (story) => beginDrill(story, told.lineId)),
  ]
}

/** Its clocks run on the overview. */
async function beginDrill(story: Story, lineId: string): Promise<void> {
  const id = await createCase(story, { title: DRILL_TITLE, lineId, isDrill: true })
  const ines = await as(story, CAST.security)
  const awareAt = readNow(story)
  await ines.post(`/cases/${id}/awareness`, { awareAt, reason: 'The drill begins.' })
}

const readNow = ({ stage }: Story) => stage.ctx.now().toISOString()

const CAN_BE = {
  question: 'CanBeExploited',
  answer: 'Yes',
  reason: 'Ines took over a session of her own in the lab.',
}
const WAS = {
  question: 'WasExploited',
  answer: 'Yes',
  reason: 'A customer sent the log of a gateway whose console somebody else used.',
}
const FIRST_CALL = 'The log of the customer and the lab say the same.'
const MEASURE = {
  measure: 'Mitigating',
  detail: 'The remote console can be switched off by configuration; an advisory says how.',
}
const MAIL = 'Mail to the contacts of all gateways: switch the remote console off until 4.5.0.'

const WARNING = [
  { key: 'type', text: 'Actively exploited vulnerability' },
  { key: 'title', text: CASE_TITLE },
  { key: 'summary', text: 'Somebody else can go on with a session of the remote console.' },
]
const NOTIFICATION = [
  ...WARNING,
  { key: 'generalInformation', text: 'Session ids are derived from the time of the start.' },
]
const FINAL = [
  ...NOTIFICATION,
  { key: 'measuresTaken', text: 'The console is off by default; 4.5.0 draws ids by chance.' },
]

function report(stage: string, submittedAt: string, fields: readonly { text: string }[]) {
  const reference = `SRP-2026-10${STAGES.indexOf(stage)}`
  return { stage, submittedAt, reference, fields }
}

const STAGES = ['EarlyWarning', 'Notification', 'FinalReport']

interface Step {
  day: string
  hour: number
  path: string
  body: (now: string) => object
  by?: keyof typeof CAST
}

const STEPS: readonly Step[] = [
  { day: '2026-10-05', hour: 14, path: 'answers', body: () => CAN_BE },
  { day: '2026-10-05', hour: 15, path: 'answers', body: () => WAS },
  {
    day: '2026-10-05',
    hour: 16,
    path: 'awareness',
    body: (awareAt) => ({ awareAt, reason: FIRST_CALL }),
  },
  {
    day: '2026-10-05',
    hour: 19,
    path: 'reports',
    body: (at) => report('EarlyWarning', at, WARNING),
  },
  {
    day: '2026-10-07',
    hour: 15,
    path: 'reports',
    body: (at) => report('Notification', at, NOTIFICATION),
  },
  {
    day: '2026-10-08',
    hour: 9,
    path: 'measure',
    body: (availableAt) => ({ ...MEASURE, availableAt }),
  },
  {
    day: '2026-10-08',
    hour: 11,
    path: 'users-informed',
    body: (informedAt) => ({ informedAt, text: MAIL }),
  },
  { day: '2026-10-19', hour: 10, path: 'reports', body: (at) => report('FinalReport', at, FINAL) },
  { day: '2026-10-20', hour: 9, path: 'close', body: () => ({}), by: 'owner' },
]

/** Nobody has said in which category the sensor node is. */
async function createLines(story: Story): Promise<string> {
  const ines = await as(story, CAST.security)
  const shared = {
    manufacturer: 'Harbour Instruments',
    timeZone: 'Europe/Berlin',
    coordinatorState: 'DE',
    supportEndsIn: '2031-12',
  }
  const gateway = await ines.post<Created>('/product-lines', {
    ...shared,
    name: 'Harbour Gateway',
    memberStates: ['DE', 'NL', 'SE'],
    category: 'Routers and modems intended for the connection to the internet',
    productClass: 'ImportantI',
    firstPlacedOn: '2024-03-01',
    expectedUseYears: 10,
    expectedUseReason: 'Harbours replace their gateways with the quay equipment.',
    firmwareIds: [getKnownId(story.firmwares, 'gateway')],
  })
  await ines.post('/product-lines', {
    ...shared,
    name: 'Harbour Sensor',
    memberStates: ['DE', 'NL'],
    firmwareIds: [getKnownId(story.firmwares, 'sensor-node')],
  })
  await ines.post('/product-lines', {
    ...shared,
    name: 'Harbour Display',
    memberStates: ['DE'],
    firstPlacedOn: '2019-05-01',
    supportEndsIn: story.calendar.at(DISPLAY_ENDS).toISOString().slice(0, 7),
    firmwareIds: [getKnownId(story.firmwares, 'display')],
  })
  return gateway.id
}

interface NewCase {
  title: string
  lineId: string
  isDrill?: boolean
}

async function createCase(story: Story, { lineId, ...about }: NewCase): Promise<string> {
  const ines = await as(story, CAST.security)
  const { id } = await ines.post<Created>('/cases', {
    type: 'Vulnerability',
    productLineIds: [lineId],
    ...about,
  })
  return id
}
