/** The gateway: what holds connections of devices. */
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
  /** Where devices connect; undefined: there is no such listener. */
  ports: Ports
  /** Ends it; devices that are connected then are so no longer. */
  stop: () => Promise<void>
}

export interface GatewayMeans {
  doors: DeviceDoors
  /** Where its metrics are collected. */
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

/** Connections are held by somebody else; which node is there is of no concern to devices. */
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
  ctx.log.info({ ports: mqtt.ports }, 'MQTT')
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
    // Others notice that it is silent.
    ctx.log.warn({ err: error }, 'devices of this gateway are still taken for connected')
  }
}

const BEAT_MS = 5_000
/** A little less than after which others take a gateway for dead. */
const DEAD_MS = 25_000

/** The next beat does what this one could not. */
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
      // Until that is done, every beat tries it again.
      if (beatAt - lastBeat > DEAD_MS) await reportAll()
      lastBeat = beatAt
      beats += 1
      // After an outage of the database every gateway was silent: those that live get the time to say so.
      if (beats > 1) await disconnectSilentGateways(ctx)
    } catch (error) {
      beats = 0
      throw error
    }
  }

  const failure = 'gateway beat failed'
  return startTicker({ everyMs: BEAT_MS, work: beatOnce, log: ctx.log, failure }).stop
}
