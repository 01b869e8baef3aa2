/** SSVC decisions in the `metrics` of a CVE record's containers: CISA's come with its ADP container. */
import type { SsvcDecision } from './model.ts'
import { isObject, readObject, readObjects, timeAt, type JsonObject } from './record-reader.ts'

interface Container {
  of: JsonObject
  at: string
  source: string
}

/** `other: {type: 'ssvc', content: {options: [{Exploitation: 'poc'}, …], timestamp}}`; the content has no fixed form. */
export function readSsvc({ of, at, source }: Container): SsvcDecision[] {
  return readObjects(of, 'metrics', at).flatMap((metric, index) => {
    const path = `${at}/metrics/${index}`
    const other = readObject(metric, 'other', path)
    const content = other?.['content']
    if (other === undefined) return []
    if (!isObject(content) || !isSsvc(other['type'])) return []
    const points = readPoints(content['options'])
    if (points.size === 0) return []
    return [
      {
        source,
        exploitation: points.get('exploitation'),
        automatable: points.get('automatable'),
        technicalImpact: points.get('technical impact'),
        decidedAt:
          typeof content['timestamp'] === 'string' ? timeAt(content, 'timestamp', path) : undefined,
      },
    ]
  })
}

function isSsvc(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'ssvc'
}

function readPoints(options: unknown): Map<string, string> {
  const given = Array.isArray(options) ? options.filter(isObject) : []
  const named = given.flatMap((option) => Object.entries(option))
  return new Map(
    named.flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  )
}
