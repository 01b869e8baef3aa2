import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startDrippingServer, startSmtpServer, type Trouble } from '../../../test/smtp-server.ts'
import type { Mail } from './letter.ts'
import { createMailer, type Mailer } from './mailer.ts'
import type { MailPatience, SmtpServer } from './settings.ts'

const AUTHORITY = readFileSync(
  new URL('../http-client/fixtures/authority.pem', import.meta.url),
  'utf8',
)
const PATIENT = {
  connectMs: 10_000,
  greetingMs: 10_000,
  totalMs: 20_000,
}

function givenMailer(
  port: number,
  {
    patience = {},
    server = {},
  }: { patience?: Partial<MailPatience>; server?: Partial<SmtpServer> } = {},
): Mailer {
  const settings = {
    host: '127.0.0.1',
    port,
    secure: false,
    requireTls: false,
    login: undefined,
    authority: undefined,
    ...server,
  }
  const from = { name: 'Plimsoll', address: 'plimsoll@example.com' }
  const mail = {
    server: settings,
    from,
    patience: { ...PATIENT, ...patience },
    mostPerHour: null,
  }
  return createMailer(mail, settings)
}

const MAIL: Mail = {
  messageId: 'one@example.com',
  to: 'ada@example.com',
  subject: 'Too hot – 81 °C',
  text: 'It is too hot.\n.\nAll of it.',
  html: '<p>It is too hot.</p>',
  references: ['incident@example.com'],
  headers: { 'Auto-Submitted': 'auto-generated' },
}

const never = new AbortController().signal

/** A mail server of its own process: it says when the mail is there, and takes it a little later. */
const TAKING = `
import { createServer } from 'node:net'
const server = createServer((socket) => {
  let isContent = false
  let text = ''
  socket.write('220 here\\r\\n')
  socket.on('data', (chunk) => {
    text = isContent ? text + chunk : String(chunk)
    if (isContent && text.endsWith('\\r\\n.\\r\\n')) {
      isContent = false
      console.log('arrived')
      setTimeout(() => socket.write('250 taken\\r\\n'), 200)
    } else if (!isContent && text.startsWith('DATA')) {
      isContent = true
      text = ''
      socket.write('354 go on\\r\\n')
    } else if (!isContent) socket.write('250 ok\\r\\n')
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

it('delivers, and tells what the server said', async () => {
  const server = await startSmtpServer()

  const outcome = await givenMailer(server.port).send(MAIL, never)

  expect(outcome).toMatchObject({ outcome: 'Delivered', isRecipientRefused: false })
  expect(outcome.answer).toMatch(/^250 /)
  expect(server.mails).toHaveLength(1)
  expect(server.mails[0]).toMatchObject({ from: 'plimsoll@example.com', to: ['ada@example.com'] })
  expect(server.mails[0]?.headers).toMatchObject({
    'message-id': '<one@example.com>',
    'in-reply-to': '<incident@example.com>',
    references: '<incident@example.com>',
    'auto-submitted': 'auto-generated',
    from: 'Plimsoll <plimsoll@example.com>',
  })
})

it('sends each mail over a connection of its own, and ends it', async () => {
  let closed = 0
  const server = await startSmtpServer({ onClose: () => void (closed += 1) })
  const mailer = givenMailer(server.port)

  for (const to of ['a@example.com', 'b@example.com']) await mailer.send({ ...MAIL, to }, never)
  server.trouble.mail = () => (server.connections === 3 ? 'drop' : undefined)
  const [lost, next] = [await mailer.send(MAIL, never), await mailer.send(MAIL, never)]

  expect(lost).toMatchObject({ outcome: 'Deferred', mayHaveArrived: false })
  expect(next.outcome).toBe('Delivered')
  expect(server.connections).toBe(4)
  await expect.poll(() => closed).toBe(4)
})

describe('when the server refuses', () => {
  it.each`
    stage        | reply                                  | outcome       | isRecipientRefused | because
    ${'rcpt'}    | ${'550 5.1.1 No such user'}            | ${'Refused'}  | ${true}            | ${'there is nobody of that name'}
    ${'rcpt'}    | ${'553 Sorry'}                         | ${'Refused'}  | ${true}            | ${'it is not an address there'}
    ${'rcpt'}    | ${'451 4.7.1 Greylisted'}              | ${'Deferred'} | ${false}           | ${'it may be taken later'}
    ${'rcpt'}    | ${'554 5.7.1 Relay access denied'}     | ${'Refused'}  | ${false}           | ${'the server takes no mail of ours'}
    ${'rcpt'}    | ${'530 5.7.0 Authentication required'} | ${'Refused'}  | ${false}           | ${'it wants a login'}
    ${'rcpt'}    | ${'552 5.2.2 Mailbox full'}            | ${'Refused'}  | ${false}           | ${'a full mailbox is emptied'}
    ${'mail'}    | ${'550 5.1.8 Sender refused'}          | ${'Refused'}  | ${false}           | ${'the sender is ours'}
    ${'mail'}    | ${'552 5.3.4 Too large'}               | ${'Refused'}  | ${false}           | ${'the size is ours'}
    ${'data'}    | ${'554 5.6.0 Looks like spam'}         | ${'Refused'}  | ${false}           | ${'the content is ours'}
    ${'data'}    | ${'452 4.3.1 No space left'}           | ${'Deferred'} | ${false}           | ${'there may be space later'}
    ${'connect'} | ${'554 Go away'}                       | ${'Refused'}  | ${false}           | ${'it takes nothing of ours'}
    ${'connect'} | ${'421 Too busy'}                      | ${'Deferred'} | ${false}           | ${'it is busy'}
  `(
    '$reply at $stage: $outcome, dead: $isRecipientRefused, as $because',
    async (row: {
      stage: 'rcpt' | 'mail' | 'data' | 'connect'
      reply: string
      outcome: string
      isRecipientRefused: boolean
    }) => {
      const server = await startSmtpServer()
      server.trouble[row.stage] = () => ({ reply: row.reply })

      const found = await givenMailer(server.port).send(MAIL, never)

      const { outcome, isRecipientRefused } = row
      expect(found).toMatchObject({ outcome, isRecipientRefused, mayHaveArrived: false })
      expect(found.answer).toContain(row.reply)
    },
  )
})

describe('when the connection breaks', () => {
  it.each<[string, 'connect' | 'mail' | 'rcpt' | 'data', Trouble, boolean]>([
    ['before the greeting', 'connect', 'drop', false],
    ['at the sender', 'mail', 'drop', false],
    ['at the recipient', 'rcpt', 'drop', false],
    ['after the last byte', 'data', 'drop', true],
  ])('%s, the mail is deferred', async (_when, stage, trouble, mayHaveArrived) => {
    const server = await startSmtpServer()
    server.trouble[stage] = () => trouble

    const found = await givenMailer(server.port).send(MAIL, never)

    expect(found).toMatchObject({ outcome: 'Deferred', mayHaveArrived })
  })

  it('so it is when nobody listens', async () => {
    const server = await startSmtpServer()
    await server.close()

    const found = await givenMailer(server.port).send(MAIL, never)

    expect(found).toMatchObject({ outcome: 'Deferred', mayHaveArrived: false })
    expect(found.answer).toContain('ECONNREFUSED')
  })
})

describe('when the server hangs', () => {
  it.each<['connect' | 'mail' | 'rcpt' | 'data', boolean]>([
    ['connect', false],
    ['mail', false],
    ['rcpt', false],
    ['data', true],
  ])('at %s, it is left', async (stage, mayHaveArrived) => {
    const server = await startSmtpServer()
    server.trouble[stage] = () => 'hang'
    const mailer = givenMailer(server.port, { patience: { totalMs: 200 } })

    const found = await mailer.send(MAIL, never)

    expect(found).toMatchObject({ outcome: 'Deferred', mayHaveArrived })
  })

  it.each(['it waits', 'nothing has left yet'])(
    'it is not left unread when this process was stopped for longer than its time while %s',
    async (when) => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', TAKING])
      const [port] = (await once(child.stdout, 'data')) as [Buffer]
      const patience = { connectMs: 1_500, greetingMs: 1_500, totalMs: 3_000 }
      const sending = givenMailer(Number(String(port)), { patience }).send(MAIL, never)
      if (when === 'it waits') await once(child.stdout, 'data')

      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_500)

      expect(await sending).toMatchObject({ outcome: 'Delivered', answer: '250 taken' })
      child.kill()
    },
  )

  it('it is left when it drips, too: the whole has its time', async () => {
    const server = await startDrippingServer('220-still thinking\r\n')
    const mailer = givenMailer(server.port, { patience: { totalMs: 300 } })

    const found = await mailer.send(MAIL, never)

    expect(found).toMatchObject({ outcome: 'Deferred', mayHaveArrived: false })
    expect(found.answer).toContain('too long')
  })

  it('it is left when the service stops', async () => {
    const server = await startSmtpServer()
    const stopping = new AbortController()
    server.trouble.rcpt = () => {
      stopping.abort()
      return 'hang'
    }

    const found = await givenMailer(server.port).send(MAIL, stopping.signal)

    expect(found).toMatchObject({ outcome: 'Deferred', mayHaveArrived: false })
  })
})

describe('with a login', () => {
  const login = { user: 'plimsoll', password: 'Geheim 100%' }
  const host = 'localhost'

  it('is let in, over TLS', async () => {
    const server = await startSmtpServer({ login })
    const secure = { requireTls: true, login, host, authority: AUTHORITY }

    const found = await givenMailer(server.port, { server: secure }).send(MAIL, never)

    expect(found.outcome).toBe('Delivered')
  })

  it('is refused with another password: no address is dead for that', async () => {
    const server = await startSmtpServer({ login })
    const wrong = { user: 'plimsoll', password: 'wrong' }
    const settings = { requireTls: true, login: wrong, host, authority: AUTHORITY }

    const found = await givenMailer(server.port, { server: settings }).send(MAIL, never)

    expect(found).toMatchObject({ outcome: 'Refused', isRecipientRefused: false })
    expect(found.answer).toContain('535')
    expect(found.answer).not.toContain('wrong')
  })

  it('says nothing to a server without TLS, or of another authority', async () => {
    const plain = await startSmtpServer({ login, disabledCommands: ['STARTTLS'] })
    const strange = await startSmtpServer({ login })
    const settings = { requireTls: true, login, host }

    const first = await givenMailer(plain.port, { server: settings }).send(MAIL, never)
    const second = await givenMailer(strange.port, { server: settings }).send(MAIL, never)

    expect([first.outcome, second.outcome]).not.toContain('Delivered')
    expect(second.answer).toMatch(/certificate|issuer/)
  })

  it('speaks TLS from the first byte on where the server does', async () => {
    const server = await startSmtpServer({ login, secure: true })
    const settings = { secure: true, login, host, authority: AUTHORITY }

    const found = await givenMailer(server.port, { server: settings }).send(MAIL, never)

    expect(found.outcome).toBe('Delivered')
  })
})

it('leaves no connection behind when its login is refused', async () => {
  let closed = 0
  const server = await startSmtpServer({
    login: { user: 'plimsoll', password: 'right' },
    onClose: () => {
      closed += 1
    },
  })
  const login = { user: 'plimsoll', password: 'wrong' }
  const mailer = givenMailer(server.port, {
    server: { host: 'localhost', login, authority: AUTHORITY },
  })

  const outcome = await mailer.send(MAIL, never)

  expect(outcome.answer).toMatch(/^535 /)
  await expect.poll(() => closed).toBe(1)
})
