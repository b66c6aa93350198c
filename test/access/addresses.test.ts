import { strictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { addressOf, amongAddresses, clientAt } from '../../src/access/addresses.ts'

t.test('a client is identified by its IPv4 address or its IPv6 /64 network', async (t) => {
  for (const [address, client] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2:0:0:0:1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:0:0:1', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['192.0.2.1:4711', '192.0.2.1:4711'],
    ['', ''],
  ] as const)
    t.equal(clientAt(address), client, address)
})

t.test('an invalid forwarded address counts as the address of the proxy', async (t) => {
  for (const [ip, expected] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['garbage', '10.0.0.1'],
    ['192.0.2.1:4711', '10.0.0.1'],
    ['192.0.2.256', '10.0.0.1'],
    ['<script>', '10.0.0.1'],
    ['', '10.0.0.1'],
  ] as const) {
    const request = { ip, socket: { remoteAddress: '10.0.0.1' } }
    t.equal(addressOf(request as unknown as Parameters<typeof addressOf>[0]), expected, ip)
  }
})

t.test('two IPv6 addresses are the same client exactly if their first 64 bits are equal', async (t) => {
  const group = fc.integer({ min: 0, max: 3 })
  const groups = fc.tuple(group, group, group, group, group, group, group, group)
  const written = (all: number[]) => all.map((one) => one.toString(16)).join(':')
  fc.assert(
    fc.property(groups, groups, (one, other) => {
      // These begin with a 1, so that none of them contains an IPv4 address.
      const [a, b] = [one, other].map(([, ...rest]) => [1, ...rest])
      const isSame = `${a?.slice(0, 4)}` === `${b?.slice(0, 4)}`
      strictEqual(clientAt(written(a ?? [])) === clientAt(written(b ?? [])), isSame)
    }),
  )
  t.pass()
})

t.test('an address is found in a list in any notation', async (t) => {
  const isAmong = amongAddresses([
    '10.0.0.1',
    '::ffff:10.0.0.2',
    '10.1.0.0/16',
    '2001:db8::/32',
    'fd00::0001',
    '::ffff:10.2.0.0/112',
  ])
  for (const address of [
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '10.0.0.2',
    '::ffff:10.0.0.2',
    '10.1.255.255',
    '::ffff:10.1.0.0',
    '2001:db8:ffff::1',
    'FD00::1',
    '10.2.3.4',
  ])
    t.equal(isAmong(address), true, address)
  for (const address of [
    '10.0.0.3',
    '10.0.0.11',
    '::10.0.0.1',
    '10.3.0.0',
    '2001:db9::',
    'fd00::2',
    '::1',
    '',
    'proxy',
    '10.0.0.1, 10.0.0.1',
    undefined,
  ])
    t.equal(isAmong(address), false, String(address))
  t.equal(amongAddresses([])('10.0.0.1'), false)
})
