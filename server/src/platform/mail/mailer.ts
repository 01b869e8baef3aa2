/** Sends mail through the operator's mail server, each over a connection of its own. */
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { startDeadline } from '../deadline.ts'
import type { Mail } from './letter.ts'
import type { MailSettings, SmtpServer } from './settings.ts'
import { readDelivery, readFailure, type MailOutcome } from './smtp-outcome.ts'

export interface Mailer {
  /** Never rejects: the outcome tells what went wrong. A server that is slow in any way is left when its time is up. */
  send: (mail: Mail, signal: AbortSignal) => Promise<MailOutcome>
}

export function openMailer(settings: MailSettings): Mailer | undefined {
  return settings.server && createMailer(settings, settings.server)
}

export function createMailer(settings: MailSettings, server: SmtpServer): Mailer {
  return {
    send: async (mail, signal) => {
      const deadline = startDeadline(settings.patience.totalMs)
      const inTime = AbortSignal.any([signal, deadline.signal])
      const connection = connectionTo(server)
      const message = { from: settings.from.address, to: mail.to, content: await compose(mail) }
      const { patience } = settings
      const outgoing = { ...message, login: server.login, patience, signal: inTime }
      const sending = sendOver(connection, outgoing)
      return sending.finally(deadline.end)
    },
  }

  async function compose(mail: Mail): Promise<Buffer> {
    const { messageId, references, headers, ...parts } = mail
    const about = references.map((id) => `<${id}>`)
    const composer = new MailComposer({
      ...parts,
      from: settings.from,
      messageId: `<${messageId}>`,
      ...(about.length > 0 ? { references: about, inReplyTo: about.at(-1) } : {}),
      headers,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return composer.compile().build()
  }
}

/** Its own timers would end it after a stop of the process, before what had arrived was read: `startDeadline` bounds each step. */
const UNLIMITED_MS = 2 ** 31 - 1

function connectionTo({ host, port, secure, requireTls, authority }: SmtpServer): SMTPConnection {
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    requireTLS: requireTls && !secure,
    connectionTimeout: UNLIMITED_MS,
    greetingTimeout: UNLIMITED_MS,
    dnsTimeout: UNLIMITED_MS,
    socketTimeout: UNLIMITED_MS,
    // A closed connection is destroyed at once, because no further answer is needed.
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1024,
    ...(authority === undefined ? {} : { tls: { ca: authority } }),
  })
  // An error after the last step has no other listener, and would end the process.
  connection.on('error', () => undefined)
  return connection
}

interface OutgoingMail {
  from: string
  to: string
  content: Buffer
  login: SmtpServer['login']
  patience: MailSettings['patience']
  signal: AbortSignal
}

async function sendOver(
  connection: SMTPConnection,
  { from, to, content, login, patience, signal }: OutgoingMail,
): Promise<MailOutcome> {
  const envelope = { from, to: [to], size: content.length }
  let wasSent = false
  const stream = new Readable({
    read() {
      // The server has asked for the content.
      wasSent = true
      this.push(content)
      this.push(null)
    },
  })
  try {
    const greeted = startDeadline(patience.connectMs + patience.greetingMs)
    const soon = AbortSignal.any([signal, greeted.signal])
    await answered(connection, soon, (done) => connection.connect(done)).finally(greeted.end)
    if (login) {
      const auth = { user: login.user, pass: login.password }
      await answered(connection, signal, (done) => connection.login(auth, done))
    }
    const { response } = await answered<{ response: string }>(connection, signal, (done) =>
      connection.send(envelope, stream, done),
    )
    connection.quit()
    return readDelivery(response)
  } catch (error) {
    // Also after a refusal: the server would keep the connection open for another attempt.
    connection.close()
    return readFailure(error, wasSent)
  }
}

type SmtpCallback<Result> = (error?: Error | null, result?: Result) => void

/** The result of a step. Rejects when the connection ends or the signal is aborted before. */
function answered<Result = unknown>(
  connection: SMTPConnection,
  signal: AbortSignal,
  step: (done: SmtpCallback<Result>) => void,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    // nodemailer reports a last reply right after the end.
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
