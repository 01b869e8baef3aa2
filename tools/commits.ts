/**
 * Checks the subjects of the commits since a fixed one: Conventional Commits, at most 72 characters, imperative.
 * A shallow clone without that commit has nothing to check.
 */
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

/** The last commit before subjects were checked. */
const SINCE = '4e37e1f197'
const LONGEST = 72
const TYPES = 'feat|fix|refactor|test|docs|build|ci|perf|chore|revert|style'
const FORM = new RegExp(String.raw`^(?:${TYPES})(?:\([a-z0-9-]+\))?!?: (\S+)(?: (\S+).*)?$`)
/** Words that begin a noun phrase or a clause, never a command. */
const NEVER_FIRST = new Set(
  `a an the this that these those some any every each all both either neither no none nothing nobody
  what who whom whose which when where why how whether if as while because since until after before
  one two three many more most few less it its they their there he she we our you your i my
  is are was were be been has have had can could will would may might must should not only also
  in on at of for from with without by to between into over under`.split(/\s+/),
)
/** After one of these, the word before it was a noun. */
const AFTER_NOUN = new Set([
  'is',
  'are',
  'was',
  'were',
  'has',
  'have',
  'that',
  'which',
  'who',
  'of',
])
/** Commands that look like another form of a verb, like a plural, or like a noun before a clause ("tell which"). */
const COMMANDS = new Set(
  [
    'bias',
    'bring',
    'embed',
    'exceed',
    'feed',
    'focus',
    'need',
    'ping',
    'proceed',
    'seed',
    'speed',
    'tell',
    'warn',
  ].concat(['shed', 'string', 'succeed', 'alias', 'canvas']),
)

/**
 * What is wrong with a subject, in words; undefined: nothing. No rule can tell which words are verbs. This finds
 * articles, pronouns and the like at the beginning, plurals and other forms of verbs ("adds", "added", "adding"), and
 * a first word that the second one shows to be a noun ("queue is", "list of").
 */
export function findFault(subject: string): string | undefined {
  if (subject.length > LONGEST) return `${subject.length} characters, at most ${LONGEST}`
  const [, first, second = ''] = FORM.exec(subject) ?? []
  if (first === undefined) return 'not of the form "type(scope): subject"'
  if (subject.endsWith('.')) return 'ends with a full stop'
  const word = first.toLowerCase().replace(/[^a-z].*$/, '')
  const isOtherForm = /(?:ed|ing|[^s]s)$/.test(word) && !COMMANDS.has(word)
  const isNoun = AFTER_NOUN.has(second) && !COMMANDS.has(word)
  if (word === '' || NEVER_FIRST.has(word) || isOtherForm || isNoun)
    return `begins with "${first}": write an imperative ("add …", "split …")`
  return undefined
}

function git(...args: string[]) {
  return spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' })
}

function check(): void {
  if (git('merge-base', '--is-ancestor', SINCE, 'HEAD').status !== 0) {
    process.stdout.write(`commits: not checked, the history does not reach ${SINCE}\n`)
    return
  }
  const { stdout } = git('log', '--no-merges', '--format=%h %s', `${SINCE}..HEAD`)
  const commits = stdout.split('\n').filter((line) => line !== '')
  for (const commit of commits) {
    const [, hash = '', subject = ''] = /^(\S+) (.*)$/.exec(commit) ?? []
    const fault = findFault(subject)
    if (fault === undefined) continue
    process.stderr.write(`${hash} ${subject}\n    ${fault}\n`)
    process.exitCode = 1
  }
  process.stdout.write(`commits: ${commits.length} checked\n`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) check()
