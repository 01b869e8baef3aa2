/** What completion knows of a command: its words as data, which a release holds ready so that a Tab loads no command. */
export interface CommandNode {
  name: string
  description: string
  options: readonly OptionNode[]
  operands: readonly OperandNode[]
  commands: readonly CommandNode[]
}

export interface OptionNode {
  flags: readonly string[]
  description: string
  /** Absent for an option that takes no value. */
  value?: ValueNode
  isHidden?: true
}

export interface OperandNode extends ValueNode {
  isRequired?: true
  isVariadic?: true
}

/** Words that are known, or else what the name stands for: `firmware` and `version` are asked of the service. */
export interface ValueNode {
  name: string
  words?: readonly string[]
}
