/** The MQTT door at an external broker. The service is a client of the broker. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import type { ExternalBroker } from '../../../config/mqtt-settings.ts'
import { deriveUuid } from '../../../formats/content-uuid.ts'
import type { AppContext } from '../../../platform/context.ts'
import { leadWhenFree } from '../../../platform/db/lead.ts'
import { type BrokerClient, connectToBroker } from '../../../platform/mqtt/broker-client.ts'
import { startTicker } from '../../../platform/ticker.ts'
import { beat, type DeviceDoors, listenToDeviceSignals } from '../../devices/index.ts'
import { RetainedDesired } from './desired-service.ts'
import { type ExternalDoor, takeConnection, takeReport } from './reports-service.ts'
import { InOrder } from '../in-order.ts'
import { createMqttMetrics } from '../metrics.ts'
import { ALL_DEVICES } from '../topics.ts'

const SHARE = 'plimsoll'
const BEAT_MS = 5_000
const FINISH_MS = 2_000

export function openExternalMqtt(
  ctx: AppContext,
  { doors, metrics, broker }: { doors: DeviceDoors; metrics: Registry; broker: ExternalBroker },
): { close: () => Promise<void> } {
  const state = { isClosing: false }
  const door: ExternalDoor = {
    ctx,
    doors,
    metrics: createMqttMetrics(metrics, { connections: () => 0, waiting: doors.intake.pending }),
    // The broker holds the connections, so they outlive the nodes.
    gatewayId: deriveUuid(`mqtt broker\n${broker.url}`),
    reports: new InOrder(),
    isClosing: () => state.isClosing,
  }
  const shared = connectToBroker({
    ...broker,
    filters: [`$share/${SHARE}/${ALL_DEVICES.up}`],
    onMessage: (message) => takeReport(door, message),
    onConnected: () => undefined,
    onSubscribed: () => undefined,
    log: ctx.log,
  })
  const stopLeading = leadWhenFree({
    pool: ctx.pool,
    log: ctx.log,
    name: 'mqtt: what external brokers retain',
    lead: (signal) => lead(door, broker, signal),
  })
  return {
    close: async () => {
      state.isClosing = true
      await stopLeading()
      await shared.close()
    },
  }
}

async function lead(
  door: ExternalDoor,
  broker: ExternalBroker,
  signal: AbortSignal,
): Promise<void> {
  const { ctx, gatewayId: id } = door
  ctx.log.info({ broker: broker.url }, 'this node sends desired state to devices at the broker')
  const retained = new RetainedDesired(door, () => client)
  const client: BrokerClient = connectToBroker({
    ...broker,
    // Without a client id nothing waits at the broker: messages matter only while this node leads.
    clientId: undefined,
    filters: [ALL_DEVICES.down, ALL_DEVICES.connection],
    onMessage: async (message) => {
      if (message.topic.includes('/down/')) retained.onRetained(message)
      else await takeConnection(door, message)
    },
    onConnected: () => retained.onConnected(),
    onSubscribed: () => retained.onSubscribed(signal),
    log: ctx.log,
  })
  const startedAt = ctx.now()
  const beats = startTicker({
    everyMs: BEAT_MS,
    work: async () => {
      if (client.isConnected()) await beat(ctx, { id, startedAt })
    },
    log: ctx.log,
    failure: 'gateway beat failed',
  })
  try {
    const stopListening = await listenToDeviceSignals(ctx, (one) => retained.onSignal(one, signal))
    // What was read before may have changed without a signal that this node heard.
    retained.onSignal({ kind: 'regained' }, signal)
    await ended(signal)
    await stopListening()
    await Promise.race([retained.finished(), delay(FINISH_MS, undefined, { ref: false })])
  } finally {
    void beats.stop()
    await client.close()
  }
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
