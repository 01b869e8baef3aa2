/** Finds what people read: in sources the texts between tags and the strings that are sentences, in Markdown all but code. */
import ts from 'typescript'

/** A piece of text, with the line on which it begins. */
export interface Text {
  line: number
  text: string
}

/** Members and attributes whose value people read, though it may be one word. */
const READ =
  /^(?:aria-label|empty|emptyText|emptyTitle|description|help|hint|label|many|note|one|placeholder|summary|text|title|words?)$/i

/** The name of the member or attribute that a string is the value of. */
function findName({ parent }: ts.Node): string {
  if (ts.isConditionalExpression(parent) || ts.isJsxExpression(parent)) return findName(parent)
  if (ts.isPropertyAssignment(parent) || ts.isJsxAttribute(parent)) return parent.name.getText()
  return ''
}

/** `'name'` in an import, a type, `css['name']` or `sql` is never shown. */
function isCode({ parent }: ts.Node): boolean {
  return (
    ts.isImportDeclaration(parent) ||
    ts.isExportDeclaration(parent) ||
    ts.isLiteralTypeNode(parent) ||
    ts.isElementAccessExpression(parent) ||
    (ts.isTaggedTemplateExpression(parent) && parent.tag.getText() !== 'html') ||
    ((ts.isTemplateExpression(parent) || ts.isConditionalExpression(parent)) && isCode(parent)) ||
    (ts.isTemplateSpan(parent) && isCode(parent.parent))
  )
}

function isString(node: ts.Node): node is ts.StringLiteral | ts.TemplateLiteralLikeNode {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node)
  )
}

function isRead(node: ts.StringLiteral | ts.TemplateLiteralLikeNode): boolean {
  if (isCode(node)) return false
  const name = findName(node)
  // `isOpen ? 'firing' : 'ended'` is part of a sentence, unless it chooses a look.
  const isChosen = name === '' && ts.isConditionalExpression(node.parent) && /[a-z]/.test(node.text)
  return isChosen || /[a-z] | [a-z]/i.test(node.text) || READ.test(name)
}

export function findTextsOfSource(path: string, source: string): Text[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const texts: Text[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) || (isString(node) && isRead(node))) {
      const lead = /^\s*/.exec(node.text)?.[0].length ?? 0
      const start = ts.isJsxText(node) ? node.pos + lead : node.getStart()
      const text = node.text.trim().replaceAll(/\s+/g, ' ')
      if (text) texts.push({ line: file.getLineAndCharacterOfPosition(start).line + 1, text })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return texts
}

/** Blocks and spans of code and the targets of links are not prose; what they say is written elsewhere. */
export function findTextsOfMarkdown(source: string): Text[] {
  const blank = (code: string) => code.replaceAll(/[^\n]/g, ' ')
  return source
    .replaceAll(/^( *)```[^]*?^ *```/gm, blank)
    .replaceAll(/<!--[^]*?-->/g, blank)
    .replaceAll(/`[^`]*`/g, blank)
    .replaceAll(/\]\([^)]*\)/g, blank)
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => text.trim() !== '')
}

/** `summary`, `description` and `title` of OpenAPI and AsyncAPI. */
export function findTextsOfApi(source: string): Text[] {
  return source.split('\n').flatMap((text, index) => {
    const said = /^\s*"(?:summary|description|title)": (".*"),?$/.exec(text)?.[1]
    if (said === undefined) return []
    return [{ line: index + 1, text: JSON.parse(said) as string }]
  })
}
