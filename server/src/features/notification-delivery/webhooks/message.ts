/**
 * The message of a webhook and its signature, as Standard Webhooks 1.0.0 specifies (standard-webhooks/standard-webhooks
 * at 03f5f8c, spec/standard-webhooks.md).
 */
import { createHmac } from 'node:crypto'
import type { WebhookFormat } from '../../notification-targets/index.ts'
import type { NoticeEvent } from '../../notifications/index.ts'
import { type ChatSource, writeSlackMessage, writeTeamsMessage } from './chat.ts'

const WEBHOOK_EVENTS: Readonly<Record<NoticeEvent, string>> = {
  Fired: 'alert.fired',
  StillFiring: 'alert.still_firing',
  Resolved: 'alert.resolved',
  Test: 'test',
  AcceptancesEnd: 'acceptances.end',
}

interface BodySource extends ChatSource {
  workspaceId: string
  format: WebhookFormat
}

/** The same at every attempt, because the signature covers the bytes. */
export function writeWebhookBody(source: BodySource): string {
  return JSON.stringify(MESSAGES[source.format](source))
}

const MESSAGES: Readonly<Record<WebhookFormat, (source: BodySource) => object>> = {
  Plimsoll: ownMessage,
  Slack: writeSlackMessage,
  Teams: writeTeamsMessage,
}

function ownMessage(source: BodySource): object {
  const { workspaceId, publicUrl, notice } = source
  const { event, at, workspaceName, title, text, path } = notice
  const url = path === null ? null : `${publicUrl}${path}`
  const about = { ...notice.data, ...linkedSeries(source) }
  const data = { ...about, workspaceId, workspaceName, title, text, url }
  return { type: WEBHOOK_EVENTS[event], timestamp: at, data }
}

/** The series of an incident in the order of the notice's items, each with the page of the portal about it. */
function linkedSeries({ publicUrl, hasPortal, notice: { data, items } }: BodySource): object {
  const { series } = data
  if (!Array.isArray(series)) return {}
  const urlOf = (path: string | undefined) =>
    hasPortal && path !== undefined ? publicUrl + path : null
  return {
    series: series.map((one: object, index) => ({ ...one, url: urlOf(items[index]?.path) })),
  }
}

interface SignedAttempt {
  /** The same at every attempt, so that receivers recognise a repetition. */
  id: string
  /** The instant of the attempt. */
  at: Date
  body: string
  /** A receiver accepts any signature that it can verify. */
  secrets: readonly Buffer[]
}

export function signAttempt({ id, at, body, secrets }: SignedAttempt): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
    return `v1,${signature.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
