import type { Command } from 'commander'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'

interface McpOptions extends ConnectionOptions {
  allowProposals?: boolean
  allowWrites?: boolean
}

export function addMcpCommand(program: Command): void {
  withConnection(program.command('mcp'))
    .description('Serve assistants over stdin and stdout by the Model Context Protocol')
    .option('--allow-proposals', 'also serve a tool that proposes decisions for people to take')
    .option('--allow-writes', 'also serve tools that change something (default: only read)')
    .action(mcp)
}

async function mcp(given: McpOptions): Promise<void> {
  const { allowProposals = false, allowWrites = false, ...options } = given
  // Only this command needs these packages.
  const { serveMcp } = await import('../mcp/server.ts')
  await serveMcp({ allowProposals, allowWrites, openSession: () => openSession(options) })
}
