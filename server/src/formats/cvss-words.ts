/** CVSS vectors in words, for forms that ask people. The names of metrics and values are those of FIRST's specifications. */

const REACH = { N: 'network', A: 'adjacent network', L: 'local', P: 'physical' }
const LEVEL = { N: 'none', L: 'low', H: 'high' }
const INTERACTION = { N: 'none', R: 'required', P: 'passive', A: 'active' }

type Words = Readonly<Record<string, string>>

/** How somebody attacks, in the order of the vector. */
const EXPLOITABILITY: readonly (readonly [metric: string, name: string, values: Words])[] = [
  ['AV', 'attack vector', REACH],
  ['AC', 'attack complexity', { L: 'low', M: 'medium', H: 'high' }],
  ['AT', 'attack requirements', { N: 'none', P: 'present' }],
  ['PR', 'privileges required', LEVEL],
  ['Au', 'authentication', { N: 'none', S: 'single', M: 'multiple' }],
  ['UI', 'user interaction', INTERACTION],
]

const LOSS = { N: 'none', L: 'low', H: 'high', P: 'partial', C: 'complete' }

/** What is lost, of the vulnerable system. */
const IMPACT: readonly (readonly [metrics: string[], name: string, values: Words])[] = [
  [['C', 'VC'], 'confidentiality', LOSS],
  [['I', 'VI'], 'integrity', LOSS],
  [['A', 'VA'], 'availability', LOSS],
]

const readMetrics = (vector: string): Map<string, string> =>
  new Map(
    vector
      .replaceAll(/[()]/g, '')
      .split('/')
      .flatMap((part) => {
        const [metric = '', value = ''] = part.split(':')
        return metric === '' || value === '' ? [] : [[metric, value]]
      }),
  )

/** `attack vector: network; attack complexity: low; …`; undefined where the vector has none of them. */
export function describeAttack(vector: string): string | undefined {
  const metrics = readMetrics(vector)
  const parts = EXPLOITABILITY.flatMap(([metric, name, values]) => {
    const word = values[metrics.get(metric) ?? '']
    return word === undefined ? [] : [`${name}: ${word}`]
  })
  return parts.length === 0 ? undefined : parts.join('; ')
}

/** `impact on confidentiality: high; integrity: none; …`; undefined where the vector has none of them. */
export function describeLoss(vector: string): string | undefined {
  const metrics = readMetrics(vector)
  const parts = IMPACT.flatMap(([names, name, values]) => {
    const value = names.map((one) => metrics.get(one)).find((one) => one !== undefined)
    const word = values[value ?? '']
    return word === undefined ? [] : [`${name}: ${word}`]
  })
  return parts.length === 0 ? undefined : `impact on ${parts.join('; ')}`
}
