import type { ProblemPages } from '../../platform/errors.ts'

export const decisionProposalProblems: ProblemPages = {
  'proposal-not-found': {
    title: 'No such proposal',
    advice: 'GET …/decision-proposals lists them by state.',
  },
  'proposal-ended': {
    title: 'The proposal is not open any more',
    advice: 'Read it: it says who decided it. The finding can be decided at any time.',
  },
  'own-proposal': {
    title: 'The key cannot take its own proposal',
    advice: 'Let a person take it, in the portal or with a key of their own.',
  },
  'too-many-proposals': {
    title: 'The workspace has as many open proposals as it may have',
    advice: 'Take or refuse some of them first.',
  },
}
