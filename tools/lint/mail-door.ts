/** Refuses `mailer.send(…)`: the slice `mails` counts every mail before it leaves, and alone calls the mailer. */

/** What is read of nodes of the syntax tree (ESTree). */
interface Node {
  type: string
  name?: string
  object?: Node
  property?: Node
  id?: Node
  init?: Node
  properties?: { key?: Node }[]
}

interface RuleContext {
  report: (problem: { node: Node; message: string }) => void
}

const MESSAGE = 'Send mail with `sendMail` of the slice `mails`, which counts it before.'

export const mailDoor = {
  create: ({ report }: RuleContext) => ({
    MemberExpression: (node: Node) => {
      if (isMailer(node.object) && node.property?.name === 'send')
        report({ node, message: MESSAGE })
    },
    VariableDeclarator: (node: Node) => {
      const names = node.id?.properties?.map(({ key }) => key?.name) ?? []
      if (isMailer(node.init) && names.includes('send')) report({ node, message: MESSAGE })
    },
  }),
}

/** `mailer`, `ctx.mailer`, `ctx.mailer!`. */
function isMailer(node: Node | undefined): boolean {
  if (node?.type === 'Identifier') return node.name === 'mailer'
  return node?.type === 'MemberExpression' && node.property?.name === 'mailer'
}
