/** What each phase but the last compares, as options say it. */
import { type Command, InvalidArgumentError } from 'commander'
import type { BodyOf } from '../../api-client/src/index.ts'
import { COMPARISON_SIGNAL, COMPARISON_TOO_FEW } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { parseSeconds } from './instant.ts'
import { readListOf, readOneOf } from './option-values.ts'

type Phase = NonNullable<BodyOf<'createDeployment'>['phases']>[number]
type Comparison = NonNullable<Phase['comparison']>
type Metric = NonNullable<Comparison['metrics']>[number]

export interface ComparisonOptions {
  compare?: number
  compareMetric?: Metric[]
  compareSignal?: NonNullable<Comparison['builtIn']>
  compareMargin?: number
  tooFew?: Comparison['tooFew']
}

export function withComparison(command: Command): Command {
  return command
    .option(
      '--compare <time>',
      'each phase but the last compares so long after the update, such as 1d, with devices that wait',
      parseSeconds,
    )
    .option(
      '--compare-metric <name:worse[:margin]>',
      'a metric, and which change is worse, such as memory_used:higher or battery:lower:5; may be repeated',
      readMetric,
    )
    .option(
      '--compare-signal <list>',
      'what the service knows itself (default without metrics: restarts,log-errors)',
      readListOf(COMPARISON_SIGNAL),
    )
    .option(
      '--compare-margin <percent>',
      'by how much updated devices may change more for the worse (default: 5)',
      readMargin,
    )
    .option(
      '--too-few <answer>',
      'where too few devices can be compared, wait for a person or stop (default: wait)',
      readOneOf(COMPARISON_TOO_FEW),
    )
}

function readMargin(text: string): number {
  const number = Number(text.replace(/ ?%$/, ''))
  if (text.trim() === '' || !Number.isFinite(number) || number < 0 || number > 1000)
    throw new InvalidArgumentError('It must be a percentage from 0 to 1000.')
  return number
}

/** `battery:lower:5` */
function readMetric(text: string, before: readonly Metric[] = []): Metric[] {
  const [, name, direction, margin] = /^(.+?):(higher|lower)(?::([^:]+))?$/i.exec(text) ?? []
  if (name === undefined || direction === undefined)
    throw new InvalidArgumentError(
      'Write it as name:higher or name:lower, such as battery:lower:5.',
    )
  const worse = direction.toLowerCase() === 'higher' ? ('Higher' as const) : ('Lower' as const)
  const own = margin === undefined ? {} : { marginPercent: readMargin(margin) }
  return [...before, { name, worse, ...own }]
}

/** The phases, of which each but the last asks for the comparison. */
export function addComparison(phases: Phase[] | undefined, options: ComparisonOptions) {
  const { compare, ...rest } = options
  const { compareMetric = [], compareSignal, compareMargin, tooFew } = rest
  if (compare === undefined) {
    if ([rest.compareMetric, compareSignal, compareMargin, tooFew].some((one) => one !== undefined))
      throw usageError('--compare says how long devices are compared, such as --compare 1d.')
    return phases
  }
  if (!phases || phases.length < 2)
    throw usageError('--compare needs a phase before the last one, such as --phase 10:1d.')
  const defaults: ComparisonOptions['compareSignal'] =
    compareMetric.length > 0 ? [] : ['Restarts', 'LogErrors']
  const comparison: Comparison = {
    windowSeconds: compare,
    metrics: compareMetric,
    builtIn: compareSignal ?? defaults,
    ...(compareMargin !== undefined && { marginPercent: compareMargin }),
    ...(tooFew !== undefined && { tooFew }),
  }
  return phases.map((phase, index) =>
    index < phases.length - 1 ? { ...phase, comparison } : phase,
  )
}
