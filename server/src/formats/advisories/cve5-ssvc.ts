/** SSVC decisions in the `metrics` of a CVE record's containers: CISA's come with its ADP container. */
import type { SsvcDecision } from './model.ts'
import { isObject, objectAt, objectsAt, timeAt, type JsonObject } from './record-reader.ts'

interface Container {
  of: JsonObject
  at: string
  source: string
}

/** `other: {type: 'ssvc', content: {options: [{Exploitation: 'poc'}, …], timestamp}}`; the content has no fixed form. */
export function readSsvc({ of, at, source }: Container): SsvcDecision[] {
  return objectsAt(of, 'metrics', at).flatMap((metric, index) => {
    const path = `${at}/metrics/${index}`
    const other = objectAt(metric, 'other', path)
    const content = other?.['content']
    if (other === undefined) return []
    if (!isObject(content) || !isSsvc(other['type'])) return []
    const points = pointsOf(content['options'])
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

function pointsOf(options: unknown): Map<string, string> {
  const points = new Map<string, string>()
  for (const option of Array.isArray(options) ? options : [])
    if (isObject(option))
      for (const [name, value] of Object.entries(option))
        if (typeof value === 'string') points.set(name.toLowerCase(), value)
  return points
}
