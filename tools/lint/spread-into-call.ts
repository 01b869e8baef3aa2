/**
 * Refuses `push(...rows)`: each item becomes an argument of the call, and from about 120,000 on the stack overflows. What the
 * source itself bounds is no fault: a literal, a constant of the program, arguments that are passed on.
 */

/** What is read of nodes of the syntax tree (ESTree). */
interface Node {
  type: string
  parent?: Node
  name?: string
  arguments?: Node[]
  argument?: Node
  elements?: (Node | null)[]
  params?: Node[]
  expression?: Node
  consequent?: Node
  alternate?: Node
  callee?: Node
  object?: Node
  property?: Node
}

interface RuleContext {
  report: (problem: { node: Node; message: string }) => void
}

const MESSAGE =
  'Do not spread data into a call: many items overflow the stack. Loop over them, or use `largestOf`, `smallestOf`, `concat`.'

export const spreadIntoCall = {
  create: ({ report }: RuleContext) => {
    const look = ({ arguments: given = [] }: Node) => {
      for (const node of given)
        if (node.type === 'SpreadElement' && !isBounded(node.argument))
          report({ node, message: MESSAGE })
    }
    return { CallExpression: look, NewExpression: look }
  },
}

function isBounded(node: Node | undefined): boolean {
  if (!node) return false
  switch (node.type) {
    case 'ArrayExpression':
      return (node.elements ?? []).every(
        (each) => each?.type !== 'SpreadElement' || isBounded(each.argument),
      )
    case 'ConditionalExpression':
      return isBounded(node.consequent) && isBounded(node.alternate)
    case 'Identifier':
      return isConstant(node) || isRestParameter(node)
    case 'CallExpression':
      return isOfConstant(node.callee)
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isBounded(node.expression)
    default:
      return false
  }
}

/** Written in the program, by its name: `SEVERITIES`. */
function isConstant({ name = '' }: Node): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(name)
}

/** `SEVERITIES.map(…)` has as many items as its constant; the same of arguments that are passed on. */
function isOfConstant(callee: Node | undefined): boolean {
  const { object, property } = callee ?? {}
  const isSame = ['map', 'filter', 'slice', 'toSorted'].includes(property?.name ?? '')
  return isSame && object?.type === 'Identifier' && (isConstant(object) || isRestParameter(object))
}

/** They are arguments of a call already, which was looked at where it is written. */
function isRestParameter(node: Node): boolean {
  for (let outer = node.parent; outer; outer = outer.parent) {
    const rest = outer.params?.at(-1)
    if (rest?.type === 'RestElement' && rest.argument?.name === node.name) return true
  }
  return false
}
