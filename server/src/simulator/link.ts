/** The link between a simulated device and the service, the same for every door. */
import type {
  ConfigReport,
  DesiredConfig,
  DesiredKey,
  DesiredUpdate,
  DeviceCrash,
  LogLine,
  MetricPoint,
  SessionMessage,
  UpdateReport,
} from '../formats/device-messages/model.ts'
import type { SimulationOptions } from './options.ts'
import type { OwnKeys } from './own-keys.ts'

/** The messages of docs/guide/device-protocol.md, by their names. */
interface UpMessages {
  session: SessionMessage
  config: ConfigReport
  metrics: readonly MetricPoint[]
  logs: readonly LogLine[]
  crashes: readonly DeviceCrash[]
  update: UpdateReport
}
type UpKind = keyof UpMessages

export interface LinkSetup {
  options: SimulationOptions
  deviceId: string
  keys: OwnKeys
  onConfig: (config: DesiredConfig) => void
  onUpdate: (update: DesiredUpdate) => void
  onKey: (key: DesiredKey) => void
  /** The service answered with a key that the device had fetched. */
  onKeyReplaced: () => void
  onConnected: (isConnected: boolean) => void
  onTrouble: (error: unknown) => void
  /** Ends everything. */
  signal: AbortSignal
}

export interface Link {
  /** Resolves when the service has the message; retries until then. Throws `Refused`. */
  send: <Kind extends UpKind>(kind: Kind, message: UpMessages[Kind]) => Promise<void>
  /** Connects again, as after another key was stored. */
  reconnect: () => void
  /** The device is switched off. */
  close: () => Promise<void>
}
