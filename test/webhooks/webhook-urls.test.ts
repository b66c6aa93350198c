/** Addresses that webhooks must not have, in every notation. */
import type { LookupAddress } from 'node:dns'
import { networkInterfaces } from 'node:os'
import t from 'tap'
import { createHostLookup, type HostLookup, type Seeker } from '../../src/webhooks/host-lookup.ts'
import {
  guardedLookup,
  hasRefusedAddress,
  isRefusedAddress,
  problemOfUrl,
} from '../../src/webhooks/webhook-urls.ts'

/** Refused addresses, by kind. */
const REFUSED: Record<string, string[]> = {
  'this host': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'link-local': ['169.254.0.1', '169.254.169.254', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%lo'],
  'unique local, site-local': ['fc00::1', 'fd00:ec2::254', 'fdff::1', 'fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  benchmarks: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: ['192.0.0.1', '240.0.0.1', '254.255.255.255', '100::1', '4000::1', '8000::1', '5f00::1'],
  'IPv4-mapped': [
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.9',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:10.0.0.9',
  ],
  'IPv4-compatible': ['::127.0.0.1', '::10.0.0.9', '::a00:9', '::8.8.8.8'],
  '6to4, Teredo': ['2002:7f00:1::', '2002:a00:9::1', '2001:0:7f00:1::1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::10.0.0.9', '64:ff9b:1::a00:9'],
}

const PUBLIC = ['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.1', '172.15.0.1', '172.32.0.1', '100.63.0.1']
const PUBLIC_6 = ['2606:4700:4700::1111', '2a00:1450:4001:80e::200e', '2001:4860:4860::8888']

for (const [what, addresses] of Object.entries(REFUSED)) {
  t.test(`refused: ${what}`, async (t) => {
    for (const address of addresses) t.ok(isRefusedAddress(address), address)
  })
}

t.test('public addresses are accepted', async (t) => {
  for (const address of [...PUBLIC, ...PUBLIC_6]) t.notOk(isRefusedAddress(address), address)
})

t.test('the addresses of this machine are refused, public ones too', async (t) => {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  t.ok(own.length > 0)
  for (const { address } of own) t.ok(isRefusedAddress(address), address)
  const os = await import('node:os')
  const { networkInterfaces: real } = os.default
  const given = { eth0: [{ address: '1.1.1.1' }, { address: '2606:4700:4700:0::1111' }], gone: undefined }
  os.default.networkInterfaces = () => given as never
  const { syncBuiltinESMExports } = await import('node:module')
  syncBuiltinESMExports()
  t.teardown(() => {
    os.default.networkInterfaces = real
    syncBuiltinESMExports()
  })
  for (const address of ['1.1.1.1', '2606:4700:4700::1111']) t.ok(isRefusedAddress(address), address)
  t.notOk(isRefusedAddress('8.8.8.8'))
})

t.test('an address in a URL is refused in any notation', async (t) => {
  const urls = [
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://①②⑦.⓪.⓪.①/',
    'http://%31%32%37.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]:80/',
    'http://[::10.0.0.9]/',
    'http://[64:ff9b::a00:9]/',
    'http://[fe80::1]/',
  ]
  for (const url of urls) {
    t.ok(hasRefusedAddress(new URL(url)), url)
    t.match(problemOfUrl(url, false), /^must be public: /, url)
    t.equal(problemOfUrl(url, true), undefined, `${url}, where private ones are allowed`)
  }
  for (const url of [
    'http://1.1.1.1/',
    'https://[2606:4700:4700::1111]/',
    'http://localhost/',
    'https://a.test/',
  ])
    t.equal(problemOfUrl(url, false), undefined, url)
})

t.test('a URL is http or https, without credentials and fragment', async (t) => {
  const wrong: [string, string][] = [
    ['', 'must be a URL'],
    ['example.org', 'must be a URL'],
    ['http://', 'must be a URL'],
    ['http://exa mple.org/', 'must be a URL'],
    ['http://1.2.3.4.5/', 'must be a URL'],
    ['ftp://example.org/', 'must be an http or https URL'],
    ['file:///etc/passwd', 'must be an http or https URL'],
    ['javascript:alert(1)', 'must be an http or https URL'],
    ['https://ada@example.org/', 'must not contain credentials'],
    ['https://:secret@example.org/', 'must not contain credentials'],
    ['https://example.org/#', 'must not have a fragment'],
    ['https://example.org/#part', 'must not have a fragment'],
  ]
  for (const [url, problem] of wrong) {
    for (const allowsPrivate of [false, true]) t.equal(problemOfUrl(url, allowsPrivate), problem, url)
  }
  t.equal(problemOfUrl('HTTPS://Example.org:8443/hooks?key=1', false), undefined)
})

const seeker: Seeker = { signal: new AbortController().signal, isWaiting: () => false }

/** The result of a guarded lookup, given the addresses of the name. */
const lookUp = (
  addresses: LookupAddress[],
  options: { all?: boolean } = { all: true },
  error: Error | null = null,
  allowsPrivate = false,
) =>
  new Promise<unknown[]>((resolve) => {
    const lookup: HostLookup = (_host, _options, done) => done(error, addresses)
    const guarded = guardedLookup(lookup, allowsPrivate, seeker)
    guarded('name.test', options, (...results: unknown[]) => resolve(results))
  })

const open = { address: '1.1.1.1', family: 4 }
const open6 = { address: '2606:4700:4700::1111', family: 6 }
const inner = { address: '10.0.0.9', family: 4 }

t.test('a name is refused if one of its addresses is', async (t) => {
  t.strictSame(await lookUp([open, open6]), [null, [open, open6]])
  t.strictSame(await lookUp([open6, open], {}), [null, open6.address, 6])
  for (const addresses of [[inner], [open, inner], [inner, open6], [open, { address: '::1', family: 6 }]]) {
    for (const all of [true, false]) {
      const [error] = await lookUp(addresses, { all })
      t.match(error, { message: 'the address is private, or reserved, or of this machine' })
    }
  }
  t.strictSame(await lookUp([open, inner], {}, null, true), [null, open.address, 4])
  t.strictSame(await lookUp([inner, open], undefined, null, true), [null, [inner, open]])
  t.match(await lookUp([], {}), [{ message: 'name.test has no address' }])
  t.match(await lookUp(undefined as never, {}, new Error('ENOTFOUND')), [{ message: 'ENOTFOUND' }])
})

t.test('a name that this machine resolves to itself is refused', async (t) => {
  for (const name of ['localhost', 'localhost.', '127.0.0.1', '0x7f.1', '0']) {
    const [error] = await new Promise<unknown[]>((resolve) =>
      guardedLookup(createHostLookup(), false, seeker)(name, { all: true }, (...results: unknown[]) =>
        resolve(results),
      ),
    )
    t.ok(error instanceof Error, name)
  }
})
