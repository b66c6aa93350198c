/** Markdown that would freeze the page: the limits of rendering, and the timeout. */
import t from 'tap'
import { toHtml } from '../../web/common/markdown/html.ts'
import { DEEPEST, LONGEST, MOST_ELEMENTS } from '../../web/common/markdown/limits.ts'
import { type Answer, MarkdownQueue, type Renderer } from '../../web/common/markdown/queue.ts'
import { PATTERNS } from './hostile-markdown.ts'

t.test('any text becomes safe HTML or plain text, without an error', async (t) => {
  t.ok(Object.keys(PATTERNS).length > 60)
  for (const [name, text] of Object.entries(PATTERNS)) {
    t.ok(text.length <= LONGEST, name)
    const html = toHtml(text)
    if (html === undefined) continue
    t.ok((html.match(/<\w/g) ?? []).length <= MOST_ELEMENTS, `${name}: elements`)
    t.ok(html.length < 20 * LONGEST, `${name}: ${html.length} characters`)
  }
})

t.test('too much Markdown is shown as text', (t) => {
  t.equal(toHtml('x'.repeat(LONGEST)), `<p>${'x'.repeat(LONGEST)}</p>\n`)
  t.equal(toHtml('x'.repeat(LONGEST + 1)), undefined)
  t.match(toHtml(`${'> '.repeat(DEEPEST - 1)}x`), /<p>x<\/p>/)
  t.equal(toHtml(`${'> '.repeat(DEEPEST)}x`), undefined)
  t.equal(toHtml('> '.repeat(LONGEST / 2)), undefined, 'deeper than the parser can call itself')
  t.match(toHtml('- a\n'.repeat(MOST_ELEMENTS - 1)), /<li>/)
  t.equal(toHtml('- a\n'.repeat(MOST_ELEMENTS)), undefined)
  t.match(toHtml('a\n\n---\n\n'.repeat(100)), /<hr>/)
  t.match(toHtml('|a|b|\n|-|-|\n|1|2|'), /<td>2<\/td>/)
  const wide = `|${'a|'.repeat(100)}\n|${'-|'.repeat(100)}\n${'b\n'.repeat(100)}`
  t.notMatch(toHtml(wide), '<table', 'a table with a cell for every pair of its first line and its lines')
  t.match(
    toHtml('<b>x</b>\n\n- [x] a\n- [ ] b\n\n![p](https://e.test/)'),
    /&lt;b&gt;.*"1">☑ <\/span>a.*"0">☐ <\/span>b.*<a href/s,
  )
  t.end()
})

/** A worker that the test controls. */
class FakeWorker implements Renderer {
  onmessage: Renderer['onmessage'] = null
  onerror: Renderer['onerror'] = null
  readonly texts: string[] = []
  isEnded = false
  postMessage(text: string): void {
    this.texts.push(text)
  }
  terminate(): void {
    this.isEnded = true
  }
  say(data: Answer): void {
    this.onmessage?.({ data })
  }
}

function setUp(deadline = 60_000) {
  const workers: FakeWorker[] = []
  const queue = new MarkdownQueue(() => {
    const worker = new FakeWorker()
    workers.push(worker)
    return worker
  }, deadline)
  return { queue, workers }
}

t.test('texts are rendered one after the other, once the worker is ready', async (t) => {
  const { queue, workers } = setUp()
  t.equal(queue.known('a'), undefined)
  const [a, b] = [queue.html('a'), queue.html('b')]
  const [worker] = workers as [FakeWorker]
  t.strictSame(worker.texts, [], 'its script is being loaded')
  worker.say('ready')
  t.strictSame(worker.texts, ['a'])
  worker.say({ html: '<p>a' })
  t.strictSame(worker.texts, ['a', 'b'])
  worker.say({ html: undefined })
  t.strictSame([await a, await b], ['<p>a', undefined])
  t.strictSame(
    [await queue.html('a'), await queue.html('b')],
    ['<p>a', undefined],
    'what came of it is remembered',
  )
  t.strictSame(queue.known('a'), { html: '<p>a' })
  t.equal(await queue.html('x'.repeat(LONGEST + 1)), undefined)
  t.strictSame(worker.texts, ['a', 'b'])
  t.equal(workers.length, 1)
  for (let number = 0; number < 100; number += 1) {
    const one = queue.html(`${number}`)
    worker.say({ html: 'x' })
    await one
  }
  t.equal(queue.known('a'), undefined, 'but not for ever')
})

t.test('a text that takes too long ends the worker, and the next gets a new one', async (t) => {
  const { queue, workers } = setUp(1)
  const [slow, next] = [queue.html('slow'), queue.html('next')]
  const first = workers[0] as FakeWorker
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.notOk(first.isEnded, 'loading does not count')
  first.say('ready')
  t.equal(await slow, undefined)
  t.ok(first.isEnded)
  const second = workers[1] as FakeWorker
  t.strictSame(second.texts, [])
  second.say('ready')
  second.say({ html: '<p>next' })
  t.equal(await next, '<p>next')
  t.notOk(second.isEnded)
  t.equal(await queue.html('slow'), undefined, 'it is not tried again')
  t.strictSame(second.texts, ['next'])
})

t.test('a failed worker fails that text; one that cannot start fails all', async (t) => {
  const { queue, workers } = setUp()
  const broken = queue.html('broken')
  workers[0]?.say('ready')
  workers[0]?.onerror?.(new Error('out of memory'))
  t.equal(await broken, undefined)
  const waiting = [queue.html('a'), queue.html('b')]
  workers[1]?.onerror?.(new Error('404'))
  for (const one of waiting) await t.rejects(one, { message: 'the worker for Markdown does not start' })
  const again = queue.html('a')
  workers[2]?.say('ready')
  workers[2]?.say({ html: 'x' })
  t.equal(await again, 'x', 'the next text tries again')
  const none = new MarkdownQueue(() => {
    throw new Error('no workers')
  })
  await t.rejects(none.html('a'), { message: 'the worker for Markdown does not start' })
})

t.test('a text that is no longer shown is not rendered', async (t) => {
  const { queue, workers } = setUp()
  const leaving = new AbortController()
  void queue.html('a')
  void queue.html('b', leaving.signal)
  const last = queue.html('c')
  leaving.abort()
  const [worker] = workers as [FakeWorker]
  worker.say('ready')
  worker.say({ html: 'x' })
  worker.say({ html: 'y' })
  t.equal(await last, 'y')
  t.strictSame(worker.texts, ['a', 'c'])
})
