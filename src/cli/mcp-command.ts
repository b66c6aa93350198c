/** The command `mcp`. */
import { runProxy } from '../agents/stdio-proxy.ts'
import { isLoopback } from '../config.ts'
import { StartupError } from '../errors.ts'
import { complain } from './terminal.ts'

/** The service's `/mcp`. @throws StartupError for an invalid address */
function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!url || !isHttp || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new StartupError('--url must be the address of a service, e.g. http://127.0.0.1:3000')
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '')
  url.pathname = path.endsWith('/mcp') ? path : `${path}/mcp`
  return url
}

/**
 * `mcp`: connects an agent that speaks MCP over stdin and stdout to a service.
 * @throws StartupError for an unusable address or token
 */
export async function connectAgent({
  url,
  token,
}: {
  url: string
  token?: string | undefined
}): Promise<void> {
  const endpoint = endpointOf(url)
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new StartupError('the token must be visible ASCII, exactly as shown when it was created')
  }
  const isPlain = endpoint.protocol === 'http:' && !isLoopback(endpoint.hostname.replace(/^\[|\]$/g, ''))
  if (isPlain && token !== undefined) {
    complain(`warning: the token is sent to ${endpoint.host} unencrypted; use https`)
  }
  await runProxy({ url: endpoint, token, complain })
}
