/** Reads values of unknown shape. */
export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** The text; undefined where it is absent, empty or not a text. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The objects of a list; other entries are skipped. */
export function listObjects(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}
