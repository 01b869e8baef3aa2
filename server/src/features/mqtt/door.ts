import type { AppContext } from '../../platform/context.ts'
import type { Gate } from '../../platform/mqtt/gate.ts'
import type { DeviceDoors } from '../devices/index.ts'
import type { ConnectedDevices } from './embedded/connected-devices.ts'
import type { DeviceConnection } from './embedded/device-connection.ts'
import type { DeviceRates } from './embedded/device-rates.ts'
import type { InOrder } from './in-order.ts'
import type { MqttMetrics } from './metrics.ts'

/** What the parts of the MQTT door share. */
export interface MqttDoor {
  ctx: AppContext
  doors: DeviceDoors
  gatewayId: string
  devices: ConnectedDevices
  metrics: MqttMetrics
  rates: DeviceRates
  /** Logins under way. */
  logins: Gate
  /** Bytes of messages being stored. */
  storing: Gate
  /** By device: its reports on their way to the database. */
  reports: InOrder
  /** Tells the device what is desired of it, unless it knows. */
  deliver: (device: DeviceConnection) => void
  /** Grows when connections had to be looked at: a login that began before has to be looked at too. */
  revision: () => number
  /** Waited for when the door closes. */
  ending: (report: Promise<void>) => void
  isClosing: () => boolean
}
