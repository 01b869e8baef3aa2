/** Reads OpenMetrics 1.0 as strictly as its specification is; throws at the first fault. */
export interface ReadSample {
  name: string
  labels: Record<string, string>
  value: number
  exemplar: { labels: Record<string, string>; value: number; at: number } | undefined
}

export interface ReadFamily {
  type: string
  help: string
  samples: ReadSample[]
}

const NAME = String.raw`[a-zA-Z_][a-zA-Z0-9_]*`
const LABEL = String.raw`${NAME}="(?:[^"\\\n]|\\[\\n"])*"`
const LABELS = String.raw`\{(?:${LABEL}(?:,${LABEL})*)?\}`
const NUMBER = String.raw`(?:[+-]Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]\d+)?)`
const SAMPLE = new RegExp(
  `^(?<name>${NAME})(?<labels>${LABELS})? (?<value>${NUMBER})(?: # (?<on>${LABELS}) (?<seen>${NUMBER}) (?<at>${NUMBER}))?$`,
)
const META = new RegExp(`^# (?<what>TYPE|HELP) (?<name>${NAME}) (?<text>.*)$`)
const ENDINGS: Record<string, readonly string[]> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

export function parseOpenMetrics(text: string): Map<string, ReadFamily> {
  if (!text.endsWith('\n# EOF\n')) throw new Error('does not end with # EOF')
  const families = new Map<string, ReadFamily>()
  let present = ''
  for (const line of text.slice(0, -'# EOF\n'.length).trimEnd().split('\n')) {
    const meta = META.exec(line)?.groups
    if (meta?.['what'] === 'TYPE') {
      present = meta['name'] ?? ''
      if (families.has(present)) throw new Error(`${present} is there twice`)
      families.set(present, { type: meta['text'] ?? '', help: '', samples: [] })
      continue
    }
    const family = families.get(present)
    if (!family) throw new Error(`before a family: ${line}`)
    if (meta) family.help = meta['text'] ?? ''
    else family.samples.push(readSample(line, present, family.type))
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkBuckets(name, family)
  return families
}

function readSample(line: string, family: string, type: string): ReadSample {
  const found = SAMPLE.exec(line)?.groups
  if (!found) throw new Error(`not a sample: ${line}`)
  const { name = '', labels, value = '', on, seen = '', at = '' } = found
  const ending = name.slice(family.length)
  if (!name.startsWith(family) || ENDINGS[type]?.includes(ending) !== true)
    throw new Error(`not of ${type} ${family}: ${line}`)
  if (on !== undefined && !['_bucket', '_total'].includes(ending))
    throw new Error(`no place for an exemplar: ${line}`)
  const exemplar =
    on === undefined
      ? undefined
      : { labels: readLabels(on), value: numberOf(seen), at: numberOf(at) }
  return { name, labels: readLabels(labels), value: numberOf(value), exemplar }
}

function readLabels(text = ''): Record<string, string> {
  const pairs = text.matchAll(new RegExp(`(${NAME})="((?:[^"\\\\]|\\\\.)*)"`, 'g'))
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]))
}

const numberOf = (text: string) => Number(text.replace('Inf', 'Infinity'))

/** Of each set of labels: bounds rise and are canonical, counts do not fall, and the last one is that of all. */
function checkBuckets(name: string, { samples }: ReadFamily): void {
  const sets = new Map<string, ReadSample[]>()
  for (const sample of samples) {
    const { le: _, ...others } = sample.labels
    const key = JSON.stringify(others)
    sets.set(key, [...(sets.get(key) ?? []), sample])
  }
  for (const [key, set] of sets) {
    const buckets = set.filter((sample) => sample.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => labels['le'] ?? '')
    const counts = buckets.map(({ value }) => value)
    const count = set.find((sample) => sample.name === `${name}_count`)?.value
    const isRising = (all: number[]) =>
      all.every((one, at) => at === 0 || one >= (all[at - 1] ?? 0))
    if (
      !isRising(bounds.map(numberOf)) ||
      bounds.at(-1) !== '+Inf' ||
      bounds.some((bound) => bound !== '+Inf' && !bound.includes('.')) ||
      !isRising(counts) ||
      counts.at(-1) !== count
    )
      throw new Error(`buckets of ${name} ${key}: ${bounds.join(' ')}, ${counts.join(' ')}`)
  }
}
