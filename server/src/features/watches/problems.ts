import type { ProblemPages } from '../../platform/errors.ts'

export const watchProblems: ProblemPages = {
  'nobody-to-tell': {
    title: 'A key whose maker is no member cannot watch',
    advice: 'Sign in, or use a key that a member of the workspace made.',
  },
  'too-many-watches': {
    title: 'You watch as many vulnerabilities as one may',
    advice: 'Stop watching some: GET …/watched-vulnerabilities lists them.',
  },
}
