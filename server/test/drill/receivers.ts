/** A mail server and a receiver of webhooks that take a moment for each message, and know which process sent it. */
import { EventEmitter, once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { drawChance } from '../../src/simulator/chance.ts'
import type { Arrival } from './repetitions.ts'

export interface Receivers {
  smtpPort: number
  webhookPort: number
  arrivals: Arrival[]
  /** The next message that has arrived, or was answered. undefined: none came in this time. */
  next: (moment: 'arrival' | 'answer', withinMs: number) => Promise<Arrival | undefined>
  close: () => void
}

/** `listSenders`: the processes that may send. */
export async function startReceivers(
  seed: string,
  listSenders: () => readonly (number | undefined)[],
): Promise<Receivers> {
  const arrivals: Arrival[] = []
  const moments = new EventEmitter()
  const take = async (messageId: string, pid: number | undefined) => {
    const arrival: Arrival = { messageId, pid, at: Date.now(), answeredAt: undefined }
    arrivals.push(arrival)
    moments.emit('arrival', arrival)
    await delay(30 + 500 * drawChance(seed, 'hold', arrivals.length))
    return () => {
      arrival.answeredAt = Date.now()
      moments.emit('answer', arrival)
    }
  }
  const find = (port: number, own: number) => findSender(listSenders(), port, own)
  const mail = await startMailServer(take, find)
  const webhooks = await startWebhookReceiver(take, find)
  return {
    ...mail,
    ...webhooks,
    arrivals,
    next: async (moment, withinMs) => {
      try {
        const signal = AbortSignal.timeout(withinMs)
        const [arrival] = (await once(moments, moment, { signal })) as [Arrival]
        return arrival
      } catch {
        return undefined
      }
    },
    close: () => {
      mail.closeMail()
      webhooks.closeWebhooks()
    },
  }
}

/** The result is called when the answer is sent. */
type Take = (messageId: string, pid: number | undefined) => Promise<() => void>
type Find = (port: number, own: number) => number | undefined

async function startMailServer(take: Take, find: Find) {
  const senders = new Map<string, number | undefined>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onConnect: ({ id, remotePort }, done) => {
      senders.set(id, find(remotePort, portOf(server.server.address())))
      done()
    },
    onData: (stream, { id }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const [, messageId = ''] = /^message-id:\s*<([^@>]+)@/im.exec(text) ?? []
        void take(messageId, senders.get(id)).then((answered) => {
          answered()
          done()
        })
      })
    },
    onClose: ({ id }) => {
      senders.delete(id)
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { smtpPort: portOf(server.server.address()), closeMail: () => server.close() }
}

async function startWebhookReceiver(take: Take, find: Find) {
  const server = createServer((request, response) => {
    const { socket, headers } = request
    const pid = find(socket.remotePort ?? 0, socket.localPort ?? 0)
    request.resume()
    request.on('end', () => {
      void take(String(headers['webhook-id']), pid).then((answered) => {
        answered()
        response.writeHead(204).end()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closeWebhooks = () => {
    server.closeAllConnections()
    server.close()
  }
  return { webhookPort: portOf(server.address()), closeWebhooks }
}

const portOf = (address: AddressInfo | string | null) =>
  typeof address === 'object' && address ? address.port : 0

const inHex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** The process that has the other end of a connection (proc(5): /proc/net/tcp names its socket, /proc/PID/fd who has it). */
function findSender(
  pids: readonly (number | undefined)[],
  port: number,
  own: number,
): number | undefined {
  const ends = `:${inHex(port)} 0100007F:${inHex(own)} `
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .find((one) => one.includes(ends))
  const inode = line?.trim().split(/\s+/)[9]
  return pids.find((pid) => pid !== undefined && hasSocket(pid, `socket:[${inode ?? ''}]`))
}

function hasSocket(pid: number, socket: string): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((fd) => readLink(`${folder}/${fd}`) === socket)
  } catch {
    // It has ended.
    return false
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Closed meanwhile.
    return undefined
  }
}
