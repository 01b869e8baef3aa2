import { malformed } from './malformed.ts'

export function readTime(text: string, place: string): Date {
  // RFC 3339 has leap seconds, JavaScript has none.
  const time = new Date(text.includes(':60') ? text.replace(/:60(?=[.Z+-])/i, ':59') : text)
  if (Number.isNaN(time.getTime())) throw malformed('is not a point in time', `${place}/timestamp`)
  return time
}
