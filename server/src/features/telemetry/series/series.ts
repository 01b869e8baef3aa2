/** A metric with its labels: what the points of a device are counted and stored under. */
import { hash } from 'node:crypto'

export interface Series {
  name: string
  labels: Readonly<Record<string, string>>
}

/** The same text for the same metric and labels, in any order of the labels. Names of metrics have no line feed. */
export function formatSeriesKey({
  name,
  labels,
}: {
  name: string
  labels?: Series['labels'] | undefined
}): string {
  const text = labels ? formatLabels(labels) : '{}'
  return text === '{}' ? name : `${name}\n${text}`
}

export function formatLabels(labels: Series['labels']): string {
  const members = listLabelNames(labels).map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(labels[name])}`,
  )
  return `{${members.join(',')}}`
}

export function listLabelNames(labels: Series['labels']): string[] {
  return Object.keys(labels).toSorted()
}

export function hashSeriesKey(key: string): string {
  return hash('sha256', key, 'hex')
}
