import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { type MailMessage, writeAlertMail } from './message.ts'
import { writeConfirmationNotice, type Notice, testNotice } from '../../notifications/index.ts'

const PUBLIC_URL = 'https://plimsoll.example'

function noticeOf(more: Partial<Notice> = {}): Notice {
  return {
    event: 'Fired',
    workspaceName: 'Pumps',
    title: 'Too hot: firing on pump-1',
    text: 'The average is above 80. This is so on 1 device.',
    facts: [{ name: 'Alert rule', value: 'Too hot' }],
    items: [{ label: 'pump-1', value: '92.4', since: '2026-08-22T09:30:00.000Z' }],
    moreItems: 0,
    path: '/workspaces/w/incidents/i',
    at: '2026-08-22T09:31:00.000Z',
    data: {},
    ...more,
  }
}

const RESOLVED = {
  event: 'Resolved',
  title: 'Too hot: resolved',
  text: 'This is no longer so.',
  at: '2026-08-22T10:15:00.000Z',
  data: { endedCause: 'Recovered' },
} as const

type WaitingNotice = MailMessage['notices'][number]

const about = (incidentId: string | null, more: Partial<Notice> = {}): WaitingNotice => ({
  incidentId,
  notice: noticeOf(more),
})

function messageOf(
  notices: readonly WaitingNotice[],
  more: Partial<MailMessage> = {},
): MailMessage {
  return {
    messageId: '0198c0de-0000-7000-8000-000000000001',
    domain: 'plimsoll.example',
    to: 'ops@example.com',
    publicUrl: PUBLIC_URL,
    hasPortal: true,
    workspaceId: 'w',
    targetName: 'On call',
    kind: 'Incident',
    notices,
    confirmUrl: null,
    unsubscribeUrl: `${PUBLIC_URL}/notifications/unsubscribe?token=abc`,
    ...more,
  }
}

const mailAbout = (...notices: WaitingNotice[]) => writeAlertMail(messageOf(notices))

function confirmationOf(names: { workspaceName: string; name: string }) {
  const notice = writeConfirmationNotice({
    ...names,
    askedBy: 'anna@example.com',
    at: '2026-08-22',
  })
  const confirmUrl = `${PUBLIC_URL}/notifications/confirm?token=abc`
  const more = { kind: 'Confirmation', confirmUrl, unsubscribeUrl: null } as const
  return writeAlertMail(messageOf([{ incidentId: null, notice }], more))
}

describe('a mail of one alert', () => {
  it('says in its subject what happened where', () => {
    const { subject, messageId, to } = mailAbout(about('i'))

    expect(subject).toBe('[Pumps] Too hot: firing on pump-1')
    expect(messageId).toBe('0198c0de-0000-7000-8000-000000000001@plimsoll.example')
    expect(to).toBe('ops@example.com')
  })

  it('tells all of it as text, and why it came', () => {
    const { text } = mailAbout(about('i', { moreItems: 3 }))

    expect(text).toBe(`Too hot: firing on pump-1

The average is above 80. This is so on 1 device.

Alert rule: Too hot

What is firing:
- pump-1: 92.4, since 2026-08-22 09:30 UTC
and 3 more

See the incident: https://plimsoll.example/workspaces/w/incidents/i

You get this because the target “On call” of the workspace Pumps has your address.
Send me no more: https://plimsoll.example/notifications/unsubscribe?token=abc
`)
  })

  it('links what fires to its page, as text and as HTML, where there is a portal', () => {
    const item = { label: 'pump-1', value: '92.4', since: null, path: '/w/w/devices/pump-1' }
    const url = `${PUBLIC_URL}/w/w/devices/pump-1`

    const { text, html } = mailAbout(about('i', { items: [item] }))
    const without = writeAlertMail(messageOf([about('i', { items: [item] })], { hasPortal: false }))

    expect(text).toContain(`- pump-1: 92.4\n  ${url}\n`)
    expect(html).toContain(`href="${url}"`)
    expect(without.text + without.html).not.toContain(url)
  })

  it('has tables whose heads say what they are heads of, and colours for the dark', () => {
    const { html } = mailAbout(about('i'))

    expect(html).toMatch(/<th scope="row"[^>]*>Alert rule<\/th>/)
    expect(html).toMatch(/<th scope="col"[^>]*>Since<\/th>/)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('prefers-color-scheme: dark')
    expect(html).not.toMatch(/<script|<img|<link|url\(|@import/i)
  })

  it('leaves out columns that say nothing', () => {
    const { html } = mailAbout(about('i', { items: [{ label: 'a', value: null, since: null }] }))

    expect(html).not.toContain('>Since<')
    expect(html).not.toContain('>Value<')
  })

  it('shows the first twenty of what fires', () => {
    const items = Array.from({ length: 30 }, (_, n) => ({
      label: `pump-${n}.`,
      value: null,
      since: null,
    }))

    const { text, html } = mailAbout(about('i', { items, moreItems: 5 }))

    for (const said of [text, html]) {
      expect(said).toContain('pump-19.')
      expect(said).not.toContain('pump-20.')
      expect(said).toContain('and 15 more')
    }
  })

  it('continues the one conversation of its incident', () => {
    const fired = mailAbout(about('i'))
    const resolved = mailAbout(about('i', RESOLVED))

    expect(fired.references).toEqual(['incident.i@plimsoll.example'])
    expect(resolved.references).toEqual(fired.references)
  })

  it('says the same when it is made again', () => {
    const message = messageOf([about('i')])

    expect(writeAlertMail(message)).toEqual(writeAlertMail(message))
  })

  it('links to nowhere but the public URL, whatever a path holds', () => {
    const paths = ['//evil.example', '@evil.example/', '.evil.example', 'javascript:alert(1)', null]

    for (const path of paths)
      for (const url of urlsOf(mailAbout(about('i', { path })))) expect(url.origin).toBe(PUBLIC_URL)
  })

  it.each`
    targetName | expected
    ${null}    | ${'The workspace Pumps sends its alerts to this address.'}
    ${'Night'} | ${'You get this because the target “Night” of the workspace Pumps has your address.'}
  `(
    'says why it came when its target is $targetName',
    ({ targetName, expected }: { targetName: string | null; expected: string }) => {
      const { text } = writeAlertMail(messageOf([about('i')], { targetName }))

      expect(text).toContain(expected)
    },
  )
})

describe('a mail of an incident that ended before it left', () => {
  it('tells of both as one', () => {
    const { subject, text, references } = mailAbout(about('i'), about('i', RESOLVED))

    expect(subject).toBe('[Pumps] Too hot: resolved')
    expect(text).toContain('It began and ended before this mail could be sent')
    expect(references).toEqual(['incident.i@plimsoll.example'])
  })

  it('does not claim a beginning that an earlier mail told', () => {
    const { text } = mailAbout(about('i', { event: 'StillFiring' }), about('i', RESOLVED))

    expect(text).not.toContain('It began and ended')
  })
})

describe('a mail of several alerts', () => {
  const waiting = [
    about('gone', { title: 'Disk: firing on pump-7', at: '2026-08-21T22:10:00.000Z' }),
    about('gone', { ...RESOLVED, title: 'Disk: resolved' }),
    about('off', {
      ...RESOLVED,
      title: 'Old: ended',
      data: { endedCause: 'RuleDisabled' },
      items: [],
    }),
    about('hot'),
    about('away', { event: 'StillFiring', title: 'Away: still firing on gw-1' }),
  ]

  it('counts what is so by now', () => {
    const { subject, references } = mailAbout(...waiting)

    expect(subject).toBe('[Pumps] 4 alerts: 2 firing, 1 ended, 1 resolved')
    expect(references).toEqual([])
  })

  it('tells first what fires, then the others, each incident once', () => {
    const { text, html } = mailAbout(...waiting)

    expect(text.match(/^\* .*$/gm)).toEqual([
      '* Firing: Too hot: firing on pump-1',
      '* Still firing: Away: still firing on gw-1',
      '* Ended: Old: ended',
      '* Resolved meanwhile: Disk: resolved',
    ])
    expect(text).toContain('What happened from 2026-08-21 22:10 UTC to 2026-08-22 10:15 UTC')
    expect(html.match(/<h2/g)).toHaveLength(4)
  })

  it('names the first five of each, and ends after twenty alerts', () => {
    const items = Array.from({ length: 7 }, (_, n) => ({
      label: `pump-${n}`,
      value: n === 0 ? '92' : null,
      since: null,
    }))
    const many = Array.from({ length: 25 }, (_, n) => about(`i${n}`, { items, moreItems: 2 }))

    const { text, subject } = mailAbout(...many)

    expect(subject).toBe('[Pumps] 25 alerts: 25 firing')
    expect(text).toContain('pump-0 (92), pump-1, pump-2, pump-3, pump-4 and 4 more\n')
    expect(text.match(/^\* /gm)).toHaveLength(20)
    expect(text).toContain('\n\nand 5 more\n\n')
  })
})

describe('a confirmation', () => {
  it('says who asks, leads to the page and is not a list', () => {
    const { subject, text, headers } = confirmationOf({ workspaceName: 'Pumps', name: 'On call' })

    expect(subject).toBe('[Pumps] Do you want alerts of Pumps?')
    expect(text).toContain('Asked for by: anna@example.com')
    expect(text).toContain(
      'Confirm this address: https://plimsoll.example/notifications/confirm?token=abc',
    )
    expect(text).toContain('If you do not expect this, ignore it')
    expect(Object.keys(headers)).toEqual(['Auto-Submitted', 'X-Auto-Response-Suppress'])
  })

  it('holds nothing that mail programs would make a link of', () => {
    const name = 'win at https://evil.example/x or www.evil.example, evil.\u200dexample'

    const { subject, text, html } = confirmationOf({ workspaceName: name, name })

    for (const said of [subject, text, html]) {
      expect(said).not.toMatch(/https?:\/\/evil/)
      expect(said).not.toContain('evil.example')
    }
  })
})

it('says of a test that it is one', () => {
  const notice = testNotice({
    workspaceName: 'Pumps',
    name: 'On call',
    askedBy: undefined,
    at: '2026-08-22T09:31:00.000Z',
  })

  const { subject, html, references } = writeAlertMail(
    messageOf([{ incidentId: null, notice }], { kind: 'Test' }),
  )

  expect(subject).toBe('[Pumps] Test of On call')
  expect(html).toContain('>Test ')
  expect(html).not.toContain('>Firing')
  expect(references).toEqual([])
})

describe('names of others', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.constantFrom(
      'a\r\nBcc: victim@example.com',
      'a\nX-Evil: 1',
      '\u202egpj.exe',
      '\u2066x',
      'a\u0000b\u2028c',
      '</title><script>alert(1)</script>',
      '" onmouseover="x',
      '<img src=https://evil.example/x>',
      '=?utf-8?Q?=0D=0ABcc:_x?=',
      '\ud800',
      'x'.repeat(5_000),
      '😀'.repeat(300),
      '\r\n\r\n<html>',
    ),
  )
  const anyNotice = fc.record({
    event: fc.constantFrom('Fired', 'StillFiring', 'Resolved'),
    workspaceName: nasty,
    title: nasty,
    text: nasty,
    facts: fc.array(fc.record({ name: nasty, value: nasty }), { maxLength: 3 }),
    items: fc.array(
      fc.record({
        label: nasty,
        value: fc.option(nasty),
        since: fc.constantFrom(null, '2026-08-22T09:30:00.000Z'),
      }),
      { maxLength: 3 },
    ),
    moreItems: fc.nat(5),
    path: fc.constantFrom(null, '/workspaces/w/incidents/i'),
    at: fc.constant('2026-08-22T09:31:00.000Z'),
    data: fc.constant({}),
  })
  const anyMessage = fc
    .record({
      notices: fc.array(
        fc.record({
          incidentId: fc.option(fc.constantFrom('i', 'j', 'k')),
          notice: anyNotice,
        }),
        { minLength: 1, maxLength: 4 },
      ),
      targetName: fc.option(nasty),
      kind: fc.constantFrom('Incident' as const, 'Test' as const, 'Confirmation' as const),
    })
    .map(({ notices, ...more }) => {
      const isQuestion = more.kind === 'Confirmation'
      const confirmUrl = isQuestion ? `${PUBLIC_URL}/notifications/confirm?token=abc` : null
      return messageOf(notices, { ...more, confirmUrl })
    })

  it('never reach the head of a mail as anything but words of its subject', async () => {
    await fc.assert(
      fc.asyncProperty(anyMessage, async (message) => {
        const mail = writeAlertMail(message)

        const head = await headOf(mail)

        const list = message.kind === 'Confirmation' ? [] : LIST_HEADERS
        const thread = mail.references.length > 0 ? ['references', 'in-reply-to'] : []
        expect([...head.keys()].toSorted()).toEqual([...HEADERS, ...list, ...thread].toSorted())
        expect(head.get('to')).toBe('ops@example.com')
        expect(mail.subject.length).toBeLessThanOrEqual(200)
        expect(mail.subject).not.toMatch(STEERING)
      }),
      { numRuns: propertyRuns(300) },
    )
  })

  it('are text wherever they stand', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const mail = writeAlertMail(message)

        expect(mail.text.replaceAll('\n', '')).not.toMatch(STEERING)
        expect(mail.html.replaceAll('\n', '')).not.toMatch(STEERING)
        expect(new Set(mail.html.match(/<\/?[a-z1-6]+/gi))).toSatisfy(isMadeOfOurTags)
        expect(mail.html.length).toBeLessThan(200_000)
        for (const url of urlsOf(mail)) expect(url.origin).toBe(PUBLIC_URL)
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})

const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u

const HEADERS = [
  'from',
  'to',
  'subject',
  'message-id',
  'date',
  'mime-version',
  'content-type',
  'auto-submitted',
  'x-auto-response-suppress',
]
const LIST_HEADERS = ['list-unsubscribe', 'list-unsubscribe-post']

const TAGS = new Set(
  'html head meta title style body div p span h1 h2 bdi table tr th td a'.split(' '),
)

function isMadeOfOurTags(tags: Set<string>): boolean {
  return [...tags].every((tag) => TAGS.has(tag.replace(/^<\/?/, '')))
}

function urlsOf({ html }: { html: string }): URL[] {
  return [...html.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => new URL(url))
}

/** As it leaves: unfolded, by names in lower case. */
async function headOf({ messageId, references, ...parts }: ReturnType<typeof writeAlertMail>) {
  const ids = references.map((id) => `<${id}>`)
  const thread = ids.length > 0 ? { references: ids, inReplyTo: ids.at(-1) ?? '' } : {}
  const from = { name: 'Plimsoll', address: 'plimsoll@plimsoll.example' }
  const content = { ...parts, ...thread, from, messageId: `<${messageId}>` }
  const built = await new MailComposer(content).compile().build()
  const [head = ''] = built.toString('latin1').split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  expect(new Set(headers.map(([name]) => name)).size).toBe(headers.length)
  return new Map(headers)
}
