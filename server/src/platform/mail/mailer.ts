/** Sends mail through the operator's mail server. */
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { MailSettings, SmtpServer } from './settings.ts'
import { delivered, failed, type MailOutcome } from './smtp-outcome.ts'

export interface Mail {
  /** Of the mail as a whole, without brackets; the same when it is sent again. */
  messageId: string
  to: string
  subject: string
  text: string
  html: string
  /** Ids of mails that this one continues. */
  references: readonly string[]
  headers: Readonly<Record<string, string>>
}

interface Held {
  connection: SMTPConnection
  /** Mails it has taken. */
  count: number
  timer?: NodeJS.Timeout
}

/** Servers end connections that send very many. */
const MOST_MAILS = 50

/** A connection is kept a moment for the next mail; as many are open as mails are sent at once. */
export class Mailer {
  private readonly settings: MailSettings
  private readonly server: SmtpServer
  private readonly idle = new Set<Held>()
  private isClosed = false

  constructor(settings: MailSettings, server: SmtpServer) {
    this.settings = settings
    this.server = server
  }

  /** Never fails: what went wrong is the outcome. A server that is slow in whatever way is left when its time is up. */
  async send(mail: Mail, signal: AbortSignal): Promise<MailOutcome> {
    const { totalMs } = this.settings.patience
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(totalMs)])
    const content = await this.compose(mail)
    const kept = this.take()
    if (kept) {
      const outcome = await this.sendOver(kept, { mail, content, signal: inTime })
      if (outcome !== 'Lost') return outcome
    }
    try {
      const outcome = await this.sendOver(await this.open(inTime), {
        mail,
        content,
        signal: inTime,
      })
      if (outcome !== 'Lost') return outcome
      return failed(new Error('The mail server closed the connection.'), false)
    } catch (error) {
      return failed(error, false)
    }
  }

  close(): void {
    this.isClosed = true
    for (const held of this.idle) this.drop(held)
  }

  private compose(mail: Mail): Promise<Buffer> {
    const { messageId, references, headers, ...parts } = mail
    const about = references.map((id) => `<${id}>`)
    const composer = new MailComposer({
      ...parts,
      from: this.settings.from,
      messageId: `<${messageId}>`,
      ...(about.length > 0 ? { references: about, inReplyTo: about.at(-1) } : {}),
      headers,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return composer.compile().build()
  }

  private take(): Held | undefined {
    const [held] = this.idle
    if (!held) return undefined
    this.idle.delete(held)
    clearTimeout(held.timer)
    return held
  }

  private keep(held: Held): void {
    held.count += 1
    if (this.isClosed || held.count >= MOST_MAILS || held.connection.destroyed) {
      held.connection.close()
      return
    }
    held.timer = setTimeout(() => this.drop(held), this.settings.patience.idleMs)
    this.idle.add(held)
  }

  private drop(held: Held): void {
    clearTimeout(held.timer)
    this.idle.delete(held)
    if (this.isClosed) held.connection.close()
    else held.connection.quit()
  }

  private async open(signal: AbortSignal): Promise<Held> {
    const { host, port, secure, requireTls, login, authority } = this.server
    const { connectMs, greetingMs, silenceMs } = this.settings.patience
    const connection = new SMTPConnection({
      host,
      port,
      secure,
      requireTLS: requireTls && !secure,
      connectionTimeout: connectMs + greetingMs,
      greetingTimeout: greetingMs,
      socketTimeout: silenceMs,
      dnsTimeout: connectMs,
      // Whatever is left of the connection is of no use.
      socketCloseTimeout: 0,
      maxResponseSize: 64 * 1024,
      ...(authority === undefined ? {} : { tls: { ca: authority } }),
    })
    const held: Held = { connection, count: 0 }
    // What it says once nobody waits for it ends it, and nothing else.
    connection.on('error', () => undefined)
    connection.on('end', () => this.idle.delete(held))
    try {
      await answered(connection, signal, (done) => connection.connect(done))
      if (login) {
        const auth = { user: login.user, pass: login.password }
        await answered(connection, signal, (done) => connection.login(auth, done))
      }
      return held
    } catch (error) {
      // A server that refuses a login keeps the connection open for another.
      connection.close()
      throw error
    }
  }

  /** `Lost`: it had ended before the mail left, which is known of those only that were kept. */
  private async sendOver(
    held: Held,
    { mail, content, signal }: { mail: Mail; content: Buffer; signal: AbortSignal },
  ): Promise<MailOutcome | 'Lost'> {
    const { connection } = held
    const envelope = { from: this.settings.from.address, to: [mail.to], size: content.length }
    let wasSent = false
    const stream = new Readable({
      read() {
        // The server asked for it.
        wasSent = true
        this.push(content)
        this.push(null)
      },
    })
    try {
      const { response } = await answered<{ response: string }>(connection, signal, (done) =>
        connection.send(envelope, stream, done),
      )
      this.keep(held)
      return delivered(response)
    } catch (error) {
      connection.close()
      const outcome = failed(error, wasSent)
      const isLost = held.count > 0 && !wasSent && !signal.aborted && !hasReply(error)
      return isLost ? 'Lost' : outcome
    }
  }
}

function hasReply(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && error.responseCode !== undefined
}

type Done<Result> = (error?: Error | null, result?: Result) => void

/** The result of a step, unless the connection ends or time is up before. */
function answered<Result = unknown>(
  connection: SMTPConnection,
  signal: AbortSignal,
  step: (done: Done<Result>) => void,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    // Its last reply, if there was one, is told right after.
    const end = () => setImmediate(fail, new Error('The mail server closed the connection.'))
    const stop = () => {
      fail(new Error('The mail server took too long, or the service is stopping.'))
      connection.close()
    }
    const leave = () => {
      connection.off('error', fail)
      connection.off('end', end)
      signal.removeEventListener('abort', stop)
    }
    const fail = (error: Error) => {
      leave()
      reject(error)
    }
    connection.on('error', fail)
    connection.on('end', end)
    signal.addEventListener('abort', stop)
    if (signal.aborted) {
      stop()
      return
    }
    step((error, result) => {
      leave()
      if (error) reject(error)
      else resolve(result as Result)
    })
  })
}

export function openMailer(settings: MailSettings): Mailer | undefined {
  return settings.server && new Mailer(settings, settings.server)
}
