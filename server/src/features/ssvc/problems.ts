import type { ProblemPages } from '../../platform/errors.ts'

export const ssvcProblems: ProblemPages = {
  'ssvc-tree-not-found': {
    title: 'No such SSVC tree',
    advice: 'GET …/ssvc/trees lists those of the workspace.',
  },
  'too-many-ssvc-trees': {
    title: 'The workspace has as many SSVC trees as it may',
    advice: 'Trees stay, as decisions of the past refer to them. Use one that is there.',
  },
}
