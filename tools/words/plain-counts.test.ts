/** A count that may be one is written by `formatCountOf` (in commands: `formatCount`): "1 device", never "1 devices". */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const SOURCES = ['portal/src', 'cli/src', 'server/src'].map((folder) => `${folder}/**/*.{ts,tsx}`)
/** Stores hold SQL. */
const LEFT_OUT = ['**/*.test.ts', 'server/src/**/*store.ts', 'server/src/simulator/**']

const MANY =
  /^\s+(?!(?:among|has|holds|in|no|runs?|sends|to|wants|without|other) )(?:[a-z-]+ )??(?:of the |[a-z-]+ )?(?:addresses|advisories|alerts|attempts|cohorts|comments|components|days|decisions|deployments|devices|documents|files|findings|firmwares|hours|incidents|jobs|keys|members|minutes|notifications|packages|people|phases|points|records|rows|rules|runs|SBOMs|scopes|secrets|sessions|statements|steps|tags|times|versions|vulnerabilities|windows|workspaces)\b(?! of which)/
/** A limit is never one, and "1 of 1 devices" counts a whole. */
const LIMIT = /(?:at most|more than|of|of the|last|up to|all) $/

const isOfOne = (condition: ts.Expression) => /(?:=== ?1|> 1)\b/.test(condition.getText())

/** Chosen for a count other than one, or for more than one. */
function isChosen(node: ts.Node): boolean {
  for (let at = node; !ts.isFunctionLike(at) && !ts.isSourceFile(at); at = at.parent) {
    if (ts.isConditionalExpression(at) && isOfOne(at.condition)) return true
    if (ts.isBinaryExpression(at) && isOfOne(at.left)) return true
    if (ts.isIfStatement(at) && isOfOne(at.expression)) return true
  }
  return false
}

const isCount = (value: ts.Expression, before: string, after: string) =>
  MANY.test(after) &&
  !LIMIT.test(before) &&
  !/[A-Z]{3}|formatCount\w*\(\w+\S*, '|=== 1/.test(value.getText())

function findPlainCounts(path: string, source: string): string[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const look = (value: ts.Expression, before: string, after: string) => {
    if (isCount(value, before, after) && !isChosen(value))
      found.push(`${value.getText()}${after.trimEnd()}`)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node) && !ts.isTaggedTemplateExpression(node.parent))
      node.templateSpans.forEach(({ expression, literal }, index) => {
        const before = index === 0 ? node.head : node.templateSpans[index - 1]?.literal
        look(expression, before?.text ?? '', literal.text)
      })
    if (ts.isJsxElement(node) || ts.isJsxFragment(node))
      node.children.forEach((child, index) => {
        const [before, after] = [node.children[index - 1], node.children[index + 1]]
        if (ts.isJsxExpression(child) && child.expression && after && ts.isJsxText(after))
          look(child.expression, before && ts.isJsxText(before) ? before.text : '', after.text)
      })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

it('puts no count before a plural by hand', () => {
  const found = globSync(SOURCES, { cwd: ROOT, exclude: LEFT_OUT })
    .toSorted()
    .flatMap((path) =>
      findPlainCounts(path, readFileSync(join(ROOT, path), 'utf8')).map(
        (text) => `${path}: ${text}`,
      ),
    )
  expect(found).toEqual([])
})

it.each`
  source                                                        | found
  ${'const text = `It would change ${changed} incidents now`'}  | ${['changed incidents now']}
  ${'const page = <p>{left} recovery keys are left.</p>'}       | ${['left recovery keys are left.']}
  ${'const text = `at most ${most} devices`'}                   | ${[]}
  ${'const text = n === 1 ? "1 device" : `${n} devices`'}       | ${[]}
  ${'const query = sql`select ${count} devices`'}               | ${[]}
  ${"const text = `${formatCountOf(n, 'device')} in versions`"} | ${[]}
`('finds $found in $source', ({ source, found }) => {
  expect(findPlainCounts('page.tsx', source as string)).toEqual(found)
})
