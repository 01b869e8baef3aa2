/** The gateway: connections of devices by MQTT, and the beats by which other nodes see that it lives. */
import type { Registry } from 'prom-client'
import {
  beat,
  type DeviceDoors,
  disconnectSilentGateways,
  disconnectGateway,
} from './features/devices/index.ts'
import { openExternalMqtt, openMqttDoor } from './features/mqtt/index.ts'
import type { ExternalBroker } from './config/mqtt-settings.ts'
import type { AppContext } from './platform/context.ts'
import { newId } from './platform/ids.ts'
import { startTicker } from './platform/ticker.ts'

interface Ports {
  plain: number | undefined
  tls: number | undefined
}

export interface StartedGateway {
  /** The ports of the listeners; undefined: there is no such listener. */
  ports: Ports
  /** Ends the gateway and disconnects its devices. */
  stop: () => Promise<void>
}

export interface GatewayMeans {
  doors: DeviceDoors
  /** The registry of its metrics. */
  metrics: Registry
}

export async function startGateway(
  ctx: AppContext,
  { doors, metrics }: GatewayMeans,
): Promise<StartedGateway> {
  const { broker } = ctx.config.mqtt
  return broker
    ? startAtBroker(ctx, { doors, metrics, broker })
    : startEmbedded(ctx, { doors, metrics })
}

/** The external broker holds the connections, so this node has no beat. */
function startAtBroker(
  ctx: AppContext,
  means: GatewayMeans & { broker: ExternalBroker },
): StartedGateway {
  const { close } = openExternalMqtt(ctx, means)
  const watch = startTicker({
    everyMs: BEAT_MS,
    work: () => disconnectSilentGateways(ctx),
    log: ctx.log,
    failure: 'looking for silent gateways failed',
  })
  const stop = async () => {
    await watch.stop()
    await close()
  }
  return { ports: { plain: undefined, tls: undefined }, stop }
}

async function startEmbedded(ctx: AppContext, means: GatewayMeans): Promise<StartedGateway> {
  const gateway = { id: newId(), startedAt: ctx.now() }
  await beat(ctx, gateway)
  const mqtt = await openMqttDoor(ctx, { ...means, gatewayId: gateway.id })
  ctx.log.info({ ports: mqtt.ports }, 'listening for MQTT')
  const stopBeating = startBeating(ctx, gateway, mqtt.reportAll)
  return {
    ports: mqtt.ports,
    stop: async () => {
      await mqtt.close()
      await stopBeating()
      await retire(ctx, gateway.id)
    },
  }
}

async function retire(ctx: AppContext, gatewayId: string): Promise<void> {
  try {
    await disconnectGateway(ctx, gatewayId)
  } catch (error) {
    // Other nodes disconnect the devices when this gateway is silent.
    ctx.log.warn({ err: error }, 'disconnecting the devices of this gateway failed')
  }
}

const BEAT_MS = 5_000
/** A little later, other nodes treat a gateway as dead. */
const DEAD_MS = 25_000

/** A beat that fails is tried again by the next one. */
function startBeating(
  ctx: AppContext,
  gateway: { id: string; startedAt: Date },
  reportAll: () => Promise<void>,
): () => Promise<void> {
  let lastBeat = performance.now()
  let beats = 0

  async function beatOnce(): Promise<void> {
    try {
      await beat(ctx, gateway)
      const beatAt = performance.now()
      // Until this succeeds, every beat tries it again.
      if (beatAt - lastBeat > DEAD_MS) await reportAll()
      lastBeat = beatAt
      beats += 1
      // After an outage of the database every gateway was silent. The first beat leaves the others time for theirs.
      if (beats > 1) await disconnectSilentGateways(ctx)
    } catch (error) {
      beats = 0
      throw error
    }
  }

  const failure = 'gateway beat failed'
  return startTicker({ everyMs: BEAT_MS, work: beatOnce, log: ctx.log, failure }).stop
}
