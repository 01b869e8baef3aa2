/** What a release gate does, and what it may ask of the support of components: both from the mildest to the strictest. */
export const RELEASE_GATES = ['Off', 'Warn', 'Block'] as const
export type ReleaseGate = (typeof RELEASE_GATES)[number]

export const GATE_SUPPORT_RULES = ['NotAsked', 'NotEnded', 'UntilPromise'] as const
export type GateSupportRule = (typeof GATE_SUPPORT_RULES)[number]

/** What a release gate may demand of the images of a version. */
export const IMAGE_DEMANDS = [
  'Signed',
  'NoTestKey',
  'NamedVersion',
  'CounterNotLower',
  'ChainComplete',
  'SbomSigned',
] as const
export type ImageDemand = (typeof IMAGE_DEMANDS)[number]
/** What each file has to meet by itself. */
export type FileDemand = Exclude<ImageDemand, 'ChainComplete' | 'SbomSigned'>

export const chooseStrictest = <Rule>(
  order: readonly Rule[],
  rules: readonly Rule[],
): Rule | undefined => order.findLast((rule) => rules.includes(rule))
