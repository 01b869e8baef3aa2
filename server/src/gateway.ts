/** The gateway: what holds connections of devices. */
import {
  beat,
  type DeviceDoors,
  disconnectSilentGateways,
  markDisconnected,
} from './features/devices/index.ts'
import type { AppContext } from './platform/context.ts'
import { newId } from './platform/ids.ts'

const BEAT_MS = 5_000

/** The result ends it; devices that are connected then are so no longer. */
export async function startGateway(
  ctx: AppContext,
  _doors: DeviceDoors,
): Promise<() => Promise<void>> {
  const gateway = { id: newId(), startedAt: ctx.now() }
  await beat(ctx, gateway)
  const timer = setInterval(() => void keepBeating(ctx, gateway), BEAT_MS)
  return async () => {
    clearInterval(timer)
    await markDisconnected(ctx, gateway.id)
  }
}

/** The next beat does what this one could not. */
async function keepBeating(
  ctx: AppContext,
  gateway: { id: string; startedAt: Date },
): Promise<void> {
  try {
    await beat(ctx, gateway)
    await disconnectSilentGateways(ctx)
  } catch (error) {
    ctx.log.warn({ err: error }, 'gateway beat failed')
  }
}
