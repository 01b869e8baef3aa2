/** A mail server in this process that can also refuse, delay, hang, drop and drip. */
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { closeAtEndOfFile } from './end-of-file.ts'

export interface TakenMail {
  from: string
  to: string[]
  /** The mail as received. */
  raw: string
  /** Unfolded headers by lower-case name. */
  headers: Record<string, string>
}

export type Stage = 'connect' | 'login' | 'mail' | 'rcpt' | 'data'

/** What the server does at a stage instead of accepting. */
export type Trouble =
  | { reply: string }
  /** Says nothing more. */
  | 'hang'
  /** Closes the connection. */
  | 'drop'

export interface SmtpTestServer {
  port: number
  mails: TakenMail[]
  /** Connections that were made. */
  connections: number
  /** The faults from now on; undefined: everything is accepted. */
  trouble: Partial<Record<Stage, (address: string) => Trouble | undefined>>
  /** Mails to an address, in the order in which they were accepted. */
  mailsTo: (address: string) => TakenMail[]
  /** Resolves when this number of mails was accepted; with an address, of mails to it. */
  took: (count: number, address?: string) => Promise<void>
  close: () => Promise<void>
}

const fixture = (name: string) =>
  readFileSync(new URL(`../src/platform/http-client/fixtures/${name}`, import.meta.url), 'utf8')

type SmtpCallback = (error?: Error | null) => void

export async function startSmtpServer(
  options: SMTPServerOptions & { login?: { user: string; password: string } } = {},
): Promise<SmtpTestServer> {
  const { login, ...settings } = options
  const waiting: { count: number; address: string | undefined; resolve: () => void }[] = []
  const state: SmtpTestServer = {
    port: 0,
    mails: [],
    connections: 0,
    trouble: {},
    mailsTo: (address) => state.mails.filter(({ to }) => to.includes(address)),
    took: (count, address) =>
      new Promise((resolve) => {
        waiting.push({ count, address, resolve })
        settle()
      }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const settle = () => {
    for (const { count, address, resolve } of waiting) {
      const mails = address === undefined ? state.mails : state.mailsTo(address)
      if (mails.length >= count) resolve()
    }
  }
  const sockets = new Set<Socket>()
  const at = (stage: Stage, address: string, done: SmtpCallback) => {
    const trouble = state.trouble[stage]?.(address)
    if (trouble === undefined) done()
    else if (trouble === 'drop') for (const socket of sockets) socket.destroy()
    else if (trouble !== 'hang') done(replyOf(trouble.reply))
  }
  const server = new SMTPServer({
    disabledCommands: login ? [] : ['AUTH', 'STARTTLS'],
    authOptional: login === undefined,
    disableReverseLookup: true,
    cert: fixture('localhost.pem'),
    key: fixture('localhost.key'),
    logger: false,
    ...settings,
    onConnect: (_session, done) => {
      state.connections += 1
      at('connect', '', done)
    },
    onAuth: (auth, _session, done) => {
      const isKnown = auth.username === login?.user && auth.password === login?.password
      at('login', '', (error) => {
        if (isKnown && !error) done(null, { user: auth.username })
        else done(error ?? replyOf('535 5.7.8 Authentication failed'))
      })
    },
    onMailFrom: (address, _session, done) => at('mail', address.address, done),
    onRcptTo: (address, _session, done) => at('rcpt', address.address, done),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        const raw = Buffer.concat(chunks).toString('utf8')
        const from = mailFrom === false ? '' : mailFrom.address
        at('data', to[0] ?? '', (error) => {
          if (!error) state.mails.push({ from, to, raw, headers: headersOf(raw) })
          done(error)
          settle()
        })
      })
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  state.port = (server.server.address() as AddressInfo).port
  closeAtEndOfFile(async () => {
    for (const socket of sockets) socket.destroy()
    await state.close()
  })
  return state
}

function replyOf(reply: string): Error {
  const error = new Error(reply.slice(4))
  return Object.assign(error, { responseCode: Number(reply.slice(0, 3)) })
}

function headersOf(raw: string): Record<string, string> {
  const [head = ''] = raw.split('\r\n\r\n')
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}

/** Text and HTML of a mail, as they are read. */
export function partOf({ raw }: TakenMail, type: 'text/plain' | 'text/html'): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? ''
  const part = raw
    .split(`--${boundary}`)
    .find((one) => one.toLowerCase().includes(`content-type: ${type}`))
  if (part === undefined) return ''
  const at = part.indexOf('\r\n\r\n')
  const body = part.slice(at + 4)
  if (/transfer-encoding: base64/i.test(part)) return Buffer.from(body, 'base64').toString('utf8')
  if (!/transfer-encoding: quoted-printable/i.test(part)) return body
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** A subject as it is read (RFC 2047). */
export function readSubject(subject: string): string {
  return subject
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('latin1')
        : text
            .replaceAll('_', ' ')
            .replaceAll(/=([0-9A-F]{2})/g, (_one, hex: string) =>
              String.fromCharCode(parseInt(hex, 16)),
            ),
    )
    .replaceAll(/[\u0080-\u00ff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'))
}

/** Accepts connections and sends a greeting byte by byte, or nothing. */
export async function startDrippingServer(greeting: string): Promise<{ port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let at = 0
    const timer = setInterval(() => {
      socket.write(greeting[at % greeting.length] ?? '')
      at += 1
    }, 10)
    socket.on('error', () => undefined)
    socket.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  closeAtEndOfFile(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port }
}
