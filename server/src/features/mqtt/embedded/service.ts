/** The MQTT door on the embedded broker. */
import type { Registry } from 'prom-client'
import type { AppContext } from '../../../platform/context.ts'
import { openMqttBroker } from '../../../platform/mqtt/broker.ts'
import { getKeyTries } from '../../../platform/key-tries.ts'
import { createGate } from '../../../platform/mqtt/gate.ts'
import { listenMqtt } from '../../../platform/mqtt/listeners.ts'
import { startTicker } from '../../../platform/ticker.ts'
import { type DeviceDoors, listenToDeviceSignals } from '../../devices/index.ts'
import { ConnectedDevices } from './connected-devices.ts'
import { startDelivery } from './delivery-service.ts'
import { DeviceRates } from './device-rates.ts'
import type { MqttDoor } from '../door.ts'
import { InOrder } from '../in-order.ts'
import { LoginPace } from './login-pace.ts'
import { logIn } from './login-service.ts'
import { createMqttMetrics } from '../metrics.ts'
import { disconnectEnded, handleSignal, reportAll, reportContacts } from './signals-service.ts'

export interface OpenMqttDoor {
  doors: DeviceDoors
  gatewayId: string
  /** Where its metrics are collected. */
  metrics: Registry
}

export interface OpenedMqttDoor {
  ports: { plain: number | undefined; tls: number | undefined }
  /** Reports all devices as connected. To be called when other nodes may have taken this one for dead. */
  reportAll: () => Promise<void>
  close: () => Promise<void>
}

const CONNECT_MS = 15_000
const CLOSE_PATIENCE_MS = 5_000
const CONTACTS_MS = 60_000
/** The topic and the other parts of a packet besides the payload. */
const PACKET_BYTES = 1_024

export async function openMqttDoor(
  ctx: AppContext,
  opening: OpenMqttDoor,
): Promise<OpenedMqttDoor> {
  const { mqtt: settings } = ctx.config
  const { door, signalled, close: closeDoor } = createDoor(ctx, opening)
  const broker = await openMqttBroker({
    connect: (login, connection) => logIn(door, login, connection),
    packetBytes: settings.messageBytes + PACKET_BYTES,
    keepAliveSeconds: settings.keepAliveSeconds,
    connectTimeoutMs: CONNECT_MS,
    onDropped: (reason) => door.metrics.drops.inc({ reason }),
  })
  const stopListening = await listenToDeviceSignals(ctx, signalled)
  const contacts = startTicker({
    everyMs: CONTACTS_MS,
    work: async () => {
      await reportContacts(door)
      await disconnectEnded(door)
    },
    log: ctx.log,
    failure: 'reporting contacts of connected devices failed',
  })
  const { host, port, tls } = settings
  const listeners: { close: () => void }[] = []
  const close = async () => {
    for (const listener of listeners) listener.close()
    void contacts.stop()
    await broker.close(CLOSE_PATIENCE_MS)
    await closeDoor()
    await stopListening()
  }
  const listen = async (on: { port: number; tls?: typeof tls }) => {
    const { handshakesPerSecond } = ctx.config
    const listening = { host, ...on, handshakesPerSecond, log: ctx.log }
    const listener = await listenMqtt(listening, broker.accept)
    listeners.push(listener)
    return listener.port
  }
  try {
    const plain = port === undefined ? undefined : await listen({ port })
    const secure = tls ? await listen({ port: tls.port, tls }) : undefined
    return { ports: { plain, tls: secure }, reportAll: () => reportAll(door), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Logins that use the database at the same time. The other connections are left for messages. */
const LOGINS = 8
const STORING_BYTES = 64 * 1024 * 1024

function createDoor(ctx: AppContext, { doors, gatewayId, metrics }: OpenMqttDoor) {
  const devices = new ConnectedDevices()
  const storing = createGate(STORING_BYTES)
  const endings = new Set<Promise<unknown>>()
  const state = { revision: 0, isClosing: false }
  const counted = createMqttMetrics(metrics, {
    connections: () => devices.size,
    waiting: storing.waiting,
  })
  const delivery = startDelivery({
    offerDesired: doors.offerDesired,
    onSent: (messages) => counted.sent.inc(messages),
    log: ctx.log,
  })
  const door: MqttDoor = {
    ctx,
    doors,
    gatewayId,
    devices,
    metrics: counted,
    rates: new DeviceRates(ctx.config.mqtt.messageRate),
    logins: createGate(LOGINS),
    pace: new LoginPace(ctx.config.mqtt.loginsPerSecond),
    tries: getKeyTries(ctx.memory),
    storing,
    reports: new InOrder(),
    deliver: delivery.deliver,
    revision: () => state.revision,
    ending: (report) => {
      const ended = report.catch((error: unknown) => {
        if (!state.isClosing)
          ctx.log.error({ err: error }, 'the end of a connection was not stored')
      })
      endings.add(ended)
      void ended.then(() => endings.delete(ended))
    },
    isClosing: () => state.isClosing,
  }
  return {
    door,
    signalled: (signal: Parameters<typeof handleSignal>[1]) => {
      if (signal.kind !== 'desired') state.revision += 1
      handleSignal(door, signal)
    },
    close: async () => {
      state.isClosing = true
      await delivery.close()
      await Promise.all(endings)
    },
  }
}
