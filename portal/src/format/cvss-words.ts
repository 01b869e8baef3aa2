/** A CVSS vector (3.0, 3.1, 4.0) in a few words: how it is reached, what it takes, what is lost. */
const REACHED: Record<string, string> = {
  N: 'over the network',
  A: 'from the same network',
  L: 'local access',
  P: 'physical access',
}

/** "over the network, no login, full control". Empty for vectors of other versions. */
export function describeCvss(vector: string): string {
  if (!/^CVSS:[34]/.test(vector)) return ''
  const metrics = new Map(vector.split('/').map((part) => part.split(':') as [string, string]))
  return [reachedText(metrics), effortText(metrics), rightsText(metrics), lossText(metrics)]
    .filter(Boolean)
    .join(', ')
}

type Metrics = ReadonlyMap<string, string>

function reachedText(metrics: Metrics): string {
  return REACHED[metrics.get('AV') ?? ''] ?? ''
}

function effortText(metrics: Metrics): string {
  const isEasy = metrics.get('AC') === 'L' && metrics.get('AT') !== 'P'
  return isEasy ? 'low effort' : 'high effort'
}

function rightsText(metrics: Metrics): string {
  const needs = [
    metrics.get('PR') === 'N' ? 'no login' : '',
    metrics.get('UI') === 'N' ? '' : 'needs a person to act',
  ]
  return needs.filter(Boolean).join(', ')
}

function lossText(metrics: Metrics): string {
  const lost = ['C', 'I', 'A'].map((name) => metrics.get(name) ?? metrics.get(`V${name}`) ?? 'N')
  if (lost.every((level) => level === 'H')) return 'full control'
  const names = ['secrets', 'integrity', 'availability'].filter((_, index) => lost[index] !== 'N')
  return names.length === 0 ? 'no loss stated' : `${names.join(' and ')} lost`
}
