import type { Command } from 'commander'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'

interface McpOptions extends ConnectionOptions {
  allowWrites?: boolean
}

export function addMcpCommand(program: Command): void {
  withConnection(program.command('mcp'))
    .description('Serve assistants over stdin and stdout by the Model Context Protocol')
    .option('--allow-writes', 'also serve tools that change something (default: only read)')
    .action(mcp)
}

async function mcp({ allowWrites = false, ...options }: McpOptions): Promise<void> {
  // Only this command needs these packages.
  const { serveMcp } = await import('../mcp/server.ts')
  await serveMcp({ allowWrites, openSession: () => openSession(options) })
}
