import fc from 'fast-check'
import t from 'tap'
import { repairUrl } from '../../src/http/urls.ts'

const tricky = fc.string({ unit: fc.constantFrom(...'%2F5Ea0/?&=#é') })

const isDecodable = (text: string) => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

t.test('a decodable target stays unchanged', async (t) => {
  for (const url of [
    '/',
    '/api/projects',
    '/api/projects/a%2Fb?status=100%&x=%zz',
    '/api/projects/%25',
    '/api/projects/%E2%82%AC',
    '/api/projects?%',
    '',
  ]) {
    t.equal(repairUrl(url), url)
  }
})

t.test('percent signs of a malformed segment are literal, and others are not', async (t) => {
  for (const [url, repaired] of [
    ['/api/projects/%', '/api/projects/%25'],
    ['/api/projects/100%/x', '/api/projects/100%25/x'],
    ['/api/projects/%zz', '/api/projects/%25zz'],
    ['/api/projects/%E0%A4%A', '/api/projects/%25E0%25A4%25A'],
    ['/api/projects/%41%', '/api/projects/%2541%25'],
    ['/api/a%2Fb/%/%41', '/api/a%2Fb/%25/%41'],
    ['/api/%C3/%A9', '/api/%25C3/%25A9'],
    ['/api/projects/%?status=%&q=a?b%', '/api/projects/%25?status=%&q=a?b%'],
  ] as const) {
    t.equal(repairUrl(url), repaired)
  }
})

t.test('any target becomes decodable, keeps its segments and query, and is repaired only once', async () => {
  fc.assert(
    fc.property(tricky, (url) => {
      const repaired = repairUrl(url)
      const [path = '', ...query] = url.split('?')
      const [repairedPath = '', ...repairedQuery] = repaired.split('?')
      const segments = path.split('/')
      return (
        isDecodable(repairedPath) &&
        repairUrl(repaired) === repaired &&
        repairedQuery.join('?') === query.join('?') &&
        repairedPath.split('/').every((segment, index) => {
          const original = segments[index] ?? ''
          return (
            decodeURIComponent(segment) === (isDecodable(original) ? decodeURIComponent(original) : original)
          )
        }) &&
        repairedPath.split('/').length === segments.length
      )
    }),
    { numRuns: 2000 },
  )
})
