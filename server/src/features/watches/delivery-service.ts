/**
 * Compares what members watch with what they know, and sends each a mail of what has changed. A worker claims what it compares,
 * and notes what was told after the mail is sent: one that ends in between sends it again, with the same Message-ID.
 */
import { deriveUuid } from '../../formats/content-uuid.ts'
import { formatCountOf } from '../../formats/counts.ts'
import { addMs, MINUTE_MS } from '../../formats/instants.ts'
import { formatPortalPath } from '../../formats/portal-pages.ts'
import type { AppContext } from '../../platform/context.ts'
import { type Letter, writeLetter } from '../../platform/mail/letter.ts'
import { startTicker } from '../../platform/ticker.ts'
import { createMessageId, sendMail, takeMails } from '../mails/index.ts'
import { findWorkspaceName } from '../workspaces/index.ts'
import { describeChanges, type KnownState } from './known-state.ts'
import { type OneVulnerability, readKnownState } from './service.ts'
import * as store from './store.ts'

/** Each is compared so often; what happens in between is told in one mail. */
const LOOK_EVERY_MS = 5 * MINUTE_MS
const MOST_WATCHERS = 50
/** Each may name a thousand findings. */
const MOST_KEPT = 500

/** Any number of workers may run this. The result stops it. */
export function startWatching(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const ticker = startTicker({
    everyMs: MINUTE_MS,
    work: () => tellWatchers(ctx, stopping.signal),
    log: ctx.log,
    failure: 'telling who watches vulnerabilities failed',
  })
  return async () => {
    stopping.abort()
    await ticker.stop()
  }
}

/** Without a mail server nothing is noted either: it is told once there is one. */
export async function tellWatchers(ctx: AppContext, signal: AbortSignal): Promise<void> {
  if (!ctx.mailer) return
  const now = ctx.now()
  const look = { before: addMs(now, -LOOK_EVERY_MS), now }
  const read = createStateReader(ctx)
  for (let isMore = true; isMore;) {
    const due = await store.listDueWatchers(ctx.db, { ...look, limit: MOST_WATCHERS })
    isMore = false
    for (const watcher of due) {
      if (signal.aborted) return
      const claimed = await store.claimWatches(ctx.db, watcher, look)
      if (claimed.length > 0) isMore = due.length === MOST_WATCHERS
      await tellChanges(ctx, watcher, { claimed, read, signal })
    }
  }
}

type StateReader = (asked: OneVulnerability) => ReturnType<typeof readKnownState>

/** What several members watch is read once a look. */
function createStateReader(ctx: AppContext): StateReader {
  const states = new Map<string, ReturnType<typeof readKnownState>>()
  return (asked) => {
    const key = `${asked.workspaceId} ${asked.cveId}`
    const known = states.get(key)
    if (known) return known
    if (states.size >= MOST_KEPT) states.clear()
    const state = readKnownState(ctx, asked)
    states.set(key, state)
    return state
  }
}

interface Claimed {
  claimed: readonly store.ClaimedWatch[]
  read: StateReader
  signal: AbortSignal
}

async function tellChanges(
  ctx: AppContext,
  watcher: store.Watcher,
  { claimed, read, signal }: Claimed,
): Promise<void> {
  const { workspaceId } = watcher
  const known = new Map<string, KnownState>()
  const news: { cveId: string; changes: string[] }[] = []
  for (const { vulnerabilityId, email, known: before } of claimed) {
    const { cveId, known: after } = await read({ workspaceId, cveId: vulnerabilityId })
    const changes = describeChanges(before, after, email)
    known.set(vulnerabilityId, after)
    if (changes.length > 0) news.push({ cveId, changes })
  }
  const [first] = claimed
  if (!first) return
  const isOver =
    news.length === 0 || (await send(ctx, { ...watcher, to: first.email, news, claimed }, signal))
  const toldAt = news.length === 0 ? null : ctx.now()
  if (isOver) await store.recordTold(ctx.db, watcher, { toldAt, known })
}

interface News extends store.Watcher {
  to: string
  claimed: readonly store.ClaimedWatch[]
  news: readonly { cveId: string; changes: readonly string[] }[]
}

/** False: not now. The next look tries again. */
async function send(
  ctx: AppContext,
  { workspaceId, personId, to, news, claimed }: News,
  signal: AbortSignal,
): Promise<boolean> {
  const planned = { kind: 'Colleague', workspaceId, addresses: [to] } as const
  const spent = await ctx.db.transaction().execute((tx) => takeMails(ctx, tx, planned))
  if (spent) return false
  const { publicUrl } = ctx.config
  const workspaceName = await findWorkspaceName(ctx.db, workspaceId)
  const letter = writeWatchLetter({ publicUrl, workspaceId, workspaceName, news })
  // What was known before tells a mail from a later one of the same words.
  const id = deriveUuid(
    `watch ${workspaceId} ${personId} ${JSON.stringify(claimed)} ${letter.text}`,
  )
  const messageId = createMessageId(ctx, id)
  const headers = { 'Auto-Submitted': 'auto-generated' }
  const mail = { ...letter, messageId, to, references: [], headers }
  const { outcome, answer } = await sendMail(ctx, mail, signal)
  if (outcome === 'Refused')
    ctx.log.warn({ personId, answer }, 'mail about a watched vulnerability refused')
  return outcome !== 'Deferred'
}

interface Told extends Pick<News, 'workspaceId' | 'news'> {
  publicUrl: string
  workspaceName: string
}

function writeWatchLetter({ publicUrl, workspaceId, workspaceName, news }: Told): Letter {
  const cveId = news[0]?.cveId ?? ''
  const path = formatPortalPath('vulnerability', { workspaceId, cveId })
  return writeLetter({
    subject:
      news.length === 1
        ? `${cveId} has changed in ${workspaceName}`
        : `${formatCountOf(news.length, 'vulnerability', 'vulnerabilities')} changed in ${workspaceName}`,
    before: news.map(({ cveId: changed, changes }) => `${changed}: ${changes.join(' ')}`),
    link: { label: `Open ${cveId}`, url: `${publicUrl}${path}` },
    after: [
      `You get this mail because you watch ${news.length === 1 ? 'it' : 'them'} in the workspace "${workspaceName}" of Plimsoll. The page of each has the way to stop.`,
    ],
  })
}
