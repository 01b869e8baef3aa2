import { type Argument, type Command, Help, type Option } from 'commander'
import { listAcceptedWords } from '../option-values.ts'
import type { CommandNode, OperandNode, OptionNode, ValueNode } from './command-tree.ts'

const help = new Help()

/** The tree of a program, without the commands that help does not show. */
export function describeCommands(command: Command): CommandNode {
  const shown = help.visibleOptions(command)
  // Options that help does not show are read as well: their values are no operands.
  const options = [...shown, ...command.options.filter((option) => !shown.includes(option))]
  return {
    name: command.name(),
    description: command.description(),
    options: options.map((option) => describeOption(option, shown.includes(option))),
    operands: command.registeredArguments.map(describeOperand),
    commands: help.visibleCommands(command).map(describeCommands),
  }
}

function describeOption(option: Option, isShown: boolean): OptionNode {
  const { long, short, required, optional, description } = option
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    description,
    ...((required || optional) && { value: describeValue(option) }),
    ...(!isShown && { isHidden: true }),
  }
}

function describeOperand(argument: Argument): OperandNode {
  return {
    ...describeValue(argument),
    ...(argument.required && { isRequired: true }),
    ...(argument.variadic && { isVariadic: true }),
  }
}

function describeValue(taker: Option | Argument): ValueNode {
  const words = taker.argChoices ?? listAcceptedWords(taker.parseArg)
  return { name: taker.name(), ...(words && { words }) }
}
