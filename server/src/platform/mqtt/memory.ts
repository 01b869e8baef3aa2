/** Replaces what aedes keeps and routes for clients. It keeps only the ids of unfinished QoS 2 messages. */
import { Readable } from 'node:stream'
import type { PublishPacket } from 'aedes'

type MqttCallback = (error?: Error) => void

interface IdentifiedClient {
  id: string
}

/**
 * Every session is clean, nothing is retained, and messages of a client do not reach another. (The memory that comes with
 * aedes keeps a list for every client id that ever acknowledged something, and each connection has a new id here.)
 */
export function createMemory() {
  const received = new Map<string, Set<number>>()
  const nothing = () => Promise.resolve()
  const isReceived = (client: IdentifiedClient, { messageId }: Pick<PublishPacket, 'messageId'>) =>
    messageId !== undefined && received.get(client.id)?.has(messageId) === true
  return {
    isReceived,
    persistence: {
      // aedes looks for an async function.
      setup: async () => nothing(),
      storeRetained: nothing,
      createRetainedStreamCombi: () => Readable.from([]),
      subscriptionsByTopic: () => Promise.resolve([]),
      cleanSubscriptions: nothing,
      outgoingEnqueueCombi: nothing,
      outgoingClearMessageId: nothing,
      outgoingUpdate: nothing,
      outgoingStream: () => Readable.from([]),
      putWill: nothing,
      delWill: nothing,
      streamWill: () => Readable.from([]),
      incomingStorePacket: ({ id }: IdentifiedClient, { messageId = 0 }: PublishPacket) => {
        const ids = received.get(id) ?? new Set()
        received.set(id, ids.add(messageId))
        return Promise.resolve()
      },
      incomingGetPacket: (client: IdentifiedClient, packet: PublishPacket) =>
        isReceived(client, packet) ? Promise.resolve(packet) : Promise.reject(new Error('new')),
      incomingDelPacket: ({ id }: IdentifiedClient, { messageId = 0 }: PublishPacket) => {
        received.get(id)?.delete(messageId)
        return Promise.resolve()
      },
      cleanIncoming: ({ id }: IdentifiedClient) => {
        received.delete(id)
        return Promise.resolve()
      },
    },
  }
}

/** Replaces the emitter of aedes. */
export const NO_ROUTES = {
  on: (_topic: string, _deliver: unknown, done?: MqttCallback) => done?.(),
  removeListener: (_topic: string, _deliver: unknown, done?: MqttCallback) => done?.(),
  emit: (_packet: unknown, done?: MqttCallback) => done?.(),
  close: (done?: MqttCallback) => done?.(),
}
