import { dirname, join } from 'node:path'
import ts from 'typescript'
import { IRREGULAR_PARTICIPLES, NOUNS, VERBS } from './words.ts'

const LARGEST_SLICE = 35
const SMALLEST_FILE = 30
const SLICE = /^server\/src\/features\/([^/]+)\//
/** The names with a fixed role (CONTRIBUTING.md, "A slice"), and files that run as processes of their own. */
const FIXED_ROLE =
  /\/(?:[a-z-]+-)?(?:index|routes|jobs|mqtt|schemas|service|store|process|guard|hooks|health|problems|reactions)\.ts$/

function isParticiple(name: string): boolean {
  if (!/^[A-Z][a-z]+$/.test(name) || NOUNS.has(name)) return false
  return /(?:ed|ing)$/.test(name) || IRREGULAR_PARTICIPLES.has(name)
}

/** `throw notFound('device', id)`: what makes an error may be named like the error. */
const makesError = ({ type }: ts.SignatureDeclaration) =>
  /(?:Error|Fault)$/.test(type?.getText() ?? '')

/**
 * A name in capitals is a component, a shape or a constant; `devicesQuery` is a query as TanStack Query calls it. `nameOf`
 * begins with a verb by chance.
 */
function hasVerb(name: string): boolean {
  if (/^[A-Z]/.test(name) || name.endsWith('Query')) return true
  return VERBS.has(/^[a-z]+/.exec(name)?.[0] ?? '') && !/^[a-z]+Of$/.test(name)
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
}

const isType = (statement: ts.Statement) =>
  ts.isInterfaceDeclaration(statement) ||
  ts.isTypeAliasDeclaration(statement) ||
  ts.isClassDeclaration(statement)

function listFunctions(statement: ts.Statement): [name: string, made: ts.SignatureDeclaration][] {
  if (ts.isFunctionDeclaration(statement)) return [[statement.name?.text ?? '', statement]]
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap(({ name, initializer: made }) =>
    made && (ts.isArrowFunction(made) || ts.isFunctionExpression(made))
      ? [[name.getText(), made]]
      : [],
  )
}

/** The names of a statement that are against the rules, if it is exported. */
function listFaultyNames(statement: ts.Statement): string[] {
  if (!isExported(statement)) return []
  if (isType(statement)) {
    const name = statement.name?.text ?? ''
    return isParticiple(name) ? [`type ${name} is a bare participle`] : []
  }
  return listFunctions(statement)
    .filter(([name, made]) => !makesError(made) && !hasVerb(name))
    .map(([name]) => `function ${name} has no verb`)
}

/** Files of slices that are small, have one importer and no fixed role: they belong into the importer. */
function listSmallFiles(sources: ReadonlyMap<string, string>): string[] {
  const importers = new Map<string, Set<string>>()
  for (const [path, text] of sources)
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      const imported = join(dirname(path), fileName)
      importers.set(imported, (importers.get(imported) ?? new Set()).add(path))
    }
  const isSmall = (text: string) => text.trimEnd().split('\n').length < SMALLEST_FILE
  return [...sources]
    .filter(([path, text]) => SLICE.test(path) && !FIXED_ROLE.test(path) && isSmall(text))
    .filter(([path]) => importers.get(path)?.size === 1)
    .map(([path]) => `${path}: under ${SMALLEST_FILE} lines with one importer`)
}

/** `sources`: the texts of all files but tests and generated ones, by their paths from the root. */
export function findFaults(sources: ReadonlyMap<string, string>): string[] {
  const names = [...sources].flatMap(([path, text]) =>
    ts
      .createSourceFile(path, text, ts.ScriptTarget.Latest, true)
      .statements.flatMap(listFaultyNames)
      .map((fault) => `${path}: ${fault}`),
  )
  const slices = Map.groupBy(sources.keys(), (path) => SLICE.exec(path)?.[1])
  const large = [...slices]
    .filter(([slice, paths]) => slice !== undefined && paths.length > LARGEST_SLICE)
    .map(([slice]) => `slice ${slice}: more than ${LARGEST_SLICE} files`)
  return [...names, ...large, ...listSmallFiles(sources)].toSorted()
}
