/** What devices say of their own connection at an external broker: when they connect, and as their will. */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { contentUuid } from '../../../formats/content-uuid.ts'

const ConnectionState = Compile(
  Type.Object({
    connected: Type.Boolean(),
    /** Names the connection, so that the will of an older one that comes late ends nothing. */
    connection: Type.Optional(Type.String({ maxLength: 128 })),
  }),
)

/** undefined: malformed. */
export function readConnectionState(
  payload: Uint8Array,
  deviceId: string,
): { connected: boolean; connectionId: string } | undefined {
  try {
    const state: unknown = JSON.parse(Buffer.from(payload).toString('utf8'))
    if (!ConnectionState.Check(state)) return undefined
    const { connected, connection = '' } = state
    return { connected, connectionId: contentUuid(`${deviceId}\n${connection}`) }
  } catch {
    return undefined
  }
}
