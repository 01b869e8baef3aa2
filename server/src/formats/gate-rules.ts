/** What a release gate does, and what it may ask of the support of components: from the mildest to the strictest. */
export const RELEASE_GATES = ['Off', 'Warn', 'Block'] as const
export type ReleaseGate = (typeof RELEASE_GATES)[number]

export const GATE_SUPPORT_RULES = ['NotAsked', 'NotEnded', 'UntilPromise'] as const
export type GateSupportRule = (typeof GATE_SUPPORT_RULES)[number]

export const chooseStrictest = <Rule>(
  order: readonly Rule[],
  rules: readonly Rule[],
): Rule | undefined => order.findLast((rule) => rules.includes(rule))
