import type { AppContext } from '../../platform/context.ts'
import type { KeyTries } from '../../platform/key-tries.ts'
import type { Gate } from '../../platform/mqtt/gate.ts'
import type { DeviceDoors } from '../devices/index.ts'
import type { ConnectedDevices } from './embedded/connected-devices.ts'
import type { DeviceConnection } from './embedded/device-connection.ts'
import type { DeviceRates } from './embedded/device-rates.ts'
import type { LoginPace } from './embedded/login-pace.ts'
import type { InOrder } from './in-order.ts'
import type { MqttMetrics } from './metrics.ts'

/** The state that the parts of the MQTT door share. */
export interface MqttDoor {
  ctx: AppContext
  doors: DeviceDoors
  gatewayId: string
  devices: ConnectedDevices
  metrics: MqttMetrics
  rates: DeviceRates
  /** Logins under way. */
  logins: Gate
  /** How often each workspace logs in. */
  pace: LoginPace
  /** Keys that were refused, also by HTTP. */
  tries: KeyTries
  /** Bytes of messages being stored. */
  storing: Gate
  /** The reports that are on their way to the database, in order for each device. */
  reports: InOrder
  /** Sends the desired configuration and update to the device, unless it has them. */
  deliver: (device: DeviceConnection) => void
  /** Grows with every signal that may end connections. A login that began before such a signal checks its key again. */
  revision: () => number
  /** Registers the report of the end of a connection. The door waits for it when it closes. */
  ending: (report: Promise<void>) => void
  isClosing: () => boolean
}
