import type { ProblemPages } from '../../platform/errors.ts'

export const supplierFeedProblems: ProblemPages = {
  'supplier-feed-not-found': {
    title: 'No such feed of a supplier',
    advice: 'GET …/supplier-feeds lists them.',
  },
  'supplier-feed-taken': {
    title: 'The workspace has a feed of this name or address',
    advice: 'Change that one, or choose another name.',
  },
  'too-many-supplier-feeds': {
    title: 'The workspace has as many feeds as it may have',
    advice: 'Delete one that you do not need.',
  },
}
