import type { CommandNode } from './command-tree.ts'

/** All commands as data. The bundler of a release fills it in; in a checkout the commands are loaded. */
export const BUILT_COMMANDS: CommandNode | undefined = undefined
