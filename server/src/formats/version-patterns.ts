/**
 * Patterns for the names of versions, such as `^2\.`: the part of regular expressions that a set of states matches in time linear in
 * the name (K. Thompson, Regular Expression Search Algorithm, 1968). Back-references, look-around and counted repetition are refused,
 * so no pattern of a tenant is slow.
 */

type Test = (character: string) => boolean

type Node =
  | { kind: 'character'; test: Test }
  | { kind: 'begin' }
  | { kind: 'end' }
  | { kind: 'sequence'; nodes: Node[] }
  | { kind: 'choice'; nodes: Node[] }
  | { kind: 'repeat'; node: Node; from: 0 | 1; isEndless: boolean }

type Step =
  | { kind: 'character'; test: Test; next: number }
  | { kind: 'begin' | 'end'; next: number }
  | { kind: 'split'; nexts: number[] }
  | { kind: 'found' }

export interface VersionPattern {
  /** Whether the pattern is found in the name, anywhere unless `^` and `$` say where. */
  matches: (name: string) => boolean
}

class Fault extends Error {}

/** `fault`: why the text is no pattern, as a sentence. */
export function readVersionPattern(text: string): VersionPattern | { fault: string } {
  try {
    const steps = compile(new Reader(text).readAll())
    return { matches: (name) => isFound(steps, name) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

const DIGIT: Test = (character) => /^\d$/.test(character)
const WORD: Test = (character) => /^\w$/.test(character)
const not =
  (test: Test): Test =>
  (character) =>
    !test(character)
const CLASSES: Readonly<Record<string, Test>> = {
  d: DIGIT,
  D: not(DIGIT),
  w: WORD,
  W: not(WORD),
}
const isSame =
  (expected: string): Test =>
  (character) =>
    character === expected

function readPlain(character: string): Test {
  if ('*+?'.includes(character))
    throw new Fault(`"${character}" repeats nothing: write \\${character} for the character.`)
  if ('{}]'.includes(character)) {
    const why = character === ']' ? '' : ', as nothing is counted'
    throw new Fault(`"${character}" is not taken${why}: write \\${character} for the character.`)
  }
  return isSame(character)
}

class Reader {
  private readonly characters: readonly string[]
  private place = 0

  constructor(text: string) {
    this.characters = Array.from(text)
  }

  readAll(): Node {
    const node = this.readChoice()
    if (this.place < this.characters.length) throw new Fault('A ")" has no "(" before it.')
    return node
  }

  private peek = () => this.characters[this.place]

  private take(): string {
    const character = this.characters[this.place]
    if (character === undefined) throw new Fault('It ends in the middle of an expression.')
    this.place += 1
    return character
  }

  private readChoice(): Node {
    const nodes = [this.readSequence()]
    while (this.peek() === '|') {
      this.take()
      nodes.push(this.readSequence())
    }
    return { kind: 'choice', nodes }
  }

  private readSequence(): Node {
    const nodes: Node[] = []
    for (let next = this.peek(); next !== undefined && next !== '|' && next !== ')';) {
      nodes.push(this.readRepeated())
      next = this.peek()
    }
    return { kind: 'sequence', nodes }
  }

  private readRepeated(): Node {
    const node = this.readAtom()
    const sign = this.peek()
    if (sign !== '*' && sign !== '+' && sign !== '?') return node
    if (node.kind === 'begin' || node.kind === 'end')
      throw new Fault(`"${sign}" repeats nothing: it follows ^ or $.`)
    this.take()
    const again = this.peek()
    if (again === '*' || again === '+' || again === '?')
      throw new Fault(`"${sign}${again}" is not taken: one sign of repetition is enough.`)
    return { kind: 'repeat', node, from: sign === '+' ? 1 : 0, isEndless: sign !== '?' }
  }

  private readAtom(): Node {
    const character = this.take()
    switch (character) {
      case '^':
        return { kind: 'begin' }
      case '$':
        return { kind: 'end' }
      case '.':
        return { kind: 'character', test: () => true }
      case '[':
        return { kind: 'character', test: this.readSet() }
      case '(':
        return this.readGroup()
      case '\\':
        return { kind: 'character', test: this.readEscaped() }
      default:
        return { kind: 'character', test: readPlain(character) }
    }
  }

  private readGroup(): Node {
    if (this.peek() === '?') throw new Fault('"(?" is not taken: groups have no options.')
    const node = this.readChoice()
    if (this.peek() !== ')') throw new Fault('A "(" has no ")" after it.')
    this.take()
    return node
  }

  private readEscaped(): Test {
    const character = this.take()
    const known = CLASSES[character]
    if (known) return known
    if (/[\p{L}\p{N}]/u.test(character))
      throw new Fault(`"\\${character}" is not taken: only \\d, \\D, \\w and \\W are.`)
    return isSame(character)
  }

  private readSet(): Test {
    const isNegated = this.peek() === '^'
    if (isNegated) this.take()
    const tests: Test[] = []
    while (this.peek() !== ']') tests.push(this.readSetItem())
    this.take()
    if (tests.length === 0) throw new Fault('"[]" matches nothing.')
    const test: Test = (character) => tests.some((one) => one(character))
    return isNegated ? not(test) : test
  }

  private readSetItem(): Test {
    const first = this.take()
    if (first === '[') throw new Fault('"[" in a set is not taken: write \\[ for the character.')
    if (first === '\\') return this.readEscaped()
    if (this.peek() !== '-' || [undefined, ']'].includes(this.characters[this.place + 1]))
      return isSame(first)
    this.take()
    const last = this.take()
    if (last === '\\' || last === '[' || last < first)
      throw new Fault(`"${first}-${last}" is no range of characters.`)
    return (character) => character >= first && character <= last
  }
}

function compile(root: Node): readonly Step[] {
  const steps: Step[] = []
  const add = (step: Step) => steps.push(step) - 1
  /** Answers where the steps of the node begin; they go on at `next`. */
  const place = (node: Node, next: number): number => {
    switch (node.kind) {
      case 'character':
        return add({ ...node, next })
      case 'begin':
      case 'end':
        return add({ kind: node.kind, next })
      case 'sequence':
        return node.nodes.reduceRight((after, one) => place(one, after), next)
      case 'choice':
        return add({ kind: 'split', nexts: node.nodes.map((one) => place(one, next)) })
      case 'repeat': {
        const nexts = [next]
        const split = add({ kind: 'split', nexts })
        const once = place(node.node, node.isEndless ? split : next)
        nexts.push(once)
        return node.from === 1 ? once : split
      }
    }
  }
  const begin = place(root, add({ kind: 'found' }))
  // The first step is where matching begins.
  return [{ kind: 'split', nexts: [begin + 1] }, ...steps.map(moveByOne)]
}

function moveByOne(step: Step): Step {
  if (step.kind === 'split') return { ...step, nexts: step.nexts.map((next) => next + 1) }
  return step.kind === 'found' ? step : { ...step, next: step.next + 1 }
}

interface At {
  /** undefined: the end of the name. */
  character: string | undefined
  isBegin: boolean
}

/** The steps that take the character, of those reached without one; 'found' where the pattern ends here. Each is looked at once. */
function reach(steps: readonly Step[], from: readonly number[], at: At): Set<number> | 'found' {
  const reached = new Set(from)
  // A set goes on with what is added while one reads it.
  for (const index of reached) {
    const step = steps[index]
    if (step?.kind === 'found') return 'found'
    for (const next of listNexts(step, at)) reached.add(next)
  }
  return reached
}

/** Where a step leads that takes no character. */
function listNexts(step: Step | undefined, { character, isBegin }: At): readonly number[] {
  if (step?.kind === 'split') return step.nexts
  const isPassed =
    (step?.kind === 'begin' && isBegin) || (step?.kind === 'end' && character === undefined)
  return isPassed ? [step.next] : []
}

function isFound(steps: readonly Step[], name: string): boolean {
  const characters: (string | undefined)[] = [...Array.from(name), undefined]
  let waiting: number[] = []
  for (const [place, character] of characters.entries()) {
    const reached = reach(steps, [0, ...waiting], { character, isBegin: place === 0 })
    if (reached === 'found') return true
    waiting = [...reached].flatMap((index) => {
      const step = steps[index]
      const isTaken = step?.kind === 'character' && character !== undefined && step.test(character)
      return isTaken ? [step.next] : []
    })
  }
  return false
}
