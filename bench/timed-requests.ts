/** Times requests to the service, and makes table rows of the times. */

import { keepFigure } from './figures.ts'
import { computePercentile } from './portfolio-folder.ts'

interface MeasuredService {
  url: string
  workspaceId: string
  apiKey: string
}

/** Milliseconds until the last byte; the body. */
type TimedRequest = (method: string, path: string, body?: object) => Promise<[number, string]>

export function createTimedRequest({ url, workspaceId, apiKey }: MeasuredService): TimedRequest {
  return async (method, path, body) => {
    const startedAt = performance.now()
    const response = await fetch(`${url}/workspaces/${workspaceId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
    return [performance.now() - startedAt, text]
  }
}

export function formatTimes(what: string, times: readonly number[], budget?: number) {
  const p95 = computePercentile(times, 0.95)
  keepFigure({ what: `${what}, p95`, value: p95, unit: 'ms', most: budget })
  return {
    what,
    median: `${computePercentile(times, 0.5).toFixed(1)} ms`,
    p95: `${p95.toFixed(1)} ms`,
    budget: budget === undefined ? '' : `${budget} ms${p95 > budget ? ' EXCEEDED' : ''}`,
  }
}
