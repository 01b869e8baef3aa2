/** Makes the fixture of a release: fills it through its doors, backs it up, and records its answers. */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fireAlerts, makeAlerts } from './alerts.ts'
import { type Caller, keyCaller, made, signIn, visitor } from './caller.ts'
import { withoutVolatile } from './comparison.ts'
import { type Access, type Fixture, writeFixture } from './fixture.ts'
import { deviceCaller, makeFleet, reportTelemetry, session, sync } from './fleet.ts'
import { type Installation, startInstallation, until } from './installation.ts'
import { askAsOwner, changeSettings, makePeople, OWNER } from './people.ts'
import {
  type Asker,
  askAll,
  type AnsweredQuestion,
  ASKERS,
  listQuestions,
  type Question,
  type QuestionContext,
} from './questions.ts'
import {
  decide,
  importFirstNews,
  listSourceFiles,
  makeFirmware,
  makeOtherFirmware,
  uploadLast,
} from './software.ts'

export interface MakeFixture {
  name: string
  onProgress: (text: string) => void
}

/** Answers the folder of the fixture. */
export async function makeFixture({ name, onProgress }: MakeFixture) {
  const installation = await startInstallation()
  try {
    const { told, ...access } = await fill(installation, onProgress)
    onProgress('letting hours end')
    await endHours(installation)
    await installation.examine()
    onProgress('backing up')
    const questions = await leave(installation, keyCallerOf(installation, access.first), told)
    const backup = join(installation.folder, 'backup.tar')
    await installation.admin('backup', backup)
    onProgress(`recording ${questions.length} answers twice, minutes apart`)
    const recorded = await record(installation, questions, access)
    return writeFixture({ name, ...recorded, ...access }, backup)
  } finally {
    await installation.end()
  }
}

type Accesses = Pick<Fixture, 'first' | 'second' | 'owner'>

async function fill(
  installation: Installation,
  onProgress: (text: string) => void,
): Promise<Accesses & { told: QuestionContext }> {
  const first = await makeWorkspace(installation, 'Lighthouses', OWNER.email)
  const second = await makeWorkspace(installation, 'Buoys', 'bo@buoys.example')
  await installation.start()
  const caller = keyCaller(installation.url, first)
  const other = keyCaller(installation.url, second)
  await changeSettings(caller)
  await importFirstNews(installation)
  onProgress('making firmware and devices')
  const software = await makeFirmware(caller)
  const otherVersionId = await makeOtherFirmware(other)
  const fleet = await makeFleet(installation, caller, software)
  const otherKey = await reportFromOther(installation, other)
  await reportTelemetry(caller, fleet.deviceKey)
  const alerts = await makeAlerts(installation, caller, fleet)
  onProgress('inviting and deciding')
  const owner = await makePeople(installation, caller, first.setupUrl)
  await askAsOwner(owner)
  await decide(installation, caller, software)
  await listSourceFiles(caller, software)
  onProgress('waiting for alerts, some minutes')
  await fireAlerts(caller, { fleet, alerts })
  const told = { software, otherVersionId, fleet, alerts }
  const accessOf = (
    { workspaceId, key: apiKey }: Workspace,
    deviceKey: string,
    firmwareVersionId: string,
  ): Access => ({ workspaceId, apiKey, deviceKey, firmwareVersionId })
  return {
    first: accessOf(first, fleet.deviceKey, software.versions[2]),
    second: accessOf(second, otherKey, otherVersionId),
    owner: OWNER,
    told,
  }
}

const keyCallerOf = ({ url }: Installation, { workspaceId, apiKey: key }: Access) =>
  keyCaller(url, { workspaceId, key })

/** Nothing changes any more but by the last upload, whose job is still to be done. */
async function leave(
  installation: Installation,
  caller: Caller,
  told: QuestionContext,
): Promise<Question[]> {
  await installation.startApi()
  await uploadLast(caller, told.software)
  const questions = await listQuestions(caller, told)
  await installation.stop()
  return questions
}

interface Workspace {
  workspaceId: string
  key: string
  setupUrl: string
}

async function makeWorkspace(
  { admin }: Installation,
  name: string,
  owner: string,
): Promise<Workspace> {
  const answer = await admin('bootstrap', '--workspace', name, '--owner', owner, '--keeps-sources')
  const { workspaceId = '', apiKey: key = '', setupUrl = '' } = answer
  await admin('workspace', 'limits', workspaceId, '--devices', '100')
  return { workspaceId, key, setupUrl }
}

/** The other workspace has a device with the id of one of the first. */
async function reportFromOther({ admin }: Installation, other: Caller): Promise<string> {
  const { workspaceId } = other
  const { deviceKey = '' } = await admin('device-key', 'create', '--workspace', workspaceId)
  await made(other, '{ws}/devices', { id: 'lamp-1', tags: ['buoy'] })
  const device = deviceCaller(other, deviceKey)
  await sync(device, 'lamp-1', session('boot-1', '1.0.0'))
  await sync(device, 'lamp-1', { metrics: [{ name: 'temperature', value: -4 }] })
  return deviceKey
}

/** The work that comes once an hour is done at a start. Instants are moved instead of waited for. */
async function endHours({ sql, start, stop }: Installation): Promise<void> {
  await stop()
  await sql('update device_log_unread_hours set ready_at = now()')
  await start()
  await until('hours of metrics', async () => hasRows(sql, 'metric_packed_hours'))
  await until('daily counters', async () => hasRows(sql, 'firmware_version_daily_counters'))
  await until('hours of logs', async () => {
    const unread = await sql('select from device_log_unread_hours where ready_at <= now()')
    return unread.length === 0
  })
  await stop()
}

const hasRows = async (sql: Installation['sql'], table: string) =>
  (await sql(`select from ${table} limit 1`)).length > 0

/** Some answers are remembered, and the last use of a key is written, for a minute. */
const BETWEEN_MS = 65_000

/** Nothing changes meanwhile, as no worker runs. What the second answer has otherwise depends on the moment. */
async function record(
  installation: Installation,
  questions: readonly Question[],
  { first, second, owner }: Accesses,
): Promise<{ recordedAt: string; answers: AnsweredQuestion[] }> {
  const { startApi, stop, url } = installation
  await startApi()
  const callers = new Map<Asker, Caller>([
    ['first', keyCallerOf(installation, first)],
    ['second', keyCallerOf(installation, second)],
  ])
  const recordedAt = new Date().toISOString()
  const answers: AnsweredQuestion[] = []
  for (const asker of ASKERS) {
    // Signing in is told by the audit log, so that it comes after the questions about that.
    if (asker === 'owner')
      callers.set('owner', await signIn(visitor(url, first.workspaceId), owner))
    const caller = callers.get(asker)
    const asked = questions.filter(({ as }) => as === asker)
    if (caller && asked.length > 0) answers.push(...(await askTwice(caller, asked)))
  }
  await stop()
  return { recordedAt, answers }
}

async function askTwice(
  caller: Caller,
  questions: readonly Question[],
): Promise<AnsweredQuestion[]> {
  const before = await askAll(caller, questions)
  await delay(BETWEEN_MS)
  const after = await askAll(caller, questions)
  return before.map(({ answer, ...recorded }, index) => ({
    ...recorded,
    answer: withoutVolatile(answer, after[index]?.answer),
  }))
}
