import type { DesiredConfig, DesiredUpdate } from '../../formats/device-messages/model.ts'
import type { DeviceCredentials, DevicePrincipal } from './keys/auth-service.ts'
import type { Intake } from './intake/batches-service.ts'

export interface Desired {
  config: DesiredConfig
  /** The version the device last said it took over; null: none yet. */
  acknowledgedVersion: number | null
  update: DesiredUpdate | null
}

/** What MQTT, HTTP and hawkBit have in common: who speaks, what they say, what is wanted of them. */
export interface DeviceDoors {
  /** Registers devices where the workspace lets them do so; throws `unauthorized`, or `device-not-found`. */
  authenticate: (credentials: DeviceCredentials) => Promise<DevicePrincipal>
  intake: Intake
  /**
   * What is desired of those of the devices that exist. It writes: the updates it answers are recorded as offered, and
   * those that a device runs already succeed.
   */
  offerDesired: (
    workspaceId: string,
    deviceIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Desired>>
}
