/** A DNS server in this process. */
import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'
import type { Owner } from './process.ts'

/** The type of a query for IPv4 addresses. */
const TYPE_A = 1
/** The flags of a response, with the code "no error" or "no such name". */
const FOUND = 0x8180
const UNKNOWN = 0x8183

/** A query for the addresses of a name. */
interface Query {
  name: string
  type: number
}

/** Reads a query. @returns it, and its end in the packet */
function readQuery(packet: Buffer): Query & { end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = packet.readUInt8(at); length > 0; length = packet.readUInt8(at)) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: packet.readUInt16BE(at + 1), end: at + 5 }
}

/** A response with an IPv4 address, or that there is no such name. */
function responseTo(packet: Buffer, end: number, address: string | undefined): Buffer {
  const header = Buffer.from(packet.subarray(0, end))
  header.writeUInt16BE(address === undefined ? UNKNOWN : FOUND, 2)
  header.writeUInt16BE(address === undefined ? 0 : 1, 6)
  header.writeUInt32BE(0, 8)
  if (address === undefined) return header
  // The name of the question, type A, class IN, for no time, 4 bytes.
  const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]
  return Buffer.concat([header, Buffer.from(record)])
}

/**
 * Starts a DNS server on this machine, which ends with the test.
 * @param addressOf the IPv4 address of a name; undefined: there is no such name; `silent`: no response
 * @returns its address with the port, and the names that it was asked for
 */
export async function serveDns(t: Owner, addressOf: (name: string) => string | undefined) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (packet, { port, address }) => {
    const { name, type, end } = readQuery(packet)
    asked.push(name)
    const found = addressOf(name)
    if (found === 'silent') return
    socket.send(responseTo(packet, end, type === TYPE_A ? found : undefined), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  t.teardown(() => socket.close())
  return { server: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked }
}
