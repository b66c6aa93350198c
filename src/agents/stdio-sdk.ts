/** What the command `mcp` uses of the SDK. */
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
