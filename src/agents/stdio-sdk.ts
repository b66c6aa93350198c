/** The parts of the SDK used by the command `mcp`. */
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
