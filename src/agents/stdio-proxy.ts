/**
 * MCP over stdio: forwards messages to a service's `/mcp`, and its responses back. Only the service defines the tools,
 * so they always match it. Each message is a separate request, so the next one finds a service that was
 * restarted.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { StdioServerTransport } from './stdio-sdk.ts'

/** Timeout of the service, in milliseconds. */
const TIMEOUT = 60_000

/** Concurrent messages, at most. */
const MOST_AT_ONCE = 100

/** The error code that MCP implementations use for errors outside JSON-RPC's codes. */
const UNAVAILABLE = -32000

interface ProxyOptions {
  /** The service's `/mcp`. */
  url: URL
  token: string | undefined
  /** Reports problems to the user. */
  complain: (text: string) => void
}

/** An error with a message for people and agents. */
class Trouble extends Error {}

/** The error for a response that is not of the protocol. @param body JSON, if possible */
function troubleOf({ status, statusText }: Response, body: { error?: unknown }, url: URL): Trouble {
  if (status === 401) {
    return new Trouble(`${url} requires a valid token (401): set PHASEBOARD_TOKEN or pass --token`)
  }
  if (status === 404) return new Trouble(`there is no Phaseboard at ${url} (404): is --url correct?`)
  const reason = typeof body.error === 'string' ? body.error : statusText
  return new Trouble(`${url} answers ${status}: ${reason}`)
}

/** The reason of a request that got no response. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
  return cause?.code ?? cause?.message ?? message
}

/** Forwards messages until the input ends. Only messages are written to standard output. */
export async function runProxy({ url, token, complain }: ProxyOptions): Promise<void> {
  const transport = new StdioServerTransport()
  /** The protocol version negotiated with the service. */
  let protocolVersion: string | undefined
  let underWay = 0

  async function ask(message: JSONRPCMessage): Promise<JSONRPCMessage | undefined> {
    const response = await fetch(url, {
      method: 'POST',
      // The token is only for this service.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(protocolVersion !== undefined && { 'mcp-protocol-version': protocolVersion }),
      },
      body: JSON.stringify(message),
    }).catch((error) => {
      throw new Trouble(
        `${url} does not respond (${reasonOf(error)}): is the service running, and is --url correct?`,
      )
    })
    if (response.status === 202) return undefined
    const body = Object(await response.json().catch(() => ({})))
    if (body.jsonrpc === '2.0') return { ...body, ...('id' in message && { id: message.id }) }
    throw response.ok
      ? new Trouble(`${url} does not support MCP: is --url correct?`)
      : troubleOf(response, body, url)
  }

  async function pass(message: JSONRPCMessage): Promise<void> {
    const id = 'id' in message ? message.id : undefined
    try {
      if (underWay > MOST_AT_ONCE) throw new Trouble(`more than ${MOST_AT_ONCE} messages at once`)
      const answer = await ask(message)
      if (answer === undefined) return
      if ('method' in message && message.method === 'initialize' && 'result' in answer) {
        protocolVersion = String(answer.result.protocolVersion)
      }
      await transport.send(answer)
    } catch (error) {
      const { message: text } = error as Error
      complain(text)
      if (id !== undefined && 'method' in message) {
        await transport.send({ jsonrpc: '2.0', id, error: { code: UNAVAILABLE, message: text } })
      }
    }
  }

  transport.onmessage = (message) => {
    underWay++
    pass(message).finally(() => underWay--)
  }
  transport.onerror = () => complain('the input was not a message of the protocol')
  await transport.start()
}
