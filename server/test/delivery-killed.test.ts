/**
 * Mails and calls of webhooks while service, worker and PostgreSQL are killed around them, and a node stands still for a minute:
 * `npm run drill -- --delivery` (docs/design/survival.md). It takes minutes, so the checks leave it out.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { confirmAsOperator } from '../src/features/notification-targets/index.ts'
import { createNotifications } from '../src/features/notifications/index.ts'
import { newId } from '../src/platform/ids.ts'
import { drawChance } from '../src/simulator/chance.ts'
import { makeFault } from './drill/faults.ts'
import { givenKeys, type Installation, startInstallation, TESTER } from './drill/installation.ts'
import { call } from './drill/load.ts'
import { tell, until } from './drill/progress.ts'
import { type Receivers, startReceivers } from './drill/receivers.ts'
import { judgeRepetitions, type Kill, type Outage } from './drill/repetitions.ts'
import { noticeOf } from './given-deliveries.ts'

const SEED = process.env['DRILL_SEED'] ?? '1'
const COUNT = Number(process.env['DRILL_FAULTS'] ?? 4)
const MOST_MINUTES = Number(process.env['DRILL_MINUTES'] ?? Infinity)

const WORKSPACES = 6
const RECIPIENTS = 12
const EVENTS_EVERY_MS = 3_000
/** Of so many faults, one is a node that stands still. */
const HANGS_EVERY = 50
const HANG_MS = 60_000
/** While a node stands still the database ends, too, late enough that others outlast it. */
const HANG_BEFORE_LOSS_MS = 40_000
const LOOK_MS = 200

interface Recipients {
  workspaceId: string
  targetIds: string[]
  webhookIds: string[]
}

interface Drill {
  installation: Installation
  receivers: Receivers
  kills: Kill[]
  outages: Outage[]
}

async function givenRecipients(
  installation: Installation,
  receivers: Receivers,
): Promise<Recipients> {
  const keys = await givenKeys(installation)
  const { workspaceId } = keys
  const of = { installation, keys }
  const made = async (path: string, body: object) => {
    const answer = await call<{ id: string }>(of, 'POST', path, body)
    if (answer?.status !== 201) throw new Error(`not made: ${JSON.stringify(answer)}`)
    return answer.body.id
  }
  const recipients: Recipients = { workspaceId, targetIds: [], webhookIds: [] }
  const addresses: string[] = []
  for (let number = 0; number < RECIPIENTS; number += 1) {
    const address = `reader-${number}@${workspaceId}.example.com`
    addresses.push(address)
    const target = { name: address, type: 'Email', state: 'Enabled', emailAddresses: [address] }
    recipients.targetIds.push(await made('/notification-targets', target))
    const url = `http://127.0.0.1:${receivers.webhookPort}/${number}`
    recipients.webhookIds.push(await made('/webhooks', { name: `Chat ${number}`, url }))
  }
  await installation.beside(async (ctx) => {
    for (const emailAddress of addresses)
      await confirmAsOperator(ctx, { workspaceId, emailAddress, actor: TESTER })
  })
  return recipients
}

/** An event for one address and one webhook of each workspace. Where the database is away, there is none. */
async function notifyAgain(
  { installation }: Drill,
  all: readonly Recipients[],
  stopping: AbortSignal,
): Promise<void> {
  for (let turn = 0; !stopping.aborted; turn += 1)
    await installation
      .beside(async (ctx) => {
        for (let round = 0; round < 20 && !stopping.aborted; round += 1) {
          for (const [index, { workspaceId, targetIds, webhookIds }] of all.entries()) {
            const chance = drawChance(SEED, 'recipient', turn, round, index)
            const place = Math.floor(RECIPIENTS * chance)
            const incidentId = newId()
            const recipients = {
              notificationTargetIds: targetIds.slice(place, place + 1),
              webhookIds: webhookIds.slice(place, place + 1),
            }
            const event = {
              recipients,
              incidentId,
              eventKey: `${incidentId}:fired`,
              notice: noticeOf(),
            }
            await ctx.db
              .transaction()
              .execute((tx) => createNotifications(ctx, tx, { workspaceId, events: [event] }))
          }
          await delay(EVENTS_EVERY_MS)
        }
      })
      .catch(() => delay(500))
}

const KINDS = ['sender', 'sender', 'sender', 'postgres', 'backend', 'service', 'worker'] as const
type Kind = (typeof KINDS)[number]
const AFTER_MS = [0, 0, 2, 5, 10, 30, 100, 300]

/** Kills somebody at, or a moment after, the arrival or the answer of a message. */
async function killAround(drill: Drill, index: number): Promise<string> {
  const pick = <Item>(items: readonly Item[], what: string) =>
    items[Math.floor(items.length * drawChance(SEED, what, index))]
  const kind = pick(KINDS, 'kind') ?? 'sender'
  const moment = pick(['arrival', 'answer'] as const, 'moment') ?? 'arrival'
  const arrival = await drill.receivers.next(moment, 20_000)
  await delay(pick(AFTER_MS, 'after') ?? 0)
  await kill(drill, kind, arrival?.pid)
  return `${kind} at ${arrival ? moment : 'no message'}`
}

async function kill(drill: Drill, kind: Kind, sender: number | undefined): Promise<void> {
  const { installation, kills } = drill
  const { service, worker } = installation
  if (kind === 'postgres' || kind === 'backend') {
    await makeFault(kind, installation, 0)
    return
  }
  const isService = kind === 'service' || (kind === 'sender' && sender === service.child.pid)
  const { pid = 0 } = isService ? service.child : worker.child
  kills.push({ pid, at: Date.now() })
  await (isService ? installation.killService() : installation.killWorker())
}

/** Asks the database again and again, on a connection of its own each time: its recovery begins later than it was killed. */
async function watchDatabase(
  { installation, outages }: Drill,
  stopping: AbortSignal,
): Promise<void> {
  let answeredAt = Date.now()
  while (!stopping.aborted) {
    const askedAt = Date.now()
    if (await installation.execute('select 1')) {
      if (askedAt - answeredAt > LOOK_MS * 2) outages.push({ from: answeredAt, to: Date.now() })
      answeredAt = Date.now()
    }
    await delay(LOOK_MS)
  }
}

/** The node that sent the next message stands still before it has the answer. */
async function hang(drill: Drill, number: number): Promise<string> {
  const arrival = await drill.receivers.next('arrival', 20_000)
  if (arrival?.pid === undefined) return 'hang: no message'
  process.kill(arrival.pid, 'SIGSTOP')
  const losesDatabase = number % 2 === 1
  await delay(HANG_BEFORE_LOSS_MS)
  if (losesDatabase) await makeFault('postgres', drill.installation, 0)
  await delay(HANG_MS - HANG_BEFORE_LOSS_MS)
  process.kill(arrival.pid, 'SIGCONT')
  return `hang of the ${arrival.pid === drill.installation.service.child.pid ? 'service' : 'worker'}, database ${losesDatabase ? 'lost' : 'there'}`
}

async function hurt(drill: Drill): Promise<void> {
  const done = new Map<string, number>()
  const endsAt = performance.now() + MOST_MINUTES * 60_000
  let hangs = 0
  for (let index = 0; index < COUNT && performance.now() < endsAt; index += 1) {
    await delay(500 + 1_500 * drawChance(SEED, 'pause', index))
    const isHang = index % HANGS_EVERY === HANGS_EVERY - 1
    const outcome = isHang ? await hang(drill, (hangs += 1)) : await killAround(drill, index)
    done.set(outcome, (done.get(outcome) ?? 0) + 1)
    tell(`${index + 1} of ${COUNT}: ${outcome}`)
  }
  for (const outcome of [...done.keys()].toSorted()) tell(`${done.get(outcome)} × ${outcome}`)
}

interface SentMessage {
  messageId: string
  state: string
  kind: string
  answers: number
}

/** By message: a call has the id of its notification, and a mail may hold several. */
const listMessages = ({ beside }: Installation) =>
  beside(({ db }) =>
    db
      .selectFrom('notifications as one')
      .select((eb) => [
        eb.fn.coalesce('one.messageId', 'one.id').as('messageId'),
        'one.id',
        'one.webhookId',
        'one.state',
        'one.kind',
        eb
          .selectFrom('deliveryAttempts as attempt')
          .whereRef('attempt.workspaceId', '=', 'one.workspaceId')
          .whereRef('attempt.messageId', '=', 'one.messageId')
          .where('attempt.outcome', '=', 'Delivered')
          .select(eb.fn.countAll<number>().as('count'))
          .as('answers'),
      ])
      .execute(),
  ).then((rows) =>
    rows.map(({ id, webhookId, messageId, state, kind, answers }): SentMessage => ({
      messageId: webhookId === null ? (messageId ?? id) : id,
      state,
      kind,
      answers: Number(answers),
    })),
  )

it.runIf(process.env['DRILL_DELIVERY'] !== undefined)(
  `delivers each message once during ${COUNT} kills (seed ${SEED})`,
  { timeout: 900_000 + COUNT * 60_000 },
  async () => {
    let installation: Installation | undefined
    const receivers = await startReceivers(SEED, () => [
      installation?.service.child.pid,
      installation?.worker.child.pid,
    ])
    installation = await startInstallation(undefined, () => undefined, {
      PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${receivers.smtpPort}`,
      PLIMSOLL_FEEDS: 'off',
    })
    const drill: Drill = { installation, receivers, kills: [], outages: [] }
    const all: Recipients[] = []
    while (all.length < WORKSPACES) all.push(await givenRecipients(installation, receivers))
    const stopping = new AbortController()
    const load = notifyAgain(drill, all, stopping.signal)
    const watch = watchDatabase(drill, stopping.signal)
    await hurt(drill)
    stopping.abort()
    await Promise.all([load, watch])
    let messages: SentMessage[] = []
    await until('messages', async () => {
      messages = await listMessages(drill.installation)
      const pending = messages.filter(({ state }) => state === 'Pending').length
      return pending === 0 ? undefined : `${pending} of ${messages.length} wait`
    })
    const { arrivals } = receivers
    const judged = judgeRepetitions(arrivals, drill)
    const arrived = new Set(arrivals.map(({ messageId }) => messageId))
    tell(
      `${drill.kills.length} processes killed, ${messages.length} notifications in ${new Set(messages.map(({ messageId }) => messageId)).size} messages, ${arrivals.length} arrivals of ${arrived.size} messages; ${judged.unavoidable.length} unavoidable and ${judged.avoidable.length} avoidable repetitions`,
    )
    const avoidable = await describeAll(judged.avoidable, drill)
    await installation.end()
    receivers.close()

    expect(messages.filter(({ state }) => state !== 'Delivered')).toEqual([])
    expect(messages.filter(({ messageId }) => !arrived.has(messageId))).toEqual([])
    expect(messages.filter(({ answers }) => answers !== 1)).toEqual([])
    expect(avoidable).toEqual([])
  },
)

/** What there is to look for: each arrival of the message, when its sender was killed, and what was recorded. */
async function describeAll(messageIds: readonly string[], drill: Drill): Promise<string[]> {
  const { installation, receivers, kills, outages } = drill
  const attempts = await installation.beside(({ db }) =>
    db
      .selectFrom('deliveryAttempts')
      .select(['messageId', 'notificationIds', 'beganAt', 'endedAt', 'outcome', 'answer'])
      .orderBy('beganAt')
      .execute(),
  )
  return messageIds.map((id) => {
    const arrivals = receivers.arrivals.filter(({ messageId }) => messageId === id)
    const told = arrivals.map(({ pid, at, answeredAt = at }) => {
      const killedAt = kills.find((one) => one.pid === pid)?.at ?? Infinity
      const away = outages.filter(({ from, to }) => to > at && from < killedAt).slice(0, 5)
      return `by ${pid ?? 'nobody'} at ${at}, answered after ${answeredAt - at}, killed after ${killedAt - at}, database away ${JSON.stringify(away)}`
    })
    const recorded = attempts
      .filter((one) => one.messageId === id || one.notificationIds.includes(id))
      .map(
        ({ beganAt, endedAt, outcome, answer }) =>
          `${beganAt.getTime()} to ${endedAt.getTime()}: ${outcome}, ${answer}`,
      )
    return [id, ...told, ...recorded].join('\n')
  })
}
