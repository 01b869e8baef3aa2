/** The points of the law that Plimsoll knows, and good practice beside them. Articles are numbers: topics are words of ours, and quote nothing. */

export const OBLIGATION_BASES = ['Law', 'GoodPractice'] as const

interface Point {
  basis: (typeof OBLIGATION_BASES)[number]
  /** Of Regulation (EU) 2024/2847, or the text that names a good practice. */
  article: string
  topic: string
  /** What Plimsoll has for it. */
  features: readonly string[]
  /** What stays with people. */
  people: string
  /** The guide that tells more, in docs/guide. */
  guide: string
}

export const OBLIGATIONS = {
  'known-vulnerabilities': {
    basis: 'Law',
    article: 'Annex I, part I, (2)(a)',
    topic: 'Vulnerabilities that are known at release',
    features: ['Release gate', 'Marks of versions'],
    people:
      'Decide what each finding means in the product, and who may ship a version that the gate stops, with which reason.',
    guide: 'deployments',
  },
  updates: {
    basis: 'Law',
    article: 'Annex I, part I, (2)(c); part II, (7)',
    topic: 'Updates and their distribution',
    features: ['Deployments', 'Digests of artifacts', 'Checks of image signatures'],
    people:
      'Sign updates and check signatures on the device, install by themselves where that applies, let users opt out or postpone.',
    guide: 'deployments',
  },
  properties: {
    basis: 'Law',
    article: 'Annex I, part I, (2)(b), (d)–(m)',
    topic: 'Properties of the device itself',
    features: [],
    people: 'All of it: Plimsoll sees what runs on devices, not how they are configured and built.',
    guide: 'law',
  },
  sboms: {
    basis: 'Law',
    article: 'Annex I, part II, (1)',
    topic: 'Components and SBOM',
    features: ['SBOMs', 'Grades by profile', 'Coverage'],
    people:
      'Upload an SBOM of each version from the build, and mend what its generator leaves out.',
    guide: 'sboms',
  },
  remedies: {
    basis: 'Law',
    article: 'Annex I, part II, (2)',
    topic: 'Remedies, and security apart from features',
    features: ['Findings with their age', 'Figures', 'Security updates marked on versions'],
    people: 'Mend, decide how fast, and ship security apart from features where that can be done.',
    guide: 'figures',
  },
  tests: {
    basis: 'Law',
    article: 'Annex I, part II, (3)',
    topic: 'Regular tests and reviews',
    features: ['Every version judged again with each new record', 'Ages of sources'],
    people: 'Test the product, review its code and its design, and keep the reports.',
    guide: 'feeds',
  },
  'fixed-vulnerabilities': {
    basis: 'Law',
    article: 'Annex I, part II, (4)',
    topic: 'Telling of fixed vulnerabilities',
    features: ['Advisories (CSAF 2.0)', 'Public path with feed', 'Delay with a reason'],
    people: 'Write what users can do, and decide when to publish.',
    guide: 'advisories',
  },
  'disclosure-policy': {
    basis: 'Law',
    article: 'Annex I, part II, (5)',
    topic: 'Policy of coordinated disclosure',
    features: ['Public page with the policy'],
    people: 'Write the policy and keep to it.',
    guide: 'disclosure',
  },
  contact: {
    basis: 'Law',
    article: 'Annex I, part II, (6); 13(17)',
    topic: 'A contact for reports',
    features: ['Form for reports from outside', 'Text of security.txt'],
    people: 'Name the contact where users find it, and read what arrives.',
    guide: 'disclosure',
  },
  'free-updates': {
    basis: 'Law',
    article: 'Annex I, part II, (8)',
    topic: 'Security updates without delay and free of charge, with advisories',
    features: ['Deployments', 'Advisories', 'Mails to contacts of cohorts'],
    people: 'What updates cost, and what contracts say of tailor-made products.',
    guide: 'advisories',
  },
  components: {
    basis: 'Law',
    article: '13(5)–(7)',
    topic: 'Care with components, and reports to those who make them',
    features: ['Findings and decisions with their history', 'Upstream reports'],
    people: 'Choose components with care, report what is found in them, and share fixes.',
    guide: 'disclosure',
  },
  support: {
    basis: 'Law',
    article: '13(8)–(11), (13), (18), (19); Annex II, (7)',
    topic: 'Support period and what is kept',
    features: ['Product lines', 'Ends of support', 'Retention'],
    people: 'Decide the support period, tell users of its end, keep documents outside of Plimsoll.',
    guide: 'law',
  },
  reports: {
    basis: 'Law',
    article: '14(1)–(8)',
    topic: 'Reports of exploited vulnerabilities and severe incidents',
    features: ['Cases with clocks', 'Drafts', 'Deadlines by mail'],
    people: 'Decide what is to be reported, file it on the platform, inform users.',
    guide: 'law',
  },
  authorities: {
    basis: 'Law',
    article: '13(22), 13(25)',
    topic: 'When an authority asks',
    features: ['Evidence bundles', 'SBOM export', 'Reports to print'],
    people: 'Answer, and add what Plimsoll does not have.',
    guide: 'law',
  },
  documentation: {
    basis: 'Law',
    article: 'Annex VII',
    topic: 'Technical documentation',
    features: ['Index of evidence bundles by numbers of Annex VII'],
    people:
      'Intended purpose, design, production, risk assessment, standards, tests, declaration of conformity.',
    guide: 'law',
  },
  'first-assessments': {
    basis: 'GoodPractice',
    article: 'Plimsoll: 4 hours',
    topic: 'A first look at each proposed case',
    features: ['Proposals that nag'],
    people: 'Somebody who looks, also at night and on weekends.',
    guide: 'law',
  },
  'answer-times': {
    basis: 'GoodPractice',
    article: 'BSI TR-03183-3',
    topic: 'Times of answers to reports from outside',
    features: ['Clocks of reports from outside'],
    people: 'Answer, assess and disclose in time.',
    guide: 'disclosure',
  },
  'security-text': {
    basis: 'GoodPractice',
    article: 'RFC 9116',
    topic: 'A security.txt that has not expired',
    features: ['Text of security.txt', 'Alert before it expires'],
    people: 'Sign it, serve it on your own domain, and say here until when it is valid.',
    guide: 'advisories',
  },
  drills: {
    basis: 'GoodPractice',
    article: 'Plimsoll',
    topic: 'Practice with cases',
    features: ['Drills: cases with the same clocks, marked'],
    people: 'Practise with those who would report.',
    guide: 'law',
  },
  'audit-seals': {
    basis: 'GoodPractice',
    article: 'Plimsoll',
    topic: 'A log that cannot be changed unseen',
    features: ['Sealed audit log'],
    people: 'Keep a seal outside of Plimsoll: weekly mails and evidence bundles carry it.',
    guide: 'law',
  },
} as const satisfies Record<string, Point>

export type ObligationId = keyof typeof OBLIGATIONS
export const OBLIGATION_IDS = Object.keys(OBLIGATIONS) as ObligationId[]

export const isObligation = (text: string): text is ObligationId => Object.hasOwn(OBLIGATIONS, text)
