import { v7 } from 'uuid'

export { v7 as newId }

/** No id that was made before the instant is larger. */
export function createFirstId(instant: Date): string {
  return v7({ msecs: instant.getTime(), seq: 0, random: new Uint8Array(16) })
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Ids in a path may be any text. Only a UUID can name a row. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}
