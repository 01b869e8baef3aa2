import type {
  DesiredConfig,
  DesiredKey,
  DesiredUpdate,
} from '../../formats/device-messages/model.ts'
import type { DeviceCredentials, DevicePrincipal } from './keys/auth-service.ts'
import type { Intake } from './intake/batches-service.ts'

export interface DesiredState {
  config: DesiredConfig
  /** The version that the device last acknowledged. null: none yet. */
  acknowledgedVersion: number | null
  update: DesiredUpdate | null
  /** null: it is to keep its key. */
  key: DesiredKey | null
}

/** What MQTT, HTTP and hawkBit share: authentication, reports, and desired state. */
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
  ) => Promise<ReadonlyMap<string, DesiredState>>
}
