import { describe, expect, it } from 'vitest'
import { listSigningSecrets, formatSecret } from '../../notification-targets/index.ts'
import type { Notice } from '../../notifications/index.ts'
import { readAnswer, shortenLine } from './answer.ts'
import { signAttempt, writeWebhookBody } from './message.ts'

const NOTICE: Notice = {
  event: 'Fired',
  workspaceName: 'Acme',
  title: 'CPU too hot: firing on 2 devices',
  text: 'Average of temperature over 5 minutes is above 80.',
  facts: [],
  items: [],
  moreItems: 0,
  path: '/workspaces/w/incidents/i',
  at: '2026-08-22T10:00:00.000Z',
  data: { incidentId: 'i', title: 'overruled' },
}

const AT = { workspaceId: 'w', publicUrl: 'https://plimsoll.example', format: 'Plimsoll' } as const

it.each`
  hasPortal | url
  ${true}   | ${'https://plimsoll.example/w/w/devices/pump-1'}
  ${false}  | ${null}
`(
  'names the page of each series: $url',
  ({ hasPortal, url }: { hasPortal: boolean; url: unknown }) => {
    const series = { series: 'pump-1', label: null, value: 92, since: NOTICE.at }
    const item = { label: 'pump-1', value: '92', since: NOTICE.at, path: '/w/w/devices/pump-1' }
    const notice = { ...NOTICE, items: [item], data: { series: [series] } }

    const body = writeWebhookBody({ ...AT, hasPortal, notice })

    expect(JSON.parse(body)).toMatchObject({ data: { series: [{ ...series, url }] } })
  },
)

it('says what happened, when, and where to read on', () => {
  const body = writeWebhookBody({
    ...AT,
    hasPortal: true,
    notice: NOTICE,
  })

  expect(JSON.parse(body)).toEqual({
    type: 'alert.fired',
    timestamp: '2026-08-22T10:00:00.000Z',
    data: {
      incidentId: 'i',
      workspaceId: 'w',
      workspaceName: 'Acme',
      title: NOTICE.title,
      text: NOTICE.text,
      url: 'https://plimsoll.example/workspaces/w/incidents/i',
    },
  })
})

it.each`
  event            | type
  ${'Fired'}       | ${'alert.fired'}
  ${'StillFiring'} | ${'alert.still_firing'}
  ${'Resolved'}    | ${'alert.resolved'}
  ${'Test'}        | ${'test'}
`('$event is sent as $type', ({ event, type }: { event: Notice['event']; type: string }) => {
  const notice = { ...NOTICE, event, path: null }
  const body = writeWebhookBody({ ...AT, hasPortal: true, notice })

  expect(JSON.parse(body)).toMatchObject({ type, data: { url: null } })
})

// The example that implementations of the specification verify themselves with.
it('signs as Standard Webhooks does', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')

  const headers = signAttempt({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_999),
    body: '{"test": 2432232314}',
    secrets: [secret],
  })

  expect(formatSecret(secret)).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

it('a former secret signs beside the current one until its time ends', () => {
  const [secret, formerSecret] = [Buffer.from('new'), Buffer.from('old')]
  const formerSecretUntil = new Date(1000)
  const of = { secret, formerSecret, formerSecretUntil }

  expect(listSigningSecrets(of, new Date(999))).toEqual([secret, formerSecret])
  expect(listSigningSecrets(of, new Date(1000))).toEqual([secret])
  expect(
    listSigningSecrets({ secret, formerSecret: null, formerSecretUntil: null }, new Date(0)),
  ).toEqual([secret])
})

it.each`
  status | retryAfterMs | outcome        | waits
  ${200} | ${undefined} | ${'Delivered'} | ${undefined}
  ${299} | ${undefined} | ${'Delivered'} | ${undefined}
  ${302} | ${undefined} | ${'Deferred'}  | ${undefined}
  ${400} | ${undefined} | ${'Deferred'}  | ${undefined}
  ${404} | ${5000}      | ${'Deferred'}  | ${undefined}
  ${410} | ${undefined} | ${'Refused'}   | ${undefined}
  ${429} | ${5000}      | ${'Deferred'}  | ${5000}
  ${500} | ${undefined} | ${'Deferred'}  | ${undefined}
  ${503} | ${undefined} | ${'Deferred'}  | ${undefined}
  ${503} | ${1e12}      | ${'Deferred'}  | ${86_400_000}
`(
  'HTTP $status after which $retryAfterMs ms are asked for is $outcome',
  (row: { status: number; retryAfterMs: number | undefined; outcome: string; waits?: number }) => {
    const { status, retryAfterMs } = row

    const read = readAnswer({ status, retryAfterMs, text: 'said', location: undefined })

    expect(read).toMatchObject({ outcome: row.outcome, answer: `HTTP ${status}: said` })
    expect(read.retryAfterMs).toBe(row.waits)
  },
)

it('keeps one plain line of an answer', () => {
  expect(shortenLine('\u001b[31mred\u202Eright\u2028to left')).toBe('[31mred right to left')
  expect(shortenLine('😀'.repeat(300))).toBe('😀'.repeat(200))
  expect(
    readAnswer({ status: 204, text: '', location: undefined, retryAfterMs: undefined }),
  ).toEqual({ outcome: 'Delivered', answer: 'HTTP 204' })
})

describe('in a chat', () => {
  const hostile = 'pump <https://evil.example|click> [x](https://evil.example) & *bold*'
  const items = Array.from({ length: 12 }, (_, index) => ({
    label: index === 0 ? hostile : `pump-${index}`,
    value: '92',
    since: NOTICE.at,
    path: `/w/w/devices/pump-${index}`,
  }))
  const source = { ...AT, hasPortal: true, notice: { ...NOTICE, items, moreItems: 3 } }

  it('is blocks of Slack, in which a name is text', () => {
    const message = JSON.parse(writeWebhookBody({ ...source, format: 'Slack' })) as {
      text: string
      blocks: { type: string; text?: { text: string }; elements?: { url?: string }[] }[]
    }

    expect(message.text).toBe(NOTICE.title)
    expect(message.blocks.map(({ type }) => type)).toEqual([
      'header',
      'section',
      'context',
      'actions',
    ])
    const body = message.blocks[1]?.text?.text ?? ''
    expect(body).toContain('<https://plimsoll.example/w/w/devices/pump-1|pump-1>: 92')
    expect(body).toContain('&lt;https://evil.example|click&gt;')
    expect(body).toContain('and 5 more')
    expect(message.blocks[3]?.elements?.[0]?.url).toBe(
      'https://plimsoll.example/workspaces/w/incidents/i',
    )
  })

  it('is a card of Teams, in which a name is text', () => {
    const message = JSON.parse(writeWebhookBody({ ...source, format: 'Teams' })) as {
      attachments: { content: { version: string; body: { facts?: { title: string }[] }[] } }[]
    }

    const [attachment] = message.attachments
    expect(attachment?.content).toMatchObject({
      type: 'AdaptiveCard',
      version: '1.4',
      actions: [
        { type: 'Action.OpenUrl', url: 'https://plimsoll.example/workspaces/w/incidents/i' },
      ],
    })
    const facts = attachment?.content.body.find((block) => block.facts)?.facts ?? []
    expect(facts).toHaveLength(10)
    expect(facts[0]?.title).toContain(String.raw`\[x\]\(https://evil.example\)`)
  })

  it.each(['Slack', 'Teams'] as const)('stays below what %s accepts', (format) => {
    const long = { label: 'x'.repeat(4_000), value: 'y'.repeat(4_000), since: null }
    const notice = {
      ...NOTICE,
      title: 't'.repeat(4_000),
      items: Array.from({ length: 10 }, () => long),
    }

    const body = writeWebhookBody({ ...source, notice: { ...notice, facts: [] }, format })

    expect(body.length).toBeLessThan(28_000)
  })
})
