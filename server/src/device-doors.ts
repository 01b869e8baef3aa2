/** The doors of devices, made of what the slices do with reports and what they want of devices. */
import { authenticateDevice, type DeviceDoors, startIntake } from './features/devices/index.ts'
import type { AppContext } from './platform/context.ts'

export function openDoors(ctx: AppContext): DeviceDoors {
  const hooks = { tagsChanged: () => Promise.resolve(), leaving: () => Promise.resolve() }
  return {
    authenticate: (credentials) => authenticateDevice(ctx, credentials, hooks),
    intake: startIntake(ctx, []),
    desired: () => Promise.resolve(new Map()),
  }
}
